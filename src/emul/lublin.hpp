// The workload model of Lublin and Feitelson for rigid parallel jobs.
//
// Source: U. Lublin, D. G. Feitelson, "The workload on parallel supercomputers: modeling
// the characteristics of rigid jobs", JPDC 63(11), 2003; its parameters for all jobs
// together (batch and interactive not told apart).
//
//   size          1 with probability `serial`; else 2^u, u two-stage uniform on
//                 [u_low, u_med) and [u_med, u_high), u_high = log2(processors); u is
//                 rounded so that `power_of_two` of all jobs are powers of two by intent
//   run time      e^g, g hyper-gamma: the short branch with probability p_slope size + p_base
//   arrivals      e^g seconds with g from a gamma distribution, at the mean rate; stretched
//                 by a daily cycle of 48 half hours whose weights come from a second gamma
//
// Limits are no part of the model. They are drawn apart from the jobs, so that one seed gives
// the same jobs whatever is said about limits.
//
// The same options give the same jobs everywhere: mt19937_64 and the distributions of
// Boost.Random, whose algorithms are fixed. O(jobs).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "emul/workload.hpp"

namespace tenure::emul {

/// The published values. docs/traces.md says how they are used.
struct LublinParameters {
  double serial = 0.244;
  double power_of_two = 0.576;  ///< of all jobs
  double u_low = 0.8;
  double u_med_below_high = 2.5;  ///< u_med = u_high - this
  double u_first = 0.86;          ///< probability of the first stage

  double a1 = 4.2;  ///< hyper-gamma: shape and scale of the short branch
  double b1 = 0.94;
  double a2 = 312;  ///< and of the long branch
  double b2 = 0.03;
  double p_slope = -0.0054;  ///< p = p_slope size + p_base, within [0, 1]
  double p_base = 0.78;
  double longest_log_runtime = 12;  ///< longer ones are drawn again: 45 h

  double a_arrival = 10.2303;  ///< log of the time between arrivals in rush hours
  double b_arrival = 0.4871;
  double rush_to_all = 1.0225;  ///< a_arrival times this holds for the whole day
  double longest_log_gap = 13;
  double a_daily = 8.1737;  ///< number of arrivals over the half hours of a day
  double b_daily = 3.9631;
};

struct LublinOptions {
  std::size_t jobs = 10'000;
  std::uint64_t seed = 1;
  MachineShape machine{256, 1};
  /// Walltime asked for as a multiple of the run time; at least 1.
  double overestimate = 1.0;
  /// Share of jobs, 0 … 1, that ask for too little instead: half to all of their run time.
  double too_short = 0.0;
  LublinParameters parameters{};
};

/// Job sizes are in processors of the whole machine; times are whole seconds, run times at
/// least 1 s. The trace begins at midnight. Errors: `invalid` for no job, more than
/// kMaxWorkloadJobs, or an overestimate or a share out of range.
Result<Workload> generate_lublin(const LublinOptions& options);

}  // namespace tenure::emul
