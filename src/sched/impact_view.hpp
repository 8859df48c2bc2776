// The impact of another end as JSON, for scenarios, the command line and a live instance.
//
//   {"ok": true, "end", "delayed": [{"id", "from", "to", "delay"}], "advanced": [likewise],
//    "conflicts": [], "free_until"}
//
// A refused end has "ok": false and its "error" instead of the lists. `to` is null for a job
// that has no planned start any more, `from` for one that had none; `delay` is null then.
// Linear in the number of jobs named.
#pragma once

#include <boost/json.hpp>

#include "plan/impact.hpp"
#include "sched/plan_view.hpp"

namespace tenure::sched {

/// `free` absent: not asked for.
boost::json::object write_impact(const plan::Impact& impact,
                                 const std::optional<plan::FreeUntil>& free,
                                 const PlanTerms& terms);

/// What each end behind free_until costs: [{"end", "delayed", "lost", "worst", "total",
/// "node_hours"}], durations in seconds.
boost::json::array write_frontier(const plan::Frontier& frontier, const PlanTerms& terms);

/// {"delayed", "lost", "worst", "total", "node_hours"}.
boost::json::object write_cost(const plan::Cost& cost);

}  // namespace tenure::sched
