#include "emul/schedule_csv.hpp"

#include <fmt/format.h>

#include <iterator>

namespace tenure::emul {
namespace {

constexpr double kSecondsInHour = 3600;

/// Two lines, of names and of values.
class Row {
 public:
  template <class T>
  void add(std::string_view name, const T& value) {
    fmt::format_to(std::back_inserter(names_), "{}{}", names_.empty() ? "" : ",", name);
    fmt::format_to(std::back_inserter(values_), "{}{}", values_.empty() ? "" : ",", value);
  }
  std::string text() const { return names_ + "\n" + values_ + "\n"; }

 private:
  std::string names_;
  std::string values_;
};

}  // namespace

std::string format_schedule_csv(std::span<const JobRecord> jobs,
                                const ScheduleCsvOptions& options) {
  const Summary summary = summarise(jobs, options.horizon);
  const JobCounts& counts = summary.jobs;
  const double computing = summary.held.value * kSecondsInHour;
  const double offered = static_cast<double>(options.horizon.units) * summary.makespan.to_seconds();
  const auto submitted = static_cast<double>(counts.submitted);
  Row row;
  row.add("batsim_version", options.version);
  row.add("consumed_joules", 0);
  row.add("makespan", summary.makespan.to_seconds());
  row.add("max_slowdown", summary.slowdown.max);
  row.add("max_turnaround_time", summary.turnaround.max);
  row.add("max_waiting_time", summary.wait.max);
  row.add("mean_slowdown", summary.slowdown.mean);
  row.add("mean_turnaround_time", summary.turnaround.mean);
  row.add("mean_waiting_time", summary.wait.mean);
  row.add("nb_computing_machines", options.horizon.units);
  row.add("nb_grouped_switches", 0);
  row.add("nb_jobs", counts.submitted);
  row.add("nb_jobs_finished", counts.submitted - counts.running - counts.waiting);
  row.add("nb_jobs_killed", counts.killed + counts.canceled);
  row.add("nb_jobs_rejected", counts.refused);
  row.add("nb_jobs_success", counts.done);
  row.add("nb_machine_switches", 0);
  row.add("scheduling_time", options.scheduling_seconds);
  row.add("simulation_time", options.simulation_seconds);
  row.add("success_rate",
          counts.submitted > 0 ? static_cast<double>(counts.done) / submitted : 0.0);
  row.add("time_computing", computing);
  row.add("time_idle", offered - computing);
  row.add("time_sleeping", 0);
  row.add("time_switching_off", 0);
  row.add("time_switching_on", 0);
  return row.text();
}

}  // namespace tenure::emul
