// Shape: the inside of a node, shared by all nodes that look alike.
//
// A node of 100 vertices is described once, however many thousand nodes have it; a node
// itself carries only its state. Every vertex below the node is a *unit* (core 0, core 1, …,
// gpu 0, …, socket 0, …), numbered from 0 in pool order. The state of a partly used node is
// a UnitMask: one bit a unit.
//
// A shape is *flat* when all of its vertices are children of the node, as an R describes
// them. Otherwise `inner` adds the tree: its vertices in depth-first preorder. Either way
// vertices are addressed by their *local* number: 0 is the node itself (no vertex in the
// shape of a pool group), 1 .. units are the vertices below it in preorder.
//
// Invariants
//  1. Pools are sorted by type name, one pool a type; unit numbers run through them.
//  2. A shape without units is valid: a storage node is an execution target without cores.
//  3. No pool is empty, and a shape has at most kMaxUnits units.
//  4. Flat: ids of a pool are ascending without repetition, and local l is unit l - 1.
//     With a tree: units of a pool are in preorder (so the units of one type below any
//     vertex are consecutive), their ids may come in any order and repeat.
//  5. What is held exclusively is closed downwards: taking a vertex takes the units of its
//     whole subtree. A vertex can be had exclusively when all of its subtree is free, and
//     shared when its own unit is.
//
// Mask operations are O(units / 64), lookups by type O(pools), walks O(1) a step.
#pragma once

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/idset.hpp"
#include "graph/vertex.hpp"

namespace tenure::graph {

/// Most units one node may have; readers refuse more with a `limit` error.
inline constexpr std::uint32_t kMaxUnits = 65'536;

/// A set of units of one shape: bit u is unit u. Two inline words hold 128 units.
/// Bits beyond the shape's unit count are zero. Binary operations require masks of one
/// shape (equal numbers of words).
class UnitMask {
 public:
  using Word = std::uint64_t;

  UnitMask() = default;
  explicit UnitMask(std::uint32_t units) : words_((units + 63) / 64, 0) {}
  static UnitMask full(std::uint32_t units);

  bool test(std::uint32_t unit) const { return (words_[unit / 64] >> (unit % 64)) & 1U; }
  void set(std::uint32_t unit) { words_[unit / 64] |= Word{1} << (unit % 64); }
  void reset(std::uint32_t unit) { words_[unit / 64] &= ~(Word{1} << (unit % 64)); }
  bool none() const;
  std::uint32_t count() const;
  /// Units in [first, first + length).
  std::uint32_t count(std::uint32_t first, std::uint32_t length) const;
  bool intersects(const UnitMask& other) const;
  bool contains(const UnitMask& other) const;

  UnitMask& operator&=(const UnitMask& other);
  UnitMask& operator|=(const UnitMask& other);
  UnitMask& operator-=(const UnitMask& other);
  friend bool operator==(const UnitMask&, const UnitMask&) = default;

 private:
  boost::container::small_vector<Word, 2> words_;
};

/// Id of a vertex that has none (-1 in the formats).
inline constexpr std::uint32_t kNoId = 0xffffffffU;

/// The units of one type inside a shape.
struct Pool {
  std::string type;                ///< resource type name: "core", "gpu", …
  std::vector<std::uint32_t> ids;  ///< logical ids; unit first_unit + i has id ids[i]
  std::uint32_t first_unit = 0;

  std::uint32_t count() const { return static_cast<std::uint32_t>(ids.size()); }
  friend bool operator==(const Pool&, const Pool&) = default;
};

/// A vertex of a shape with a tree, in preorder: inner[l - 1] is local l.
struct InnerVertex {
  std::uint32_t parent;  ///< local number; 0: the node itself, or a tree of a pool group
  std::uint32_t end;     ///< local number behind the subtree
  std::uint32_t unit;    ///< its bit
  std::uint32_t kind;    ///< in `kinds`
  std::uint32_t name;    ///< in `names`; 0: basename and id make the name

  friend bool operator==(const InnerVertex&, const InnerVertex&) = default;
};

/// Consecutive units.
struct UnitRange {
  std::uint32_t first;
  std::uint32_t count;

  friend bool operator==(const UnitRange&, const UnitRange&) = default;
};

struct Shape {
  std::vector<Pool> pools;
  std::uint32_t units = 0;                 ///< total over the pools
  std::vector<InnerVertex> inner = {};     ///< empty when flat
  std::vector<VertexKind> kinds = {};      ///< of the inner vertices; empty when flat
  std::vector<std::string> names = {};     ///< names that are not basename + id; names[0] is empty
  std::vector<std::uint32_t> locals = {};  ///< by unit; empty when flat

  /// The pool of a type, or nullptr. O(pools).
  const Pool* pool(std::string_view type) const;
  /// Units of a type, 0 when the shape has none.
  std::uint32_t count(std::string_view type) const;
  /// The logical ids of the units of `pool` that are in `mask`; those without id left out.
  static Idset ids(const Pool& pool, const UnitMask& mask);

  // The tree. Locals given are 1 .. units unless stated otherwise.

  bool is_flat() const { return inner.empty(); }
  /// Local numbers end here: units + 1.
  std::uint32_t end() const { return units + 1; }
  /// Local number behind the subtree; `local` may be 0. Children of p are
  /// `for (c = p + 1; c < subtree_end(p); c = subtree_end(c))`.
  std::uint32_t subtree_end(std::uint32_t local) const {
    return local == 0 ? end() : is_flat() ? local + 1 : inner[local - 1].end;
  }
  /// 0: below the node itself.
  std::uint32_t parent(std::uint32_t local) const {
    return is_flat() ? 0 : inner[local - 1].parent;
  }
  std::uint32_t unit_of(std::uint32_t local) const {
    return is_flat() ? local - 1 : inner[local - 1].unit;
  }
  /// The vertex of a unit.
  std::uint32_t local_of(std::uint32_t unit) const { return is_flat() ? unit + 1 : locals[unit]; }
  /// O(log pools).
  const Pool& pool_of(std::uint32_t local) const;
  const std::string& type(std::uint32_t local) const { return pool_of(local).type; }
  const std::string& basename(std::uint32_t local) const;
  const std::string& unit(std::uint32_t local) const;  ///< of the size
  std::int64_t size(std::uint32_t local) const { return is_flat() ? 1 : kind(local).size; }
  std::int64_t id(std::uint32_t local) const;  ///< -1: none
  std::string name(std::uint32_t local) const;
  /// Requires a tree.
  const VertexKind& kind(std::uint32_t local) const { return kinds[inner[local - 1].kind]; }

  /// The units of `pool` in the subtree of a vertex, itself included; `local` may be 0.
  /// O(log units).
  UnitRange units_below(std::uint32_t local, const Pool& pool) const;
  /// True when all units of the subtree are in `free`. `local` may be 0. O(subtree).
  bool is_subtree_free(std::uint32_t local, const UnitMask& free) const;
  bool is_free(std::uint32_t local, const UnitMask& free) const {
    return free.test(unit_of(local));
  }
  /// Puts all units of the subtree into `mask`. `local` may be 0.
  void add_subtree(std::uint32_t local, UnitMask& mask) const;

  friend bool operator==(const Shape&, const Shape&) = default;
};

}  // namespace tenure::graph
