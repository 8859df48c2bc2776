// Metrics: numbers about a replay, computed from its job records.
//
// docs/metrics.md defines each; the definitions there and the names here are the same.
//
// Invariants
//  1. Exact: sums are of whole microseconds, quantiles are values that occurred (nearest
//     rank), nothing is sampled or binned.
//  2. Jobs without the event that a metric is about (never started, not ended) are left out
//     of it, and counted.
//
// O(n log n) in the jobs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "emul/job_record.hpp"

namespace tenure::emul {

/// Of a sample; all zero when the sample is empty.
struct Distribution {
  std::uint64_t count = 0;
  double mean = 0;
  double median = 0;
  double p95 = 0;
  double max = 0;
};
/// Quantile q is the element of rank ceil(q n) in ascending order.
Distribution distribution_of(std::vector<double> sample);

/// Work as resources times time, in unit-hours: node-hours, or core-hours with shared nodes.
struct UnitHours {
  double value = 0;
};

struct JobCounts {
  std::uint64_t submitted = 0;
  std::uint64_t started = 0;
  std::uint64_t done = 0;
  std::uint64_t killed = 0;
  std::uint64_t refused = 0;
  std::uint64_t canceled = 0;
  std::uint64_t running = 0;
  std::uint64_t waiting = 0;
  std::uint64_t backfilled = 0;  ///< started ahead of a job that waited
};

/// The threshold below which a run counts as this long.
inline constexpr Duration kSlowdownThreshold = Duration::microseconds(10'000'000);

struct Summary {
  JobCounts jobs;
  Distribution wait;              ///< seconds, of started jobs
  Distribution turnaround;        ///< seconds, of ended jobs
  Distribution slowdown;          ///< of ended jobs that ran longer than 0 s
  Distribution bounded_slowdown;  ///< of ended jobs
  Duration makespan;
  double utilisation = 0;       ///< 0 … 1
  double backfilled_share = 0;  ///< 0 … 1, of started jobs
  UnitHours held;               ///< by all jobs
  UnitHours killed;             ///< held by jobs that were killed: lost
};

/// The machine's units, and the time at which the replay stopped.
struct Horizon {
  std::uint64_t units = 1;
  Time stopped;
};
Summary summarise(std::span<const JobRecord> jobs, const Horizon& horizon);

/// Requests for more time, as they were answered.
struct ExtensionCounts {
  std::uint64_t asked = 0;
  std::uint64_t granted = 0;
  std::uint64_t refused = 0;
};

/// What extensions did, seen in the extended replay alone.
struct ExtensionEffect {
  std::uint64_t outlasting = 0;  ///< started jobs that would have been killed at their limit
  std::uint64_t extended = 0;    ///< jobs with at least one extension
  std::uint64_t saved = 0;       ///< of these, ended by themselves beyond their first limit
  std::uint64_t killed = 0;      ///< of the extended ones, killed at the last limit all the same
  UnitHours not_lost;            ///< of the saved jobs: what they held up to their first limit
  UnitHours added;               ///< of the extended jobs: what they held beyond it
  UnitHours lost_anyway;         ///< all that the killed ones among the extended held
};
ExtensionEffect effect_of(std::span<const JobRecord> jobs);

/// Starts against those of another replay of the same jobs.
struct StartShift {
  std::uint64_t later = 0;
  std::uint64_t earlier = 0;
  std::uint64_t same = 0;
  std::uint64_t only_here = 0;   ///< started in this replay, not in the other
  std::uint64_t only_there = 0;  ///< the reverse
  Distribution delay;            ///< seconds, of the jobs that start later
  Distribution advance;          ///< seconds, of the jobs that start earlier
};
/// Requires the same jobs in the same order in both.
StartShift compare_starts(std::span<const JobRecord> jobs, std::span<const JobRecord> baseline);

}  // namespace tenure::emul
