// Writing a replay in Standard Workload Format (version 2.2), so that what reads traces reads it.
//
// https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
//
// Invariants
//  1. The header has Version, MaxJobs, MaxRecords, UnixStartTime, MaxNodes and MaxProcs of the
//     replay; other comments of the trace follow as they came.
//  2. read_workload() of the text has the jobs of the replay, in its order, with the walltimes
//     asked for and the run times that the replay gave them.
//  3. Times are rounded to whole seconds since the start of the trace, start and end each by
//     itself, so that waits and run times add up.
//
// O(n).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "emul/job_record.hpp"
#include "emul/workload.hpp"

namespace tenure::emul {

struct SwfOptions {
  const SwfHeader* header = nullptr;  ///< of the trace; may be null
  Time epoch;                         ///< time 0 of the trace
  MachineShape machine;
  std::uint64_t procs_per_unit = 1;  ///< of what a job holds
  std::string_view note;             ///< which replay this is, in a line
};

std::string format_swf(std::span<const JobRecord> jobs, const SwfOptions& options);

}  // namespace tenure::emul
