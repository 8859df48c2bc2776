// GRUG: recipes from which resource graphs are generated (GraphML).
//
// A recipe node describes a kind of vertex (type, basename, size, unit), an edge how many of
// them stand below each vertex of another kind:
//  - MULTIPLY makes multi_scale vertices below each; their ids count from id_start in steps of
//    id_stride, afresh below the ancestor that is id_scope levels above the parent (0: the
//    parent itself);
//  - ASSOCIATE_IN relates each vertex of the source to each of the target;
//  - ASSOCIATE_BY_PATH_IN only those whose ancestors, as_src_uplvl and as_tgt_uplvl levels up in
//    as_tgt_subsystem, are the same vertex.
// Kinds are generated in depth-first order of the recipe, each wholly before the next, which
// gives uniq_ids; vertices of type node get the ranks 0, 1, 2, … in that order.
//
// Errors: `invalid` for XML that is none, a missing root, unknown words, dangling edges and
// recipes with a cycle; `limit` for more vertices or relations than allowed, before they are
// made.
// O(vertices + relations).
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "graph/resource_graph.hpp"

namespace tenure::graph {

/// How much a recipe, which is short, may generate.
struct GrugLimits {
  std::uint64_t vertices = kMaxVertices;  ///< at most kMaxVertices
  std::uint64_t relations = 20'000'000;   ///< edges of ASSOCIATE_IN and ASSOCIATE_BY_PATH_IN
};

Result<ResourceGraph> read_grug(std::string_view text, const GrugLimits& limits = {});

}  // namespace tenure::graph
