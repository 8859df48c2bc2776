// Field metrics: loss of capacity, classes of jobs, and how good announced starts were.
//
// docs/metrics.md defines each under the names that the JSON has.
//
// Invariants
//  1. Exact, as in emul/metrics.hpp: nothing is sampled or binned.
//  2. A job without what a metric is about is left out of it, and counted.
//
// loss_of_capacity is O(n log n) in the jobs, the others O(n log n) for their quantiles.
#pragma once

#include <boost/json.hpp>

#include <span>
#include <string_view>

#include "emul/announcements.hpp"
#include "emul/job_record.hpp"
#include "emul/metrics.hpp"

namespace tenure::report {

/// Share of the machine's time that was idle while a job waited that would have fitted into
/// the idle units, 0 … 1.
double loss_of_capacity(std::span<const emul::JobRecord> jobs, const emul::Horizon& horizon);

/// By size: {"class", "jobs", "wait_seconds", "bounded_slowdown"}, of started and ended jobs.
boost::json::array classes_of(std::span<const emul::JobRecord> jobs);

/// {"at_submission": {…}, "over_time_seconds": {…}, "thinned"}.
boost::json::object predictions_of(std::span<const emul::JobRecord> jobs,
                                   const emul::Announcements& announcements);

/// Adds jobs and quality, under the names of docs/metrics.md; `unit` is node or core.
void add_summary(boost::json::object& object, const emul::Summary& summary, std::string_view unit);
/// Adds all that follows from the records; predictions only if there are announcements.
void add_record_metrics(boost::json::object& object, std::span<const emul::JobRecord> jobs,
                        const emul::Horizon& horizon, const emul::Announcements& announcements,
                        std::string_view unit);

/// {"mean", "median", "p95", "max"}.
boost::json::object distribution_json(const emul::Distribution& of);

}  // namespace tenure::report
