// Options of the planner: one struct whose comments are the manual.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "match/matcher.hpp"

namespace tenure::plan {

/// One sequential planner; the policies differ only in how many future starts it makes.
enum class QueuePolicy {
  fcfs,          ///< none, and the pass stops at the first job that has to wait
  easy,          ///< one: the first job that has to wait
  hybrid,        ///< reservation_depth of them
  conservative,  ///< one for every job within queue_depth
};

/// Errors: `invalid` with the name and the known policies.
Result<QueuePolicy> parse_queue_policy(std::string_view name);
std::string_view to_string(QueuePolicy policy);

/// A depth without bound.
inline constexpr std::uint64_t kUnlimitedDepth = std::numeric_limits<std::uint64_t>::max();

/// How many future starts a policy allows; `reservation_depth` matters for hybrid alone.
std::uint64_t future_starts(QueuePolicy policy, std::uint64_t reservation_depth);

/// A named queue (RFC 33). Absent values are those of Options.
struct QueueOptions {
  std::string name;
  /// A virtual queue: its jobs are planned with those of the parent, in one order.
  std::string parent;
  std::optional<QueuePolicy> policy;
  std::optional<std::uint64_t> queue_depth;
  std::optional<std::uint64_t> reservation_depth;

  friend bool operator==(const QueueOptions&, const QueueOptions&) = default;
};

struct Options {
  QueuePolicy policy = QueuePolicy::easy;
  /// Waiting jobs looked at per pass. Jobs that start, and jobs that cannot be planned at
  /// all, do not count. 1 … kUnlimitedDepth.
  std::uint64_t queue_depth = 1024;
  /// Future starts per pass under `hybrid`. 0 … kUnlimitedDepth.
  std::uint64_t reservation_depth = 64;
  match::Policy match_policy = match::Policy::first;
  /// Assumed rest of a job that is past its end and was not freed. At least 1 us.
  Duration overrun_estimate = Duration::seconds(60);
  /// Named queues; none: one anonymous queue. All jobs are planned in one order, whatever
  /// their queue; policy and depths count queue by queue.
  std::vector<QueueOptions> queues{};

  friend bool operator==(const Options&, const Options&) = default;
};

}  // namespace tenure::plan
