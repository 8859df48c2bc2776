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
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/result.hpp"
#include "base/time.hpp"
#include "plan/engine.hpp"
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
  Config config;
  /// false: no annotation is computed or sent (trace replays do not look at them).
  enum class Annotate { yes, no } annotate = Annotate::yes;
  plan::TimeText time_text;  ///< how reasons print times
};

class Scheduler {
 public:
  /// From the first answer of resource.acquire. `peer` must outlive the scheduler.
  Scheduler(AcquireInitial acquired, SchedulerSettings settings, Peer& peer);

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
  Result<void> expiration(const ExpirationRequest& request);
  ResourceStatus resource_status() const;
  /// feasibility.check. Error: `infeasible` with what is missing.
  Result<void> check(const jobspec::Jobspec& jobspec, Time now) const;
  void update(const AcquireUpdate& update);
  /// The outcome of Peer::commit. A failure takes the start back: the job waits again (R7).
  void committed(JobId id, const Result<void>& outcome);
  Result<void> reconfigure(const boost::json::object& changes);

  // ---- time --------------------------------------------------------------------------
  /// Plans, hands out starts and, when the pass is complete, annotations.
  plan::PassState run_pass(Time now, const plan::KeepGoing& keep_going = {});
  /// The next time at which run_pass() must be called though no message arrives.
  Time next_wakeup() const;

  const plan::Engine& engine() const { return engine_; }
  const Config& config() const { return config_; }

 private:
  struct Sent {                       ///< annotations the job manager has
    std::optional<Time> t_estimate;
    std::optional<std::string> reason_pending;
    std::optional<std::string> selection_type;
    std::optional<Time> last;         ///< when the last one went out
  };

  void annotate_all(Time now);
  void begin(plan::Start start);

  Peer* peer_;
  Config config_;
  SchedulerSettings::Annotate annotate_;
  plan::TimeText time_text_;
  plan::Engine engine_;
  std::optional<boost::json::value> scheduling_;
  boost::unordered_flat_map<JobId, Sent> sent_;
  boost::unordered_flat_map<JobId, std::pair<plan::PendingJob, AllocSuccess>> committing_;
  Time next_annotation_ = Time::never();
};

}  // namespace tenure::sched
