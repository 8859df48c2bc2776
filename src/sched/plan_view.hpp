// The whole plan as JSON: allocations, planned starts, and why the others wait.
//
// One writer for scenarios, snapshots and a live instance, so that they tell the same story;
// how jobs and times are called is up to the caller.
//
//   {"allocations":  [{"id", "start", "end", "ranks", "overrun"?}],
//    "reservations": [{"id", "start", "end", "ranks"}],
//    "unplanned":    [{"id", "reason"}]}
//
// Allocations are in the order of ids, the others in queue order. O(jobs x queues) plus one
// Engine::explain a job without a planned start.
#pragma once

#include <boost/json.hpp>

#include <functional>
#include <string>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "plan/engine.hpp"

namespace tenure::sched {

/// How a plan speaks of jobs and times.
struct PlanTerms {
  std::function<boost::json::value(JobId)> name;
  std::function<boost::json::value(Time)> seconds;  ///< null for never()
  std::function<std::string(const plan::Reason&)> reason;
};

/// Requires a complete pass at `now`.
boost::json::object write_plan(const plan::Engine& engine, Time now, const PlanTerms& terms);

}  // namespace tenure::sched
