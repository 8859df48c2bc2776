// ExtendRule: how users whose job would be killed by its limit ask for more time.
//
// "lead=10m,amount=1h,max=3": 10 minutes before the job ends, ask for one more hour, at
// most three times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace tenure::emul {

struct ExtendRule {
  /// Before the present end. A job with less time than this left asks at once.
  Duration lead = Duration::seconds(600);
  Duration amount = Duration::seconds(3600);
  /// Instead of `amount`: a part of the walltime first asked for, in thousandths of a percent.
  std::optional<std::int64_t> amount_millipercent;
  std::uint32_t max = 1;  ///< requests a job

  /// What a job with this walltime asks for; at least 1 us.
  Duration amount_for(Duration walltime) const;

  friend bool operator==(const ExtendRule&, const ExtendRule&) = default;
};

/// `lead` and `max` may be left out: 10m and 1. `amount` is an FSD or a percentage such as
/// 25% (up to three decimals). Errors: `invalid` with the part, its value and what would be
/// valid.
Result<ExtendRule> parse_extend_rule(std::string_view text);

/// The same in words: "1h more, 10m before the end, at most 3 times".
std::string describe(const ExtendRule& rule);

}  // namespace tenure::emul
