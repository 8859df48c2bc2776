// Annotator: which annotations the job manager has, and which it should get.
//
// After a complete pass run() compares what the plan says about each job that the pass
// looked at with what was sent. A job with a planned start gets t_estimate, selection_type
// "reserved" and reason_pending; one without gets reason_pending alone; one that the pass no
// longer reaches loses the first two.
//
// Invariants
//  1. Sent on change only, at most once a job in the interval. What is held back is computed
//     anew when the interval is over (next()), so that the latest value goes out.
//  2. A value counts as sent only when Peer::annotate returned true; else it is tried again,
//     not before kRetryAfter.
//  3. A reason is computed again only when the plan's entry of the job changed, or when
//     something else did and the interval since the last computation is over.
//  4. Jobs are visited in queue order, then those that left the plan in their old order.
//
// run() is O(1) when nothing changed and nothing is due, else O(jobs in the plan) plus one
// Engine::explain a job and interval at most.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "plan/engine.hpp"
#include "sched/messages.hpp"

namespace tenure::sched {

class Peer;

class Annotator {
 public:
  /// Shortest time between two attempts to send the same annotation.
  static constexpr Duration kRetryAfter = Duration::seconds(1);

  struct Counters {
    std::uint64_t sent = 0;
    std::uint64_t failed = 0;     ///< Peer::annotate returned false
    std::uint64_t held_back = 0;  ///< by the interval
    std::uint64_t explained = 0;  ///< reasons computed
  };

  /// `time_text` must be callable.
  explicit Annotator(plan::TimeText time_text) : time_text_(std::move(time_text)) {}

  /// Something changed that a plan or a reason may depend on.
  void touch() { ++version_; }
  /// The alloc of the job was answered: the job manager has nothing to annotate any more.
  void forget(JobId id) { records_.erase(id); }
  /// Requires a complete pass at `now`.
  void run(const plan::Engine& engine, Duration interval, Time now, Peer& peer);
  /// The annotations of a SUCCESS: how and where, and what is no longer true.
  Annotations of_success(const plan::Start& start, const graph::ResourceGraph& graph) const;
  /// When run() must be called though nothing changes.
  Time next() const { return next_; }
  const Counters& counters() const { return counters_; }

 private:
  /// What the plan says about a job, as far as annotations depend on it.
  struct Seen {
    enum class Place { absent, waiting, reserved } place = Place::absent;
    Time start;
    plan::Reason::Code why = plan::Reason::Code::not_reached;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  /// What a job should show.
  struct Shown {
    std::optional<Time> t_estimate;
    std::optional<std::string> reason_pending;
    std::optional<std::string> selection_type;
  };
  struct Record {
    Shown sent;
    std::optional<Time> sent_at;
    std::optional<Time> looked_at;  ///< when a reason was computed last
    std::uint64_t version = 0;      ///< version_ at that time
    std::uint64_t round = 0;        ///< the last run that visited the job
    Seen seen;
    bool failed = false;  ///< the last attempt to send did
  };

  static Seen see(const plan::PlannedJob& entry);
  static Annotations difference(const Shown& from, const Shown& to);
  static Time due(const Record& record, bool changed, Duration interval);
  /// True when the job must be visited again though it is not in the plan.
  bool visit(JobId id, const Seen& seen, const plan::Engine& engine, Duration interval, Time now,
             Peer& peer);
  Shown show(JobId id, const Seen& seen, const plan::Engine& engine, Time now);

  plan::TimeText time_text_;
  boost::unordered_flat_map<JobId, Record> records_;
  std::vector<JobId> watched_;  ///< visited by the last run and not settled outside the plan
  std::uint64_t version_ = 1;
  std::uint64_t run_version_ = 0;  ///< version_ of the last run
  std::uint64_t round_ = 0;
  Time next_ = Time::never();
  Counters counters_;
};

}  // namespace tenure::sched
