// Constraint queries of RFC 35: "amd|host:node[1-4]&-drained" becomes an RFC 31 object.
//
// Binding, tightest first: `-term`, `not`, and (`&`, `&&`, `and`, nothing at all), or (`|`,
// `||`, `or`). One chain of equal operators is one object; parentheses keep theirs. Words
// and, or and not are operators unless quoted; quotes are ' or ".
//
// At most kMaxQueryBytes of text and kMaxConstraintDepth levels. Linear in the text.
#pragma once

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "jobspec/constraint.hpp"

namespace tenure::jobspec {

inline constexpr std::size_t kMaxQueryBytes = 1'048'576;

struct QuerySyntax {
  std::string default_operator = "properties";  ///< of terms without "operator:"; empty: none
  /// Short names and what they stand for.
  std::vector<std::pair<std::string, std::string>> aliases = {
      {"property", "properties"}, {"host", "hostlist"}, {"hosts", "hostlist"}, {"rank", "ranks"}};
};

/// The object for a query; {} for an empty one. Errors: `invalid` with the place (bytes from
/// 1) and what is expected there; `limit` for the bounds above.
Result<boost::json::value> parse_query(std::string_view text, const QuerySyntax& syntax = {});

}  // namespace tenure::jobspec
