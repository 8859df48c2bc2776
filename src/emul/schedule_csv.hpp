// schedule_csv: the whole replay as one row, with the column names of Batsim's _schedule.csv.
//
// The numbers are those of metrics.hpp; docs/traces.md describes each column. What the
// emulation does not know (energy, sleeping machines) is 0.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "emul/job_record.hpp"
#include "emul/metrics.hpp"

namespace tenure::emul {

/// What the records do not say.
struct ScheduleCsvOptions {
  Horizon horizon;
  std::string_view version;       ///< of the program
  double scheduling_seconds = 0;  ///< wall time of all passes
  double simulation_seconds = 0;  ///< wall time of the replay
};

/// The file as text. O(n log n).
std::string format_schedule_csv(std::span<const JobRecord> jobs, const ScheduleCsvOptions& options);

}  // namespace tenure::emul
