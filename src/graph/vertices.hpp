// Vertices: a resource graph read as RFC 4 has it: vertices with a type, a name, a place.
//
// Everything that walks the graph (tree matcher, writers, query shell) goes through this
// view; it hides where a vertex is stored (interior arrays, target records, shapes, pool
// groups) and computes what is not stored (names, paths). Copying it is copying a pointer.
//
// The containment tree: children come in the order of the input, in which the traversals of
// the formats are defined; targets and trees of pools may alternate below one parent.
// Vertices lost by shrink or removal are skipped by every walk and found by no lookup.
//
// Complexity: walks O(1) a step; attributes O(1), names and paths O(length); find_path
// O(depth x children at each level), but O(log nodes) at targets; find_name and find_uniq_id
// O(vertices) for inner vertices, O(log nodes) for hosts.
// The graph must outlive the view; any change of it but of status and properties
// invalidates Vertex values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/resource_graph.hpp"
#include "graph/topology.hpp"
#include "graph/vertex.hpp"

namespace tenure::graph {

class Vertices {
 public:
  explicit Vertices(const ResourceGraph& graph) : graph_(&graph) {}
  const ResourceGraph& graph() const { return *graph_; }

  // Structure

  Vertex root() const { return Vertex::interior(0); }
  /// nullopt for the root, and for roots of auxiliary subsystems.
  std::optional<Vertex> parent(Vertex v) const;
  /// Calls fn(Vertex) for each child in order.
  template <class Fn>
  void for_each_child(Vertex v, Fn&& fn) const;
  std::vector<Vertex> children(Vertex v) const;
  bool has_children(Vertex v) const;
  /// Calls fn(Vertex) for v and everything below in preorder; fn returns false to leave out
  /// what is below the vertex. Does not recurse: depth is bounded by memory only.
  template <class Fn>
  void for_each_in_preorder(Vertex v, Fn&& fn) const;
  /// The target that v is or is inside of, or nullopt (interior, pool group).
  std::optional<NodeIndex> target_of(Vertex v) const;
  /// Holders (targets and pool groups) with something in the subtree of an interior vertex.
  NodeSet holders_below(Vertex v) const;
  /// 0 for the root.
  std::uint32_t depth(Vertex v) const;
  /// False for a vertex that only an auxiliary subsystem has.
  bool is_contained(Vertex v) const;
  /// Vertices of the containment tree, lost ones left out. O(nodes).
  std::uint64_t count() const;
  /// Vertices of a type below (and including) v. O(nodes).
  std::uint64_t count(Vertex v, std::string_view type) const;

  // Attributes

  const std::string& type(Vertex v) const;
  const std::string& basename(Vertex v) const;
  std::string name(Vertex v) const;
  std::int64_t id(Vertex v) const;       ///< -1: none
  std::int64_t uniq_id(Vertex v) const;  ///< unique in the graph
  std::int64_t rank(Vertex v) const;     ///< as in the input; -1: none
  std::int64_t size(Vertex v) const;
  const std::string& unit(Vertex v) const;
  /// "/cluster0/rack1/node3" in the containment subsystem.
  std::string path(Vertex v) const;
  /// The path in a named subsystem, or nullopt when v is not in it.
  std::optional<std::string> path(Vertex v, std::string_view subsystem) const;
  /// Properties with their values ("" for the plain properties of an R), by name.
  std::map<std::string, std::string> properties(Vertex v) const;
  std::optional<std::string> property(Vertex v, std::string_view name) const;

  // State

  /// The vertex's own status.
  Status status(Vertex v) const;
  /// Up, with everything above it.
  bool is_usable(Vertex v) const;
  /// Neither lost itself nor below a lost vertex.
  bool is_present(Vertex v) const;

  // Lookup

  /// In any subsystem: "/cluster0/rack1/node3/socket1/core7".
  std::optional<Vertex> find_path(std::string_view path) const;
  /// In preorder. Host names are names of targets.
  std::vector<Vertex> find_name(std::string_view name) const;
  std::vector<Vertex> find_type(std::string_view type) const;
  std::optional<Vertex> find_rank(Rank rank) const;
  std::optional<Vertex> find_uniq_id(std::int64_t uniq_id) const;

 private:
  const Topology& topology() const { return graph_->topology(); }
  const VertexKind* kind(Vertex v) const;  ///< nullptr inside a flat shape
  std::optional<Vertex> find_below(Vertex v, std::string_view name) const;
  std::optional<Vertex> find_path_in(const Subsystem& subsystem, std::string_view path) const;

  const ResourceGraph* graph_;
};

template <class Fn>
void Vertices::for_each_child(Vertex v, Fn&& fn) const {
  if (v.is_interior()) {
    for (const Vertex child : topology().children(v.index())) {
      if (!graph_->is_lost(child)) fn(child);
    }
    return;
  }
  const Shape& shape = graph_->shape_of(v.holder());
  const std::uint32_t end = shape.subtree_end(v.local());
  for (std::uint32_t l = v.local() + 1; l < end; l = shape.subtree_end(l)) {
    const Vertex child = Vertex::inside(v.holder(), l);
    if (!graph_->is_lost(child)) fn(child);
  }
}

template <class Fn>
void Vertices::for_each_in_preorder(Vertex v, Fn&& fn) const {
  std::vector<Vertex> ahead{v};
  while (!ahead.empty()) {
    const Vertex top = ahead.back();
    ahead.pop_back();
    if (top.is_interior()) {
      if (!fn(top)) continue;
      const auto children = topology().children(top.index());
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        if (!graph_->is_lost(*child)) ahead.push_back(*child);
      }
      continue;
    }
    const Shape& shape = graph_->shape_of(top.holder());
    const std::uint32_t end = shape.subtree_end(top.local());
    for (std::uint32_t l = top.local(); l < end;) {
      const Vertex below = Vertex::inside(top.holder(), l);
      const bool descend = !graph_->is_lost(below) && fn(below);
      l = descend ? l + 1 : shape.subtree_end(l);
    }
  }
}

}  // namespace tenure::graph
