// Scheduler: the peer of job manager and resource module, without a transport.
//
// An adapter (broker module, emulated instance) decodes messages, calls the methods below,
// and carries what the scheduler hands to its Peer. No method waits for anything. After
// any message the adapter calls run_pass() when its reactor is idle, and again at
// next_wakeup().
//
// Invariants
//  1. Each alloc is answered exactly once with SUCCESS, DENY or CANCEL, after any number of
//     annotations; an R is committed before SUCCESS is sent.
//  2. An annotation is sent on change only, at most one a job in annotate_interval, and
//     counts as sent only when Peer::annotate says so; the latest value goes out when the
//     interval is over; what is no longer true is removed.
//  3. sched.expiration is answered after every structure holds the new end and before
//     anything is planned with it.
//  4. feasibility and resource-status never wait for a pass.
//  5. A job has at most one commit under way: a start that was canceled meanwhile is taken
//     back at once, and the next start of the job waits for the outcome of the old commit.
//
// Messages cost what the engine says; nothing plans inside a message handler. A shrink
// checks the feasibility of each waiting job once.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "plan/engine.hpp"
#include "sched/annotator.hpp"
#include "sched/config.hpp"
#include "sched/messages.hpp"

namespace tenure::sched {

/// What the scheduler asks of the outside. Implementations must not call back into the
/// scheduler from inside these; they queue.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Commit R to the job's KVS directory; Scheduler::committed() must follow, in any order.
  virtual void commit(const AllocSuccess& success) = 0;
  /// Answer the alloc with SUCCESS. Called only after a successful commit.
  virtual void succeed(const AllocSuccess& success) = 0;
  virtual void deny(JobId id, std::string_view note) = 0;
  virtual void cancel(JobId id) = 0;
  /// Returns false when the annotation could not be sent; it is tried again later.
  virtual bool annotate(JobId id, const Annotations& annotations) = 0;
  virtual void log(LogLevel level, std::string_view text) = 0;
};

struct SchedulerSettings {
  /// Without queues in config.options a job may name any queue, or none.
  Config config;
  /// false: no annotation is computed or sent (trace replays do not look at them).
  enum class Annotate { yes, no } annotate = Annotate::yes;
  plan::TimeText time_text;  ///< how reasons print times; empty: seconds since the epoch
};

class Scheduler {
 public:
  /// Freed jobs remembered, so that a late expiration names their state.
  static constexpr std::size_t kRememberedJobs = 4096;

  struct Counters {
    std::uint64_t allocs = 0;
    std::uint64_t succeeded = 0;
    std::uint64_t denied = 0;
    std::uint64_t canceled = 0;
    std::uint64_t ignored = 0;  ///< messages about jobs in another state
    std::uint64_t commits_failed = 0;
    std::uint64_t expirations_refused = 0;
  };

  /// From the first answer of resource.acquire. `peer` must outlive the scheduler.
  Scheduler(AcquireInitial acquired, SchedulerSettings settings, Peer& peer);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // ---- start-up ----------------------------------------------------------------------
  /// One answer of sched-hello. Never fails for a job whose R could be read: what cannot be
  /// taken over (duplicates, ranks that are gone) is logged.
  void hello(const HelloJob& job);

  // ---- requests ----------------------------------------------------------------------
  void alloc(const AllocRequest& request, Time now);
  /// An alloc whose payload was well formed but whose jobspec was not: denied with the text.
  void alloc_unreadable(JobId id, const Error& error);
  void cancel(JobId id);
  void free(const FreeRequest& request);
  void prioritize(const PrioritizeRequest& request);
  /// Errors (design section 7): `not_found` naming the job and its state, `invalid` with the
  /// value and what would be valid. A refusal is logged as well: flux-core shows its user a
  /// text of its own.
  Result<void> expiration(const ExpirationRequest& request);
  ResourceStatus resource_status() const;
  /// feasibility.check. Error: `infeasible` with what is missing.
  Result<void> check(const jobspec::Jobspec& jobspec, Time now) const;
  /// Shrink before up and down, and down last. Jobs that a shrink makes infeasible while
  /// they wait, or before their R is stored, are denied: lost ranks never come back, and
  /// their alloc would stay unanswered.
  void update(const AcquireUpdate& update);
  /// The outcome of Peer::commit. A failure takes the start back: the job waits again (R7).
  void committed(JobId id, const Result<void>& outcome);
  Result<void> reconfigure(const boost::json::object& changes);
  /// The same with a whole configuration, read before.
  void reconfigure(Config config);

  // ---- time --------------------------------------------------------------------------
  /// Plans, hands out starts and, when the pass is complete, annotations.
  plan::PassState run_pass(Time now, const plan::KeepGoing& keep_going = {});
  /// The next time at which run_pass() must be called though no message arrives.
  Time next_wakeup() const;

  const plan::Engine& engine() const { return engine_; }
  const Config& config() const { return config_; }
  /// The inventory's `scheduling` for encode_r, or nullptr: none came, or match-format says
  /// that none is wanted.
  const boost::json::value* scheduling() const;
  /// The inventory's `scheduling` as it came.
  const std::optional<boost::json::value>& inventory_scheduling() const { return scheduling_; }
  const Counters& counters() const { return counters_; }
  const Annotator& annotator() const { return annotator_; }

 private:
  /// What the last admitted alloc asked for. Jobs are often submitted in bulk: those that ask
  /// for the same in a row share one jobspec and one compiled request.
  struct LastAdmitted {
    std::shared_ptr<const jobspec::Jobspec> jobspec;
    std::shared_ptr<const match::Request> request;

    bool asks_for(const jobspec::Jobspec& other) const {
      return jobspec != nullptr && jobspec->duration == other.duration &&
             jobspec->text == other.text;
    }
  };

  bool is_known(JobId id) const;
  Result<std::shared_ptr<const match::Request>> admit(const jobspec::Jobspec& jobspec,
                                                      Time now) const;
  Result<std::shared_ptr<const match::Request>> compiled(const jobspec::Jobspec& jobspec) const;
  Result<void> set_expiration(const ExpirationRequest& request);
  void answer_deny(JobId id, std::string_view note);
  void answer_cancel(JobId id);
  void apply_shrink(const Idset& ranks);
  std::optional<std::string> lost_for(const plan::PendingJob& job) const;
  void remember_freed(JobId id);
  void begin(plan::Start start);
  template <class... Args>
  void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) const {
    peer_->log(level, fmt::format(format, std::forward<Args>(args)...));
  }

  Peer* peer_;
  Config config_;
  SchedulerSettings::Annotate annotate_;
  std::optional<boost::json::value> scheduling_;
  plan::Engine engine_;
  Annotator annotator_;
  LastAdmitted last_;
  boost::unordered_flat_map<JobId, AllocSuccess> committing_;  ///< starts, R under way
  /// Ids with a commit under way whose start was taken back: its outcome is ignored, and a
  /// new start of the job is committed only after it.
  boost::unordered_flat_set<JobId> abandoned_;
  boost::unordered_flat_set<JobId> freed_;  ///< the last kRememberedJobs, for error texts
  std::deque<JobId> freed_order_;
  Counters counters_;
};

}  // namespace tenure::sched
