// Shape: the inside of a node, shared by all nodes that look alike.
//
// A node of 100 vertices is described once, however many thousand nodes have it; a node
// itself carries only its state. The schedulable leaves of a shape are its *units*
// (core 0, core 1, …, gpu 0, …), numbered from 0 in pool order. The state of a partly
// used node is a UnitMask: one bit a unit.
//
// Invariants
//  1. Pools are sorted by type name, one pool a type; unit numbers run through them.
//  2. A shape without units is valid: a storage node is an execution target without cores.
//  3. No pool is empty, and a shape has at most kMaxUnits units.
//
// Mask operations are O(units / 64), lookups by type O(pools).
#pragma once

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/idset.hpp"

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

/// The units of one type inside a shape.
struct Pool {
  std::string type;                ///< resource type name: "core", "gpu", …
  std::vector<std::uint32_t> ids;  ///< logical ids, ascending; unit first_unit + i has id ids[i]
  std::uint32_t first_unit = 0;

  std::uint32_t count() const { return static_cast<std::uint32_t>(ids.size()); }
  friend bool operator==(const Pool&, const Pool&) = default;
};

struct Shape {
  std::vector<Pool> pools;
  std::uint32_t units = 0;  ///< total over the pools

  /// The pool of a type, or nullptr. O(pools).
  const Pool* pool(std::string_view type) const;
  /// Units of a type, 0 when the shape has none.
  std::uint32_t count(std::string_view type) const;
  /// The logical ids of the units of `pool` that are in `mask`.
  static Idset ids(const Pool& pool, const UnitMask& mask);

  friend bool operator==(const Shape&, const Shape&) = default;
};

}  // namespace tenure::graph
