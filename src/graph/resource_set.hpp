// ResourceSet: specific resources, such as a job holds or a reservation would hold.
//
// It is the engine's form of an RFC 20 R without times: whole nodes as ranges of node
// indices, and for nodes taken in part a mask of units.
//
// Invariants
//  1. `whole` is ascending, disjoint and non-adjacent; `parts` is ascending by node.
//  2. Canonical: a node is in `whole` exactly when all of its units are taken (a shape
//     without units is always whole); a part's mask is neither empty nor full; no node is
//     in both. Two sets with the same resources therefore compare equal.
//
// Complexity: O(ranges + parts) for everything; with a NodeSet, O(nodes / 64) more.
#pragma once

#include <span>
#include <vector>

#include "base/ids.hpp"
#include "graph/node_set.hpp"
#include "graph/shape.hpp"

namespace tenure::graph {

class ResourceGraph;

/// Some units of one node.
struct NodePart {
  NodeIndex node;
  UnitMask units;
  friend bool operator==(const NodePart&, const NodePart&) = default;
};

class ResourceSet {
 public:
  ResourceSet() = default;

  bool empty() const { return whole_.empty() && parts_.empty(); }
  std::span<const NodeRange> whole() const { return whole_; }
  std::span<const NodePart> parts() const { return parts_; }
  /// Nodes touched, whole or in part.
  std::uint32_t node_count() const;
  /// O(log (ranges + parts)).
  bool touches(NodeIndex node) const;
  /// True when both hold the same unit, or the same whole node.
  bool overlaps(const ResourceSet& other) const;
  /// True when a node of the set is in `nodes`.
  bool touches(const NodeSet& nodes) const;

  /// Adds all nodes of the set. Requires that none is in the set yet.
  void add_whole(const NodeSet& nodes);
  /// Adds a node. Requires that it is above every node in the set (append order).
  void append_whole(NodeIndex node) { append_whole(NodeRange{node, node}); }
  void append_whole(NodeRange range);
  /// Adds units of a node, likewise in append order; a full mask becomes a whole node (so
  /// does any node of a shape without units), and an empty one adds nothing.
  void append_part(NodeIndex node, UnitMask units, const Shape& shape);

  /// What is left without the given nodes.
  ResourceSet without(const NodeSet& nodes) const;
  /// The part of this set on the given nodes.
  ResourceSet restricted_to(const NodeSet& nodes) const;
  /// What is left without the resources of `other`, unit by unit.
  ResourceSet without(const ResourceSet& other, const ResourceGraph& graph) const;

  /// Nodes of the set as ranges, whole and parts together, ascending.
  std::vector<NodeRange> nodes() const;
  /// The same as a NodeSet over `size` nodes.
  NodeSet node_set(std::uint32_t size) const;

  /// Calls whole(NodeRange) and part(const NodePart&) in ascending order of nodes.
  template <class Whole, class Part>
  void for_each(Whole&& whole, Part&& part) const {
    auto next = parts_.begin();
    for (const NodeRange& range : whole_) {
      for (; next != parts_.end() && next->node < range.first; ++next) part(*next);
      whole(range);
    }
    for (; next != parts_.end(); ++next) part(*next);
  }

  friend bool operator==(const ResourceSet&, const ResourceSet&) = default;

 private:
  bool is_above_all(NodeIndex node) const {
    return (whole_.empty() || whole_.back().last < node) &&
           (parts_.empty() || parts_.back().node < node);
  }

  std::vector<NodeRange> whole_;
  std::vector<NodePart> parts_;
};

}  // namespace tenure::graph
