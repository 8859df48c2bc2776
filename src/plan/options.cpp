#include "plan/options.hpp"

namespace tenure::plan {

Result<QueuePolicy> parse_queue_policy(std::string_view name) {
  if (name == "fcfs") return QueuePolicy::fcfs;
  if (name == "easy") return QueuePolicy::easy;
  if (name == "hybrid") return QueuePolicy::hybrid;
  if (name == "conservative") return QueuePolicy::conservative;
  return failure(ErrorCode::invalid, "{} is not a queue policy: fcfs, easy, hybrid, conservative",
                 in_quotes(name));
}

std::string_view to_string(QueuePolicy policy) {
  switch (policy) {
    case QueuePolicy::fcfs:
      return "fcfs";
    case QueuePolicy::easy:
      return "easy";
    case QueuePolicy::hybrid:
      return "hybrid";
    case QueuePolicy::conservative:
      return "conservative";
  }
  return "unknown";
}

std::uint64_t future_starts(QueuePolicy policy, std::uint64_t reservation_depth) {
  switch (policy) {
    case QueuePolicy::fcfs:
      return 0;
    case QueuePolicy::easy:
      return 1;
    case QueuePolicy::hybrid:
      return reservation_depth;
    case QueuePolicy::conservative:
      return kUnlimitedDepth;
  }
  return 0;
}

}  // namespace tenure::plan
