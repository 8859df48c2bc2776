// Hostlists in the form of RFC 29: "node[0-3,7],login1".
//
// A hostlist is an ordered list of names with repetitions allowed. Numbers keep their
// leading zeroes and may exceed 64 bits ("h4294967297", S2 of the cases): they are
// treated as text of digits. Expansion is bounded by kMaxHosts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tenure {

/// Most host names one hostlist may expand to; beyond it parsing is a `limit` error.
inline constexpr std::size_t kMaxHosts = 4'194'304;

/// Expands a hostlist into its names in order. O(length of the result).
/// Errors: `invalid` (unbalanced brackets, bad character, range backwards) with the text;
/// `limit` when it would exceed kMaxHosts.
Result<std::vector<std::string>> parse_hostlist(std::string_view text);

/// Compresses names, in the given order, into a hostlist string: consecutive numbers of
/// one prefix (and width) become ranges. parse_hostlist(format_hostlist(x)) == x.
std::string format_hostlist(std::span<const std::string> hosts);

}  // namespace tenure
