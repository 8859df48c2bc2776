// Puts the vertices of one graph into the builder of another: for graphs that are cut to what
// an R names, and for graphs that grow.
//
// Copies the present vertices with status, properties and uniq_ids, and the relations between
// those that are copied; vertices outside of containment come along when a relation does.
// The status of a node is what the input said of it, not whether it is up now.
// O(vertices + relations).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <functional>

#include "graph/graph_builder.hpp"
#include "graph/vertices.hpp"

namespace tenure::graph {

/// Whether a vertex is copied; one that is not takes all that is below it along. The
/// specification may be changed.
using VertexEdit = std::function<bool(Vertex, VertexSpec&)>;

/// Errors: those of GraphBuilder::add().
Result<boost::unordered_flat_map<Vertex, GraphBuilder::Handle>> copy_vertices(
    const ResourceGraph& graph, GraphBuilder& builder, const VertexEdit& edit);

}  // namespace tenure::graph
