// ResourceGraph: the machine. Nodes with shared shapes, properties and up/down state.
//
// Nodes, ranks, hosts and properties are reached by the same indices whatever format the
// graph was read from. The tree above the nodes (racks, …), auxiliary subsystems and pools
// with quantities (RFC 4) are in its topology; Vertices (graph/vertices.hpp) reads the whole
// as vertices.
//
// Invariants
//  1. Nodes with a rank (execution targets) are numbered 0 .. target_count()-1 in ascending
//     rank order; pool groups (graph/topology.hpp) follow up to node_count(). Numbers never
//     change: a node lost by shrink stays as a tombstone that is neither present nor up.
//  2. up is a subset of present, present of the targets: sets of nodes never have a pool
//     group, unless it is said. A new graph has every node present and down (R1 of the
//     cases: everything is down except the ranks in the first `up`), and everything else up.
//  3. generation() grows with every change of presence, up state or properties; whatever
//     is cached by a matcher is valid for one generation.
//  4. Several nodes may carry one host name (M5); the rank tells them apart.
//  5. A node is up when it, and all that is above it, is up.
//  6. A node costs its rank, its shape number and its host name, whatever is inside it;
//     a property or a shape costs one bit a node.
//
// Not thread-safe for writing. Lookups are O(log n) by rank and by host (O(1) by rank when
// ranks have no gaps), O(log properties) by property. A copy is independent and costs
// O(nodes); updates are O(ranges log n + nodes / 64).
// Sources: RFC 4, RFC 20, RFC 28, RFC 31.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/idset.hpp"
#include "base/result.hpp"
#include "graph/node_set.hpp"
#include "graph/resource_set.hpp"
#include "graph/shape.hpp"
#include "graph/topology.hpp"
#include "graph/vertex.hpp"

namespace tenure::graph {

/// Most nodes a graph may have; readers refuse more with a `limit` error.
inline constexpr std::uint32_t kMaxNodes = 4'194'304;
/// Most bits that the node sets of all shapes may take together (512 MiB).
inline constexpr std::uint64_t kMaxShapeBits = std::uint64_t{1} << 32;
/// The same for properties.
inline constexpr std::uint64_t kMaxPropertyBits = std::uint64_t{1} << 32;

/// Rank of a pool group, which no node has.
inline constexpr Rank kNoRank{0xffffffffU};

struct Node {
  Rank rank;
  ShapeId shape;
  std::string host;
};

class ResourceGraph {
 public:
  /// Collects nodes in any order, then builds. Used by the readers in formats/.
  class Builder;

  ResourceGraph();  ///< a machine without nodes

