// Shapes of RFC 46: "rack/slot=4{task}/[core=2;gpu]" becomes the list of an RFC 14
// jobspec's `resources`.
//
// The result is what parse_resources() reads; counts that are ranges come as RFC 14's
// dictionary, idsets as strings, and a lone slot without a label has the label "default".
// At most kMaxShapeBytes of text and kMaxResourceDepth levels. Linear in the text.
#pragma once

#include <boost/json.hpp>

#include <string_view>

#include "base/result.hpp"

namespace tenure::jobspec {

inline constexpr std::size_t kMaxShapeBytes = 65'536;

/// Errors: `invalid` with the place (bytes from 1) and what is expected there; `limit` for
/// the bounds above. What the keys mean is not checked: parse_resources() does.
Result<boost::json::array> parse_shape(std::string_view text);

}  // namespace tenure::jobspec
