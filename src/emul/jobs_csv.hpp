// jobs_csv: one row a job, with the column names of Batsim's _jobs.csv.
//
// Times are seconds since the start of the trace. A field that has no value yet is empty.
// final_state is one of COMPLETED_SUCCESSFULLY, COMPLETED_WALLTIME_REACHED, REJECTED,
// RUNNING, SUBMITTED and NOT_SUBMITTED. docs/traces.md describes each column.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "emul/job_record.hpp"

namespace tenure::emul {

/// What all rows have in common.
struct JobsCsvOptions {
  std::string workload;  ///< its name
  Time epoch;            ///< time 0 of the trace
};

/// The file as text. O(n).
std::string format_jobs_csv(std::span<const JobRecord> jobs, const JobsCsvOptions& options);

/// Writes under a temporary name in the same folder, then renames: the file is there whole
/// or not at all. Errors: `io` naming the file.
Result<void> write_jobs_csv(const std::string& path, std::span<const JobRecord> jobs,
                            const JobsCsvOptions& options);

}  // namespace tenure::emul