  /// Targets and pool groups: the size of every NodeSet of the graph.
  std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes_.size()); }
  /// Nodes with a rank.
  std::uint32_t target_count() const { return topology_->target_count(); }
  const Node& node(NodeIndex index) const { return nodes_[index.value()]; }
  /// The nodes with a rank, in rank order.
  std::span<const Node> nodes() const { return std::span(nodes_).first(target_count()); }
  const Shape& shape(ShapeId id) const { return shapes_[id.value()]; }
  const Shape& shape_of(NodeIndex index) const { return shape(node(index).shape); }
  std::span<const Shape> shapes() const { return shapes_; }
  /// Nodes with the shape, lost ones included.
  const NodeSet& nodes_of_shape(ShapeId id) const { return nodes_of_shape_[id.value()]; }

  std::optional<NodeIndex> find_rank(Rank rank) const;
  /// All nodes with the host name, ascending; empty when unknown.
  std::span<const NodeIndex> find_host(std::string_view host) const;
  /// Nodes with the property, or nullptr when no node ever had it.
  const NodeSet* find_property(std::string_view name) const;
  const std::map<std::string, NodeSet, std::less<>>& properties() const { return properties_; }
  /// "node", or a type that some shape has units of.
  bool has_type(std::string_view type) const;

  const NodeSet& present() const { return present_; }  ///< not lost by shrink
  const NodeSet& up() const { return up_; }
  std::uint64_t generation() const { return generation_; }

  /// Nodes with these ranks; ranks that the graph does not have are left out.
  NodeSet nodes_with_ranks(const Idset& ranks) const;
  /// Nodes with ranks first .. last, or nullopt when there is none. O(log n).
  std::optional<NodeRange> nodes_in_ranks(Idset::Range ranks) const;
  /// Ranks of a set of nodes.
  Idset ranks_of(const NodeSet& nodes) const;
  Idset ranks_of(const ResourceSet& set) const;

  /// RFC 28 updates. Unknown ranks are ignored, as are lost nodes and repetitions; each
  /// returns the nodes whose state really changed.
  NodeSet mark_up(const Idset& ranks);
  /// All nodes but those that the input called down: the state of a graph in the query shell.
  NodeSet mark_up_all();
  /// Nodes that the input called down, ascending.
  std::span<const NodeIndex> down_in_input() const { return down_in_input_; }
  NodeSet mark_down(const Idset& ranks);
  NodeSet shrink(const Idset& ranks);
  /// Returns the nodes that gained (lost) the property.
  NodeSet add_property(std::string_view name, const Idset& ranks);
  NodeSet remove_property(std::string_view name, const Idset& ranks);

  /// A set of all units of the given nodes.
  ResourceSet whole_nodes(const NodeSet& nodes) const;

  // The graph as vertices (RFC 4); see Vertices for reading.

  const Topology& topology() const { return *topology_; }
  /// The vertex's own status.
  Status status(Vertex v) const;
  /// A vertex that is down makes all that is below it unusable. True when it changed.
  bool set_status(Vertex v, Status status);
  /// Units of a holder that are down or lost, with everything below them; nullptr when none
  /// is (the usual case). Status above the holder is not in it.
  const UnitMask* unusable_units(NodeIndex holder) const;
  /// Properties of a vertex: of targets they are the node's, "" when without a value.
  std::map<std::string, std::string> properties_of(Vertex v) const;
  std::optional<std::string> property_of(Vertex v, std::string_view name) const;
  /// True when it changed.
  bool set_property(Vertex v, std::string_view name, std::string_view value);
  bool remove_property(Vertex v, std::string_view name);
  /// Shrink by path: the vertex and all below it are lost. Returns the nodes lost by it.
  /// Errors: `invalid` for the root.
  Result<NodeSet> remove(Vertex v);
  bool is_lost(Vertex v) const;

 private:
  friend class GraphBuilder;
  void index_hosts();
  /// Applies own_up_, blocked_ and present_ to up_; returns the nodes that changed.
  NodeSet update_up();
  void update_blocked();
  void update_unusable(NodeIndex holder);
  void forget_value(Vertex v, std::string_view name);

  std::vector<Node> nodes_;  ///< ascending by rank
  std::vector<Shape> shapes_;
  std::vector<NodeSet> nodes_of_shape_;
  /// Nodes ordered by (hash of the host, host, index), and those hashes.
  std::vector<NodeIndex> by_host_;
  std::vector<std::size_t> host_hashes_;
  std::map<std::string, NodeSet, std::less<>> properties_;
  NodeSet present_;
  NodeSet up_;
  std::uint64_t generation_ = 0;
  std::shared_ptr<const Topology> topology_;
  NodeSet own_up_;   ///< up by themselves, whatever is above them
  NodeSet blocked_;  ///< below an interior vertex that is down
  std::vector<NodeIndex> down_in_input_;
  std::vector<Vertex> down_;  ///< interior and inner vertices set down, ordered
  std::vector<Vertex> lost_;  ///< interior and inner vertices removed, ordered
  std::map<NodeIndex, UnitMask> unusable_;
  /// Properties of interior and inner vertices, and values of those of targets.
  std::map<Vertex, std::map<std::string, std::string, std::less<>>> vertex_properties_;
};

class ResourceGraph::Builder {
 public:
  /// Finds or adds a shape. Pools may come in any order, with ids in any order; empty ones
  /// are dropped and several of one type are one pool. O(units) expected.
  ShapeId add_shape(std::vector<Pool> pools);
  /// The same for a shape that satisfies its invariants.
  ShapeId add_tree_shape(Shape shape);
  void add_node(Rank rank, std::string host, ShapeId shape);
  /// Several calls with one name add up.
  void add_property(std::string name, const Idset& ranks);
  void reserve(std::size_t nodes) { nodes_.reserve(nodes); }
  /// Errors: `invalid` for a rank given twice, or a property on a rank that no node has;
  /// `limit` beyond kMaxNodes, kMaxUnits or kMaxShapeBits. O(n log n), O(n) when the nodes
  /// came in rank order.
  Result<ResourceGraph> build() &&;
  /// The same with a tree above the nodes. Requires the nodes in rank order with the pool
  /// groups behind them, as `topology` numbers them.
  Result<ResourceGraph> build(Topology topology) &&;

 private:
  Result<void> check() const;

  std::vector<Node> nodes_;
  std::vector<Shape> shapes_;
  boost::unordered_flat_map<std::size_t, std::vector<ShapeId>> shapes_by_hash_;
  std::vector<std::pair<std::string, Idset>> properties_;
};

}  // namespace tenure::graph
