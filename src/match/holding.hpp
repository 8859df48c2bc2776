// Holding: the resources that exclusive vertices hold, closed downwards (graph/shape.hpp).
#pragma once

#include <map>

#include "graph/resource_set.hpp"
#include "graph/vertices.hpp"

namespace tenure::match {

class Holding {
 public:
  /// The graph must outlive it.
  explicit Holding(const graph::ResourceGraph& graph) : graph_(&graph), vertices_(graph) {}

  /// Holds the vertex and all below it. O(units), O(nodes below) for interior vertices.
  void add(graph::Vertex v);
  /// The targets with something held.
  std::vector<NodeIndex> targets() const;
  /// What is held. O(nodes touched).
  graph::ResourceSet resources() const;

 private:
  void add(NodeIndex holder, std::uint32_t local);

  struct Held {
    graph::UnitMask units;
    bool is_whole = false;
  };
  const graph::ResourceGraph* graph_;
  graph::Vertices vertices_;
  std::map<NodeIndex, Held> held_;
};

}  // namespace tenure::match
