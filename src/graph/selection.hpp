// Selection: what a match grants, vertex by vertex, as the writers print it.
//
// What is *held* is a ResourceSet (bits, closed downwards); what is *granted* may be less: a
// slot of node -> core[2] holds the whole node and grants the node and two cores. A match
// result therefore carries both.
//
// Invariants
//  1. `grants` are distinct. Order does not matter: writers print in the order of the graph.
//  2. Ancestors need not be named: every ancestor of a grant that is not granted itself is
//     written as shared.
#pragma once

#include <vector>

#include "graph/vertex.hpp"

namespace tenure::graph {

enum class Grant {
  shared,     ///< used, not taken: [1:s]
  exclusive,  ///< taken: [1:x]
  whole,      ///< taken with everything below it, all written as exclusive
};

struct Granted {
  Vertex vertex;
  Grant grant = Grant::exclusive;

  friend bool operator==(const Granted&, const Granted&) = default;
};

struct Selection {
  std::vector<Granted> grants;

  bool empty() const { return grants.empty(); }
  friend bool operator==(const Selection&, const Selection&) = default;
};

}  // namespace tenure::graph
