// Emission: the text of a selection in the formats of the query shell.
//
// Formats: simple and pretty_simple for people, JGF (RFC 40) whole and without what lies below
// exclusive vertices, R_lite alone, R (RFC 20) with and without a scheduling key. Vertices come
// in postorder, children in the order of the graph; pretty_simple is the reverse of simple.
// O(vertices log vertices), each with the length of its path.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "graph/vertices.hpp"
#include "match/tree_matcher.hpp"

namespace tenure::query {

enum class Format {
  simple,
  pretty_simple,
  jgf,
  jgf_shorthand,
  rlite,
  rv1,
  rv1_nosched,
  rv1_shorthand,
};

/// Errors: `invalid` with the word and the known formats.
Result<Format> parse_format(std::string_view name);

struct Emission {
  const graph::ResourceGraph* graph = nullptr;
  /// In preorder, with all vertices above.
  const std::vector<match::Grant>* granted = nullptr;
  Span span{};
  std::string queue{};  ///< empty: none
  /// Further metadata of a vertex in JGF; may be empty.
  std::function<boost::json::object(graph::Vertex)> extra{};
};

/// One line or more, each with its end; empty when nothing is granted. Errors: `invalid` when
/// the format can hold nothing of what is granted (R_lite has only cores and GPUs of nodes).
Result<std::string> emit(Format format, const Emission& emission);

/// Whole seconds, rounded up.
std::int64_t whole_seconds(Time time);

}  // namespace tenure::query
