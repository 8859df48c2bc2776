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

/// Most bytes of all these names together: a long prefix costs its length for every host.
inline constexpr std::size_t kMaxHostBytes = 268'435'456;

/// Expands a hostlist into its names in order. O(length of the result); both bounds are
/// checked before a range is expanded. As the RFC has it, an empty expression is an empty
/// list ("a,,b" is a and b), and only the first element of brackets sets the width.
/// Errors: `invalid` (unbalanced brackets, bad character, range backwards) with the text;
/// `limit` when it would exceed kMaxHosts or kMaxHostBytes.
Result<std::vector<std::string>> parse_hostlist(std::string_view text);

/// Compresses names, in the given order, into a hostlist string: consecutive numbers of
/// one prefix (and width) become ranges. Requires names that a hostlist can hold: not empty,
/// printable, without white space, comma and brackets; then
/// parse_hostlist(format_hostlist(x)) == x. O(length).
std::string format_hostlist(std::span<const std::string> hosts);

}  // namespace tenure
