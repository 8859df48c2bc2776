// Instance: an emulated Flux instance under a virtual clock.
//
// Job manager, resource module and execution system in one discrete-event simulation. They
// talk to the scheduler through RFC 27 and RFC 28 messages only, so that a scenario or a
// replay exercises the same code as the broker module.
//
// Order at one time (spec of scenario files): jobs that end or are freed then, in id order;
// then the operations the driver issues, in its order; then the scheduler plans until
// nothing more can start. A job that ends at the instant of an event has ended before it.
//
// Invariants
//  1. Virtual time never goes back; nothing reads a clock except the pass timer given in
//     InstanceOptions.
//  2. Two runs of the same input give the same observations.
//  3. Job ids grow in submission order.
//
// Each event costs O(log events) plus what the scheduler does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "graph/formats/r.hpp"
#include "jobspec/jobspec.hpp"
#include "sched/config.hpp"
#include "sched/messages.hpp"
#include "sched/scheduler.hpp"

namespace tenure::emul {

/// A job as submitted to the emulated instance.
struct Submission {
  std::string label;  ///< for people; ids are the instance's
  /// RFC 25; may be nullptr when `parsed` is set. Copies of a job share it.
  std::shared_ptr<const boost::json::object> jobspec;
  /// The same jobspec, read already: spares Link::direct the reading.
  std::shared_ptr<const jobspec::Jobspec> parsed;
  std::optional<Duration> runtime;     ///< actual; absent: until its expiration
  Duration epilog = Duration::zero();  ///< between the end of the job and its free
  std::uint32_t urgency = 16;          ///< 0 … 31
  std::optional<Priority> priority;    ///< absent: the urgency
  UserId user{1000};
};

/// As `flux update ID duration=…`.
struct DurationChange {
  enum class Kind { absolute, plus, minus };
  Kind kind = Kind::absolute;
  Duration amount;  ///< absolute zero: unlimited
};

/// The duration that a change asks for; zero amounts absolutely stand for unlimited. Errors: as
/// `flux update` has them, `invalid` with the value.
Result<Duration> changed(Duration present, DurationChange change);

enum class JobState { unknown, pending, running, epilog, inactive };
std::string_view to_string(JobState state);
enum class FinishReason { done, timeout, canceled };
std::string_view to_string(FinishReason reason);
enum class NodeChange { up, down, lost };

/// What happened, in the order in which it happened. All times are Instance::now().
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_submit(JobId) {}
  virtual void on_deny(JobId, std::string_view /*note*/) {}
  virtual void on_start(JobId, const sched::AllocSuccess&) {}
  virtual void on_annotate(JobId, const sched::Annotations&) {}
  /// An update was asked for, or the instance's expiration moved the end of a job without a
  /// limit of its own; on success `end` is the new expiration (running) or nullopt (pending).
  virtual void on_update(JobId, const Result<std::optional<Time>>& /*end*/) {}
  virtual void on_finish(JobId, FinishReason) {}
  virtual void on_free(JobId, const Idset& /*ranks*/, bool /*final*/) {}
  /// The CANCEL answer. That of an alloc which is sent again at once, because the duration
  /// of its job was updated, is not reported: the job goes on waiting.
  virtual void on_cancel(JobId) {}
  /// What the resource module told the scheduler, whether or not it was so before.
  virtual void on_nodes(const Idset& /*ranks*/, NodeChange) {}
  /// The scheduler has planned all that there is to plan now.
  virtual void on_settled() {}
  virtual void on_log(sched::LogLevel, std::string_view) {}
  /// A fault of the scheduler that the invariant checker found.
  virtual void on_fault(std::string_view) {}
};

/// How messages travel: as JSON text through the codec, or as the values themselves. Both
/// must give the same run.
enum class Link { wire, direct };

/// Whether the invariant checker looks on (checker.hpp).
enum class Check { on, off };

struct InstanceOptions {
  sched::SchedulerSettings scheduler;
  Check check = Check::off;
  Link link = Link::wire;
  Time start = Time::seconds(1'000'000'000);
  /// Wall time of a scheduling pass, for statistics only; absent: not measured.
  std::function<void(Duration)> on_pass;
  /// Reads a monotonic clock for on_pass. The emulation itself never does.
  std::function<Duration()> stopwatch;
};

class Instance {
 public:
  /// `r` is the inventory (RFC 20); `up` the ranks that are up at first. Errors: as
  /// graph::read_inventory and sched::apply.
  static Result<std::unique_ptr<Instance>> create(const boost::json::value& r, const Idset& up,
                                                  InstanceOptions options, Observer& observer);
  virtual ~Instance() = default;

  virtual Time now() const = 0;

  // ---- operations at now() -----------------------------------------------------------
  /// Feasibility check, then sched.alloc. The id is given even when the job is denied.
  virtual JobId submit(Submission submission) = 0;
  virtual void update_duration(JobId id, DurationChange change) = 0;
  /// The raw sched.expiration request, for any id; `payload` is sent as it is under
  /// "expiration". It tells the scheduler alone: the job manager's own limit stays.
  virtual void raw_expiration(JobId id, const boost::json::value& payload) = 0;
  virtual void cancel(JobId id) = 0;
  virtual void prioritize(const std::vector<std::pair<JobId, Priority>>& priorities) = 0;
  virtual void free_ranks(JobId id, const Idset& ranks, bool final) = 0;
  virtual void mark_up(const Idset& ranks) = 0;
  virtual void mark_down(const Idset& ranks) = 0;
  virtual void shrink(const Idset& ranks) = 0;
  virtual void change_properties(const std::map<std::string, Idset>& add,
                                 const std::map<std::string, Idset>& remove) = 0;
  virtual void set_instance_expiration(Time expiration) = 0;  ///< never(): none
  virtual void reload() = 0;
  virtual Result<void> reconfigure(const boost::json::object& changes) = 0;

  // ---- time --------------------------------------------------------------------------
  /// The next time at which something happens by itself (end, free, planned start,
  /// annotation); never() when nothing can happen any more.
  virtual Time next_event() const = 0;
  /// Plays everything up to `t`, what happens by itself at `t` included, planning at every
  /// time before t; then now() == t and operations may be issued. Requires t >= now().
  virtual void advance_to(Time t) = 0;
  /// Lets the scheduler plan at now(); call once after the operations of that time.
  virtual void settle() = 0;

  // ---- views -------------------------------------------------------------------------
  virtual JobState state(JobId id) const = 0;
  virtual std::optional<Time> start_time(JobId id) const = 0;
  /// The expiration that update_duration() would ask for. Errors: as the job manager refuses.
  virtual Result<Time> end_after(JobId id, DurationChange change) const = 0;
  /// The present expiration of a running job; never() when unlimited.
  virtual std::optional<Time> expiration(JobId id) const = 0;
  virtual const std::string& label(JobId id) const = 0;
  /// As asked for, updates while it waited included; `parsed` is nullptr when it could not be
  /// read. Requires that the job exists.
  virtual const Submission& submission(JobId id) const = 0;
  /// True when the job was refused at submission or by the scheduler.
  virtual bool is_denied(JobId id) const = 0;
  /// The machine as the resource module knows it.
  virtual const graph::ResourceGraph& machine() const = 0;
  /// Nodes that are up and of which no job holds anything.
  virtual std::uint32_t free_node_count() const = 0;
  virtual const sched::Scheduler& scheduler() const = 0;
};

}  // namespace tenure::emul
