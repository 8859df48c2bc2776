// Vertex: names one vertex of a resource graph (RFC 4), as a value of eight bytes.
//
// A vertex is in one of two places:
//  - *interior*: above the execution targets (cluster, rack, chassis …), by number in
//    depth-first preorder; the root is interior 0;
//  - *of a holder*: a target with all that is below it, or a pool group. The holder is a
//    NodeIndex of the graph and `local` a place in the preorder of its shape: 0 is the
//    target itself, l in 1 .. shape.units the vertex whose bit is shape.unit_of(l).
//
// Local 0 of a pool group is no vertex: the group is a forest, and its trees hang below
// interior vertices (or are roots of an auxiliary subsystem).
//
// Ordered by place, so that vertices can be keys; the order is *not* the preorder of the
// whole graph, which Vertices walks.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/ids.hpp"

namespace tenure::graph {

class Vertex {
 public:
  Vertex() = default;  ///< the root
  static constexpr Vertex interior(std::uint32_t index) { return Vertex(kInterior, index); }
  static constexpr Vertex target(NodeIndex node) { return Vertex(node.value(), 0); }
  static constexpr Vertex inside(NodeIndex holder, std::uint32_t local) {
    return Vertex(holder.value(), local);
  }

  constexpr bool is_interior() const { return holder_ == kInterior; }
  /// True for an execution target.
  constexpr bool is_target() const { return !is_interior() && local_ == 0; }
  /// True for a vertex with a bit of its own: below a target, or of a pool group.
  constexpr bool is_inner() const { return !is_interior() && local_ != 0; }

  /// Requires !is_interior().
  constexpr NodeIndex holder() const { return NodeIndex(holder_); }
  constexpr std::uint32_t local() const { return local_; }
  /// Number of an interior vertex. Requires is_interior().
  constexpr std::uint32_t index() const { return local_; }

  friend constexpr auto operator<=>(Vertex, Vertex) = default;
  friend std::size_t hash_value(Vertex v) noexcept {
    return std::hash<std::uint64_t>{}((std::uint64_t{v.holder_} << 32) | v.local_);
  }

 private:
  static constexpr std::uint32_t kInterior = 0xffffffffU;
  constexpr Vertex(std::uint32_t holder, std::uint32_t local) : holder_(holder), local_(local) {}

  std::uint32_t holder_ = kInterior;
  std::uint32_t local_ = 0;
};

/// What vertices of one kind have in common.
struct VertexKind {
  std::string type;
  std::string basename;  ///< usually the type
  std::string unit;      ///< of `size`, such as "GB"; usually empty
  std::int64_t size = 1;
  bool ranked = false;  ///< inside a target: carries the target's rank instead of -1

  friend bool operator==(const VertexKind&, const VertexKind&) = default;
};

enum class Status { up, down };

/// "core7"; "pfs" when the id is negative.
std::string default_name(std::string_view basename, std::int64_t id);
/// True for default_name(basename, id), without making it.
bool is_default_name(std::string_view name, std::string_view basename, std::int64_t id);
/// The number at the end of a host name, -1 when there is none (or it is too large).
std::int64_t trailing_number(std::string_view host);

}  // namespace tenure::graph

template <>
struct std::hash<tenure::graph::Vertex> {
  std::size_t operator()(tenure::graph::Vertex v) const noexcept { return hash_value(v); }
};
