// Drawings of a graph's outline: a box for each kind of vertex, with how many of them are below
// each of the kind above. Never of a million vertices.
//
// DOT is Graphviz'. SVG is drawn here, a row of boxes a level. GraphML is a GRUG recipe
// (graph/formats/grug.hpp): what is read from it has the same outline. Names and relations that
// an outline does not fix are generated: ids count from 0, relations of other subsystems are
// kept where everything of one kind is related to everything of the other.
//
// O(kinds + what is below them).
#pragma once

#include <string>

#include "graph/outline.hpp"

namespace tenure::graph {

/// Most kinds that are drawn.
inline constexpr std::size_t kMaxDrawnKinds = 500;

/// Each: `limit` for more than kMaxDrawnKinds kinds.
Result<std::string> draw_dot(const Outline& outline);
Result<std::string> draw_svg(const Outline& outline);
Result<std::string> write_recipe(const Outline& outline);

}  // namespace tenure::graph
