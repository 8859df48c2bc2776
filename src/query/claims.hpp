// Claims: what a job holds, read from a text: JGF (whole or shorthand) or an R's `execution`.
//
// JGF: vertices marked exclusive are held; in shorthand all below them as well. Vertices are
// found by their containment path. R: the listed units of each rank, and the node as a whole when
// they are all of its cores and GPUs.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "graph/resource_graph.hpp"
#include "match/tree_matcher.hpp"

namespace tenure::query {

enum class ClaimFormat { jgf, jgf_shorthand, rv1exec };

/// Errors: `invalid` with the word and the known formats.
Result<ClaimFormat> parse_claim_format(std::string_view name);

/// The exclusive vertices. Errors: those of the readers; `not_found` for a path, a rank or a unit
/// that the graph does not have.
Result<std::vector<graph::Vertex>> read_claim(ClaimFormat format, std::string_view text,
                                              const graph::ResourceGraph& graph);

/// The vertices of a job that a part of its R frees: in JGF those marked exclusive (the lowest ones
/// when none is), in R the listed units, and all that the job has on a rank of which it keeps
/// no core and no GPU. Errors: as read_claim().
Result<std::vector<graph::Vertex>> read_part(ClaimFormat format, std::string_view text,
                                             const graph::ResourceGraph& graph,
                                             const match::Selection& held);

/// The graph with the vertices of a JGF that it does not have yet, by path, below those that it
/// has; the old ones keep their uniq_ids. Errors: those of the reader and of GraphBuilder;
/// `invalid` for another root, or a new vertex whose parent is in neither.
Result<graph::ResourceGraph> grow(const graph::ResourceGraph& graph, std::string_view jgf);

}  // namespace tenure::query
