// Graphs from files, in any format that there is a reader for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "graph/resource_graph.hpp"

namespace tenure::cli {

enum class GraphFormat { grug, hwloc, jgf, rv1exec };

/// By the names of resource-query: jgf_shorthand and rv1exec_force as well.
std::optional<GraphFormat> parse_graph_format(std::string_view name);

/// Errors: `io`, or those of the reader, with the file.
Result<graph::ResourceGraph> load_graph(const std::string& file, GraphFormat format);

/// Time, vertices, edges and ranks of a graph that was loaded, on standard output.
void show_load_figures(const graph::ResourceGraph& graph, double seconds);

}  // namespace tenure::cli
