// Writing a graph in any of the formats, by name.
//
//   r              R (RFC 20), with the tree as JGF in `scheduling` when the graph has one
//   rv1exec        R without `scheduling`
//   treepool       R with a TreePool topology (RFC 49)
//   jgf            JGF (RFC 40)
//   jgf_shorthand  JGF in which nodes and pools stand for what is in them
//   dot, svg       drawings of the outline (graph/formats/drawing.hpp)
//   graphml        a GRUG recipe with the same outline
//
// O(text), written in pieces.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "graph/formats/jgf_writer.hpp"
#include "graph/formats/r.hpp"
#include "graph/resource_graph.hpp"

namespace tenure::graph {

enum class GraphOutput { r, rv1exec, treepool, jgf, jgf_shorthand, dot, svg, graphml };

/// Errors: `invalid` with the names that there are.
Result<GraphOutput> parse_graph_output(std::string_view name);

/// Every text ends with a line end; vertices have the status that they have in the graph.
/// Errors: `unsupported` for an R of a graph without nodes, `limit` for a drawing of an
/// irregular graph; nothing is written then.
Result<void> write_graph(const ResourceGraph& graph, GraphOutput output, const RTimes& times,
                         const TextSink& sink);

}  // namespace tenure::graph
