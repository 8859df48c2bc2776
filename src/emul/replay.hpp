// Replay: a workload on the emulated instance, under a policy.
//
// Jobs are submitted lazily in time order; messages go as values (Link::direct), without
// annotations and without the invariant checker, so that the time is the planner's. Jobs
// with equal requests share one jobspec.
//
// Requests: by default whole nodes, ceil(procs / cores a node) of them, exclusively; with
// Sharing::cores one slot of one core a processor, anywhere.
//
// With an extension rule, a running job that its limit would kill asks for more through
// Instance::update_duration, as `flux update ID duration=+…` does: sched.expiration decides.
// At one time the order is: ends, requests for more time (by job id), submissions, a pass.
//
// Invariants
//  1. Two replays of the same workload with the same options give the same records.
//  2. Each job of the workload has exactly one record, at its place in the workload.
//
// O(events log events) plus the passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "emul/announcements.hpp"
#include "emul/extend_rule.hpp"
#include "emul/job_record.hpp"
#include "emul/metrics.hpp"
#include "emul/workload.hpp"
#include "plan/engine.hpp"
#include "sched/config.hpp"

namespace tenure::emul {

enum class Sharing {
  nodes,  ///< a job holds whole nodes
  cores   ///< a job holds cores; nodes are shared
};

/// Whether the records say which ranks a job held.
enum class KeepRanks { no, yes };
/// Whether the planned starts of waiting jobs are written down as they change.
enum class KeepAnnouncements { no, yes };

/// Jobs that need nothing any more, of all.
using Progress = std::function<void(std::size_t ended, std::size_t jobs)>;

struct ReplayOptions {
  MachineShape machine;
  sched::Config config;
  Sharing sharing = Sharing::nodes;
  KeepRanks keep_ranks = KeepRanks::no;
  KeepAnnouncements keep_announcements = KeepAnnouncements::no;
  std::optional<ExtendRule> extend;
  std::size_t jobs = kMaxWorkloadJobs;  ///< the first so many
  /// Stop so long after the first submission; infinite: when nothing can happen any more.
  Duration until = Duration::infinite();
  Progress progress;
  /// A monotonic clock for the wall time of passes; absent: not measured.
  std::function<Duration()> stopwatch;
};

/// A request for more time and its answer.
struct ExtensionEvent {
  Time at;
  std::size_t job = 0;     ///< its place in the workload
  Time from;               ///< the end before
  std::optional<Time> to;  ///< the new end; absent: refused
};

struct Replay {
  std::vector<JobRecord> jobs;  ///< in workload order
  Horizon horizon;
  ExtensionCounts extensions;
  std::vector<ExtensionEvent> extension_events;  ///< in time order
  Announcements announcements;                   ///< empty unless asked for
  std::vector<double> pass_seconds;  ///< wall time of each pass that had something to do
  plan::PassCounters passes;
  std::uint64_t larger_than_machine = 0;
  std::vector<std::string> faults;  ///< of the scheduler; the first kMaxFaults
};
inline constexpr std::size_t kMaxFaults = 16;

/// Requires a workload with a job. Errors: as Instance::create.
Result<Replay> replay(const Workload& workload, const ReplayOptions& options);

/// Units that a job of `procs` processors holds.
std::uint64_t units_for(std::uint64_t procs, const MachineShape& machine, Sharing sharing);

}  // namespace tenure::emul
