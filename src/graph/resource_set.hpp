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
// Complexity: O(ranges + parts) for everything.
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
  bool touches(NodeIndex node) const;
  bool overlaps(const ResourceSet& other) const;
  /// True when a node of the set is in `nodes`.
  bool touches(const NodeSet& nodes) const;

  /// Adds all nodes of the set. Requires that none is in the set yet.
  void add_whole(const NodeSet& nodes);
  /// Adds a node. Requires that it is above every node in the set (append order).
  void append_whole(NodeIndex node);
  /// Adds units of a node, likewise in append order; a full mask becomes a whole node.
  void append_part(NodeIndex node, UnitMask units, const Shape& shape);

  /// What is left without the given nodes. `taken` gets nothing that was not held.
  ResourceSet without(const NodeSet& nodes) const;
  /// The part of this set on the given nodes.
  ResourceSet restricted_to(const NodeSet& nodes) const;
  /// What is left without the resources of `other`, unit by unit.
  ResourceSet without(const ResourceSet& other, const ResourceGraph& graph) const;

  /// Nodes of the set as ranges, whole and parts together, ascending.
  std::vector<NodeRange> nodes() const;

  friend bool operator==(const ResourceSet&, const ResourceSet&) = default;

 private:
  std::vector<NodeRange> whole_;
  std::vector<NodePart> parts_;
};

}  // namespace tenure::graph
