// PassLoop: when the scheduler plans, from the broker module's reactor.
//
// Invariants
//  1. Messages come first: a slice of a pass runs when no message waits, or when planning
//     has been put off for kMaxPostponed.
//  2. A slice lasts no longer than the pass budget plus one placement search; then messages
//     are looked at again.
//  3. When nothing is to be planned the reactor sleeps, until a message comes or the
//     scheduler's own wake-up time is there.
//  4. The time given to the scheduler never goes back, whatever the clock does.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "flux/handle.hpp"
#include "flux/peer.hpp"
#include "sched/scheduler.hpp"

namespace tenure::flux {

/// How long passes took: the last kKept slices and what was longest ever.
class PassTimes {
 public:
  static constexpr std::size_t kKept = 1024;
  using Nanoseconds = std::chrono::nanoseconds;

  void add(Nanoseconds slice);
  /// {count, mean, p50, p95, p99, max} in seconds; all but count over the last kKept.
  boost::json::object to_json() const;

 private:
  std::uint64_t count_ = 0;
  Nanoseconds longest_{0};
  std::vector<Nanoseconds> recent_;  ///< a ring
};

class PassLoop {
 public:
  static constexpr std::chrono::milliseconds kMaxPostponed{100};
  /// The clock may be set: the wake-up time is looked at again after this many seconds.
  static constexpr double kLongestSleep = 60.0;

  PassLoop(flux_t* handle, sched::Scheduler& scheduler, FluxPeer& peer);
  PassLoop(const PassLoop&) = delete;
  PassLoop& operator=(const PassLoop&) = delete;

  /// Something happened: a pass is due.
  void request();
  /// The time now, for the scheduler.
  Time now();
  bool is_idle() const { return !wanted_; }
  const PassTimes& slices() const { return slices_; }
  const PassTimes& passes() const { return passes_; }
  std::uint64_t postponed() const { return postponed_; }

 private:
  using Clock = std::chrono::steady_clock;

  void before_waiting();
  void after_waiting();
  void slice();
  void sleep_until(Time wakeup);

  flux_t* handle_;
  flux_reactor_t* reactor_;
  sched::Scheduler* scheduler_;
  FluxPeer* peer_;
  Watcher prepare_;
  Watcher check_;
  Watcher idle_;
  Watcher timer_;
  bool wanted_ = true;
  Clock::time_point wanted_since_;
  Clock::duration this_pass_{0};
  Time last_;
  PassTimes slices_;
  PassTimes passes_;
  std::uint64_t postponed_ = 0;  ///< slices put off because a message waited
};

}  // namespace tenure::flux
