#include "emul/instance.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.hpp"
#include "emul/checker.hpp"
#include "emul/job_table.hpp"
#include "emul/link.hpp"
#include "graph/formats/json_field.hpp"
#include "graph/formats/r.hpp"
#include "sched/codec.hpp"

namespace tenure::emul {
namespace {

namespace json = boost::json;

/// Passes at one time after which the scheduler is taken to be running in circles.
constexpr int kMaxPassesAtOneTime = 100'000;
/// Planned starts that may come to nothing, with no end of a job ahead, before the instance
/// says that nothing can happen any more.
constexpr int kMaxIdleWakeups = 3;

/// The jobspec with another attributes.system.duration.
std::shared_ptr<const json::object> with_duration(json::object jobspec, Duration duration) {
  const auto section = [](json::object& parent, std::string_view key) -> json::object& {
    json::value& value = parent[key];
    if (!value.is_object()) value.emplace_object();
    return value.as_object();
  };
  section(section(jobspec, "attributes"), "system")["duration"] = graph::write_duration(duration);
  return std::make_shared<const json::object>(std::move(jobspec));
}

/// The same resources in the numbering of another graph of the same machine.
graph::ResourceSet renumber(const graph::ResourceSet& set, const graph::ResourceGraph& from,
                            const graph::ResourceGraph& to) {
  graph::ResourceSet result;
  std::size_t part = 0;
  for (const graph::NodeRange range : set.nodes()) {
    for (std::uint32_t i = range.first.value(); i <= range.last.value(); ++i) {
      const auto node = to.find_rank(from.node(NodeIndex(i)).rank);
      CHECK(node.has_value(), "the scheduler knows a rank that the machine has not");
      if (part < set.parts().size() && set.parts()[part].node == NodeIndex(i)) {
        result.append_part(*node, set.parts()[part].units, to.shape_of(*node));
        ++part;
      } else {
        result.append_whole(*node);
      }
    }
  }
  return result;
}

class EmulatedInstance final : public Instance {
 public:
  EmulatedInstance(graph::Inventory inventory, InstanceOptions options, Observer& observer)
      : options_(std::move(options)),
        observer_(&observer),
        machine_(std::move(inventory.graph)),
        scheduling_(std::move(inventory.scheduling)),
        starttime_(inventory.times.start),
        expiration_(inventory.times.expiration),
        now_(options_.start),
        desk_(*this) {
    if (options_.check == Check::on) {
      checker_ = std::make_unique<Checker>(
          machine_, expiration_, [this](std::string_view text) { observer_->on_fault(text); });
    }
  }

  Result<void> boot(json::value r, const Idset& up);

  Time now() const override { return now_; }

  JobId submit(Submission submission) override;
  void update_duration(JobId id, DurationChange change) override;
  void raw_expiration(JobId id, const json::value& payload) override;
  void cancel(JobId id) override;
  void prioritize(const std::vector<std::pair<JobId, Priority>>& priorities) override;
  void free_ranks(JobId id, const Idset& ranks, bool final) override;
  void mark_up(const Idset& ranks) override;
  void mark_down(const Idset& ranks) override;
  void shrink(const Idset& ranks) override;
  void change_properties(const std::map<std::string, Idset>& add,
                         const std::map<std::string, Idset>& remove) override;
  void set_instance_expiration(Time expiration) override;
  void reload() override;
  Result<void> reconfigure(const json::object& changes) override;

  Time next_event() const override;
  void advance_to(Time t) override;
  void settle() override;

  JobState state(JobId id) const override;
  std::optional<Time> start_time(JobId id) const override { return jobs_.at(id).start; }
  Result<Time> end_after(JobId id, DurationChange change) const override;
  std::optional<Time> expiration(JobId id) const override;
  const std::string& label(JobId id) const override { return jobs_.at(id).asked.label; }
  const Submission& submission(JobId id) const override { return jobs_.at(id).asked; }
  bool is_denied(JobId id) const override { return jobs_.at(id).denied; }
  const graph::ResourceGraph& machine() const override { return machine_; }
  std::uint32_t free_node_count() const override;
  const sched::Scheduler& scheduler() const override { return *scheduler_; }

 private:
  /// Where the scheduler's answers arrive. What would call back into it is queued.
  class Desk final : public sched::Peer {
   public:
    explicit Desk(EmulatedInstance& instance) : instance_(&instance) {}
    void commit(const sched::AllocSuccess& success) override {
      instance_->commits_.push_back(success);
    }
    void succeed(const sched::AllocSuccess& success) override { instance_->on_success(success); }
    void deny(JobId id, std::string_view note) override { instance_->on_denied(id, note); }
    void cancel(JobId id) override { instance_->on_canceled(id); }
    bool annotate(JobId id, const sched::Annotations& annotations) override {
      instance_->on_annotations(id, annotations);
      return true;
    }
    void log(sched::LogLevel level, std::string_view text) override {
      instance_->observer_->on_log(level, text);
    }

   private:
    EmulatedInstance* instance_;
  };

  bool is_wire() const { return options_.link == Link::wire; }
  const graph::ResourceGraph& scheduler_graph() const { return scheduler_->engine().graph(); }
  const json::value* scheduling() const { return scheduling_ ? &*scheduling_ : nullptr; }

  // the scheduler's answers
  void on_success(const sched::AllocSuccess& sent);
  void on_denied(JobId id, std::string_view note);
  void on_canceled(JobId id);
  void on_annotations(JobId id, const sched::Annotations& annotations);

  // job manager and execution system
  Result<void> read_jobspec(Submission& asked);
  void refuse(Job& job, std::string_view note);
  void send_alloc(Job& job);
  void send_hello(const Job& job);
  void send_free(Job& job, const Idset& ranks, plan::Engine::Release kind);
  Result<void> send_expiration(JobId id, Time end);
  void send_acquire(const sched::AcquireUpdate& update);
  Result<std::optional<Time>> update(Job& job, DurationChange change);
  Result<void> update_pending(Job& job, Duration duration);
  Result<Time> new_end(const Job& job, Duration duration) const;
  Result<Time> update_running(Job& job, Duration duration);
  void set_timer(Job& job, std::optional<Time> time);
  void finish(Job& job, FinishReason reason);
  void release(Job& job);
  void end_due_jobs();
  bool carry_out();
  void run_pass();
  Result<void> load(json::value r, const Idset& up);
  json::object inventory_r() const;

  InstanceOptions options_;
  Observer* observer_;
  graph::ResourceGraph machine_;
  std::optional<json::value> scheduling_;
  Time starttime_;
  Time expiration_;
  Time now_;
  Desk desk_;
  std::unique_ptr<Checker> checker_;
  std::unique_ptr<sched::Scheduler> scheduler_;
  bool renumbered_ = false;  ///< the scheduler read an R without the lost nodes
  JobTable jobs_;
  std::set<std::pair<Time, JobId>> timers_;
  std::vector<sched::AllocSuccess> commits_;
  std::vector<JobId> resends_;
  std::uint64_t starts_ = 0;
  int idle_wakeups_ = 0;
  struct {
    std::shared_ptr<const json::object> jobspec;
    std::shared_ptr<const jobspec::Jobspec> parsed;
  } last_read_;
};

// ---- start-up --------------------------------------------------------------------------

/// Makes a scheduler from the first answer of resource.acquire.
Result<void> EmulatedInstance::load(json::value r, const Idset& up) {
  const json::object first{{"resources", std::move(r)}, {"up", up.to_string()}};
  auto acquired = sched::decode_acquire_initial(is_wire() ? wire::carry(first) : first);
  if (!acquired) return acquired.error();
  scheduler_ = std::make_unique<sched::Scheduler>(*std::move(acquired), options_.scheduler, desk_);
  return {};
}

Result<void> EmulatedInstance::boot(json::value r, const Idset& up) {
  machine_.mark_up(up);
  return load(std::move(r), up);
}

/// The inventory as it is now, for the scheduler that comes after a reload.
json::object EmulatedInstance::inventory_r() const {
  return graph::write_inventory(machine_, machine_.present(),
                                graph::RHeader{{starttime_, expiration_}, 1, scheduling()});
}

void EmulatedInstance::reload() {
  scheduler_.reset();
  commits_.clear();
  resends_.clear();
  idle_wakeups_ = 0;
  if (checker_) checker_->reloaded();

  const auto loaded = load(inventory_r(), machine_.ranks_of(machine_.up()));
  CHECK(loaded.has_value(), "reload: {}", loaded.error().message);
  renumbered_ = scheduler_graph().node_count() != machine_.node_count();

  std::vector<Job*> pending;
  for (Job& job : jobs_) {
    if (job.holds_resources()) send_hello(job);
    if (job.state == JobState::pending) pending.push_back(&job);
  }
  std::ranges::sort(pending, {}, [](const Job* job) { return job->key(); });
  for (Job* job : pending) send_alloc(*job);
}

void EmulatedInstance::send_hello(const Job& job) {
  const graph::RHeader header{{*job.start, job.expiration}, job.nslots, scheduling()};
  const json::value r = graph::write_r(job.granted, machine_, header);
  json::object payload{{"id", job.id.value()},
                       {"priority", job.priority.value()},
                       {"userid", job.asked.user.value()},
                       {"t_submit", sched::encode_time(job.submit)}};
  if (!job.freed.empty()) payload["free"] = job.freed.to_string();
  const json::value sent = std::move(payload);
  const auto hello =
      sched::decode_hello(is_wire() ? wire::carry(sent) : sent, is_wire() ? wire::carry(r) : r,
                          job.duration, scheduler_graph());
  CHECK(hello.has_value(), "sched-hello: {}", hello.error().message);
  if (checker_) {
    checker_->expiration(job.id, job.duration.is_infinite() ? Time::never() : job.expiration);
  }
  scheduler_->hello(*hello);
}

// ---- submission ------------------------------------------------------------------------

void EmulatedInstance::refuse(Job& job, std::string_view note) {
  job.state = JobState::inactive;
  job.denied = true;
  observer_->on_deny(job.id, note);
}

/// Copies of a job, which share its jobspec, share what was read of it too.
Result<void> EmulatedInstance::read_jobspec(Submission& asked) {
  if (asked.parsed != nullptr && !is_wire()) return {};
  CHECK(asked.jobspec != nullptr, "job {} has no jobspec to send", asked.label);
  if (last_read_.jobspec != asked.jobspec) {
    auto parsed = jobspec::parse(*asked.jobspec);
    if (!parsed) return parsed.error();
    last_read_ = {asked.jobspec, std::make_shared<const jobspec::Jobspec>(*std::move(parsed))};
  }
  asked.parsed = last_read_.parsed;
  return {};
}

JobId EmulatedInstance::submit(Submission submission) {
  idle_wakeups_ = 0;
  Job& job = jobs_.add(std::move(submission), now_);
  const auto read = read_jobspec(job.asked);
  observer_->on_submit(job.id);
  if (!read) {
    refuse(job, read.error().message);
    return job.id;
  }
  job.duration = job.asked.parsed->duration;
  if (const auto checked = scheduler_->check(*job.asked.parsed, now_); !checked) {
    refuse(job, checked.error().message);
    return job.id;
  }
  send_alloc(job);
  carry_out();
  return job.id;
}

void EmulatedInstance::send_alloc(Job& job) {
  job.outstanding = true;
  job.committed = false;
  if (checker_) checker_->alloc(job.key(), job.asked.parsed);
  const sched::AllocRequest request{job.id, job.priority, job.asked.user, job.submit,
                                    job.asked.parsed};
  if (!is_wire()) {
    scheduler_->alloc(request, now_);
    return;
  }
  const auto heard = wire::alloc(request, *job.asked.jobspec);
  if (heard) {
    scheduler_->alloc(*heard, now_);
  } else {
    scheduler_->alloc_unreadable(job.id, heard.error());
  }
}

// ---- the scheduler's answers -----------------------------------------------------------

void EmulatedInstance::on_success(const sched::AllocSuccess& sent) {
  sched::AllocSuccess heard = sent;
  if (is_wire()) {
    heard = wire::success(sent, scheduler_graph(), machine_, scheduling());
  } else if (renumbered_) {
    heard.start.placement.resources =
        renumber(sent.start.placement.resources, scheduler_graph(), machine_);
  }
  const plan::Start& start = heard.start;
  Job& job = jobs_.at(start.id);
  if (!job.committed) {
    observer_->on_fault(
        fmt::format("job {}: SUCCESS before its R was committed", format_f58(job.id)));
  }
  if (checker_) checker_->succeeded(job.id, start.placement, now_);
  if (!job.outstanding) return;
  job.outstanding = false;
  job.resend = false;
  job.state = JobState::running;
  job.start = start.placement.span.start;
  job.expiration = start.placement.span.end;
  job.nslots = start.nslots;
  job.granted = start.placement.resources;
  job.ranks = machine_.ranks_of(job.granted);
  ++starts_;
  observer_->on_start(job.id, heard);
  set_timer(job, job.end());
}

void EmulatedInstance::on_denied(JobId id, std::string_view note) {
  if (checker_) checker_->denied(id);
  Job& job = jobs_.at(id);
  if (!job.outstanding) return;
  job.outstanding = false;
  refuse(job, note);
}

void EmulatedInstance::on_canceled(JobId id) {
  if (checker_) checker_->canceled(id);
  Job& job = jobs_.at(id);
  if (!job.outstanding) return;
  job.outstanding = false;
  if (job.resend) {
    resends_.push_back(id);
    return;
  }
  job.state = JobState::inactive;
  observer_->on_cancel(id);
}

void EmulatedInstance::on_annotations(JobId id, const sched::Annotations& annotations) {
  if (checker_) checker_->annotated(id);
  observer_->on_annotate(id, is_wire() ? wire::annotations(annotations) : annotations);
}

/// Does what the answers ask for: commits, allocs sent again. True when there was something.
bool EmulatedInstance::carry_out() {
  bool any = false;
  while (!commits_.empty() || !resends_.empty()) {
    any = true;
    for (const JobId id : std::exchange(resends_, {})) {
      jobs_.at(id).resend = false;
      send_alloc(jobs_.at(id));
    }
    for (const sched::AllocSuccess& success : std::exchange(commits_, {})) {
      jobs_.at(success.start.id).committed = true;
      scheduler_->committed(success.start.id, {});
    }
  }
  return any;
}

// ---- updates ---------------------------------------------------------------------------

void EmulatedInstance::update_duration(JobId id, DurationChange change) {
  idle_wakeups_ = 0;
  observer_->on_update(id, update(jobs_.at(id), change));
  carry_out();
}

Result<std::optional<Time>> EmulatedInstance::update(Job& job, DurationChange change) {
  if (job.state != JobState::pending && job.state != JobState::running) {
    return failure(ErrorCode::invalid, "job {} is {}, neither pending nor running",
                   format_f58(job.id), to_string(job.state));
  }
  const auto duration = changed(job.duration, change);
  if (!duration) return duration.error();
  if (job.state == JobState::running) {
    const auto end = update_running(job, *duration);
    if (!end) return end.error();
    return std::optional<Time>(*end);
  }
  if (const auto done = update_pending(job, *duration); !done) return done.error();
  return std::optional<Time>();
}

Result<void> EmulatedInstance::update_pending(Job& job, Duration duration) {
  auto next = std::make_shared<jobspec::Jobspec>(*job.asked.parsed);
  next->duration = duration;
  if (auto checked = scheduler_->check(*next, now_); !checked) return checked.error();
  if (job.asked.jobspec != nullptr) {
    job.asked.jobspec = with_duration(*job.asked.jobspec, duration);
  }
  job.asked.parsed = std::move(next);
  job.duration = duration;
  job.resend = true;
  scheduler_->cancel(is_wire() ? wire::cancel(job.id) : job.id);
  return {};
}

Result<Time> EmulatedInstance::new_end(const Job& job, Duration duration) const {
  const Time end = *job.start + duration;
  if (end > now_) return end;
  return failure(ErrorCode::invalid,
                 "duration: {} puts the expiration of job {} into the past; more than {} is "
                 "needed",
                 format_fsd(duration), format_f58(job.id), format_fsd(now_ - *job.start));
}

Result<Time> EmulatedInstance::update_running(Job& job, Duration duration) {
  const auto end = new_end(job, duration);
  if (!end) return end.error();
  if (auto sent = send_expiration(job.id, *end); !sent) return sent.error();
  job.duration = duration;
  job.expiration = end->is_never() ? expiration_ : *end;
  set_timer(job, job.end());
  return job.expiration;
}

Result<void> EmulatedInstance::send_expiration(JobId id, Time end) {
  sched::ExpirationRequest request{id, end};
  if (is_wire()) {
    const json::value seconds = sched::encode_time(end);
    const auto heard = sched::decode_expiration(wire::expiration_payload(id, &seconds));
    if (!heard) return heard.error();
    request = *heard;
  }
  auto answer = scheduler_->expiration(request);
  if (answer && checker_) checker_->expiration(id, request.expiration);
  return answer;
}

void EmulatedInstance::raw_expiration(JobId id, const json::value& payload) {
  idle_wakeups_ = 0;
  const auto request = sched::decode_expiration(
      wire::expiration_payload(id, payload.is_null() ? nullptr : &payload));
  if (!request) {
    observer_->on_update(id, request.error());
    return;
  }
  if (const auto answer = scheduler_->expiration(*request); !answer) {
    observer_->on_update(id, answer.error());
    return;
  }
  if (checker_) checker_->expiration(id, request->expiration);
  const bool unset = request->expiration.is_never();
  observer_->on_update(id, std::optional<Time>(unset ? expiration_ : request->expiration));
  carry_out();
}

void EmulatedInstance::prioritize(const std::vector<std::pair<JobId, Priority>>& priorities) {
  idle_wakeups_ = 0;
  for (const auto& [id, priority] : priorities) {
    if (Job* job = jobs_.find(id); job != nullptr) job->priority = priority;
  }
  if (checker_) checker_->prioritize(priorities);
  const sched::PrioritizeRequest request{priorities};
  scheduler_->prioritize(is_wire() ? wire::prioritize(request) : request);
  carry_out();
}

Result<void> EmulatedInstance::reconfigure(const json::object& changes) {
  idle_wakeups_ = 0;
  auto next = sched::apply(options_.scheduler.config, changes);
  if (!next) return next.error();
  if (auto done = scheduler_->reconfigure(changes); !done) return done.error();
  options_.scheduler.config = *std::move(next);
  if (checker_) checker_->facts_changed();
  carry_out();
  return {};
}

// ---- ends ------------------------------------------------------------------------------

void EmulatedInstance::set_timer(Job& job, std::optional<Time> time) {
  if (time && time->is_never()) time.reset();
  if (job.timer == time) return;
  if (job.timer) timers_.erase({*job.timer, job.id});
  job.timer = time;
  if (time) timers_.insert({*time, job.id});
}

void EmulatedInstance::cancel(JobId id) {
  idle_wakeups_ = 0;
  Job& job = jobs_.at(id);
  if (job.state == JobState::pending) {
    scheduler_->cancel(is_wire() ? wire::cancel(id) : id);
  } else if (job.state == JobState::running) {
    finish(job, FinishReason::canceled);
  }
  carry_out();
}

void EmulatedInstance::finish(Job& job, FinishReason reason) {
  job.state = JobState::epilog;
  observer_->on_finish(job.id, reason);
  if (job.asked.epilog > Duration::zero()) {
    set_timer(job, now_ + job.asked.epilog);
  } else {
    release(job);
  }
}

void EmulatedInstance::release(Job& job) {
  set_timer(job, std::nullopt);
  send_free(job, job.ranks - job.freed, plan::Engine::Release::final);
  job.state = JobState::inactive;
  job.granted = {};
}

void EmulatedInstance::send_free(Job& job, const Idset& ranks, plan::Engine::Release kind) {
  sched::FreeRequest request{job.id, ranks, kind};
  if (is_wire()) {
    const graph::RHeader header{{*job.start, job.expiration}, job.nslots, nullptr};
    const graph::ResourceSet part = job.granted.restricted_to(machine_.nodes_with_ranks(ranks));
    request = wire::free(request, graph::write_r(part, machine_, header));
  }
  job.freed = job.freed | ranks;
  if (checker_) checker_->free(job.id, ranks, kind);
  scheduler_->free(request);
  observer_->on_free(job.id, ranks, kind == plan::Engine::Release::final);
}

void EmulatedInstance::free_ranks(JobId id, const Idset& ranks, bool final) {
  idle_wakeups_ = 0;
  Job& job = jobs_.at(id);
  if (!job.holds_resources()) return;
  const Idset named = ranks & job.ranks;
  if (!final) {
    send_free(job, named, plan::Engine::Release::partial);
  } else {
    // The last free of a job is the end of it, if it has not ended yet.
    if (job.state == JobState::running) observer_->on_finish(id, FinishReason::done);
    set_timer(job, std::nullopt);
    send_free(job, named, plan::Engine::Release::final);
    job.state = JobState::inactive;
    job.granted = {};
  }
  carry_out();
}

/// Jobs whose end or free is due, in time and id order.
void EmulatedInstance::end_due_jobs() {
  while (!timers_.empty() && timers_.begin()->first <= now_) {
    Job& job = jobs_.at(timers_.begin()->second);
    set_timer(job, std::nullopt);
    if (job.state == JobState::running) {
      finish(job, job.end() == job.expiration ? FinishReason::timeout : FinishReason::done);
    } else {
      release(job);
    }
  }
  carry_out();
}

// ---- resource module -------------------------------------------------------------------

void EmulatedInstance::send_acquire(const sched::AcquireUpdate& update) {
  idle_wakeups_ = 0;
  if (checker_) checker_->facts_changed();
  scheduler_->update(is_wire() ? wire::acquire_update(update) : update);
  carry_out();
}

void EmulatedInstance::mark_up(const Idset& ranks) {
  machine_.mark_up(ranks);
  observer_->on_nodes(ranks, NodeChange::up);
  sched::AcquireUpdate update;
  update.up = ranks;
  send_acquire(update);
}

void EmulatedInstance::mark_down(const Idset& ranks) {
  machine_.mark_down(ranks);
  observer_->on_nodes(ranks, NodeChange::down);
  sched::AcquireUpdate update;
  update.down = ranks;
  send_acquire(update);
}

void EmulatedInstance::shrink(const Idset& ranks) {
  machine_.shrink(ranks);
  observer_->on_nodes(ranks, NodeChange::lost);
  sched::AcquireUpdate update;
  update.down = ranks;  // RFC 28: ranks that are lost are in `down` as well
  update.shrink = ranks;
  send_acquire(update);
}

void EmulatedInstance::change_properties(const std::map<std::string, Idset>& add,
                                         const std::map<std::string, Idset>& remove) {
  for (const auto& [name, ranks] : add) machine_.add_property(name, ranks);
  for (const auto& [name, ranks] : remove) machine_.remove_property(name, ranks);
  sched::AcquireUpdate update;
  update.property_add = add;
  update.property_remove = remove;
  send_acquire(update);
}

void EmulatedInstance::set_instance_expiration(Time expiration) {
  expiration_ = expiration;
  if (checker_) checker_->instance_expiration(expiration);
  sched::AcquireUpdate update;
  update.expiration = expiration;
  send_acquire(update);
  // The job manager moves jobs without a limit of their own and does not ask.
  for (Job& job : jobs_) {
    if (job.state != JobState::running || !job.duration.is_infinite()) continue;
    if (job.expiration == expiration) continue;
    job.expiration = expiration;
    set_timer(job, job.end());
    observer_->on_update(job.id, std::optional<Time>(expiration));
  }
}

// ---- time ------------------------------------------------------------------------------

Time EmulatedInstance::next_event() const {
  const Time end = timers_.empty() ? Time::never() : timers_.begin()->first;
  if (end <= now_) return now_;
  if (timers_.empty() && idle_wakeups_ >= kMaxIdleWakeups) return Time::never();
  const Time wakeup = scheduler_->next_wakeup();
  return wakeup <= now_ ? end : std::min(end, wakeup);
}

void EmulatedInstance::advance_to(Time t) {
  CHECK(t >= now_, "time goes back");
  for (Time next = next_event(); next < t; next = next_event()) {
    now_ = next;
    end_due_jobs();
    settle();
  }
  now_ = t;
  end_due_jobs();
}

void EmulatedInstance::run_pass() {
  const bool measured = options_.stopwatch && options_.on_pass;
  const Duration before = measured ? options_.stopwatch() : Duration::zero();
  while (scheduler_->run_pass(now_) == plan::PassState::interrupted) {
  }
  if (measured) options_.on_pass(options_.stopwatch() - before);
}

void EmulatedInstance::settle() {
  // With no job left that could end, a planned start that moves on each time it arrives
  // waits for something that will never come.
  const bool alone = timers_.empty() && scheduler_->engine().next_wakeup() <= now_;
  const std::uint64_t starts = starts_;
  for (int passes = 0;; ++passes) {
    CHECK(passes < kMaxPassesAtOneTime, "the scheduler does not come to rest");
    run_pass();
    const bool more = carry_out();
    const bool due = !timers_.empty() && timers_.begin()->first <= now_;
    if (due) end_due_jobs();
    if (!more && !due) break;
  }
  if (starts_ != starts) {
    idle_wakeups_ = 0;
  } else if (alone) {
    ++idle_wakeups_;
  }
  if (checker_) checker_->plan(view_of(scheduler_->engine()), now_);
  if (scheduler_->next_wakeup() <= now_) {
    observer_->on_fault("the scheduler asks to be woken at the present again");
  }
  observer_->on_settled();
}

// ---- views -----------------------------------------------------------------------------

JobState EmulatedInstance::state(JobId id) const {
  const Job* job = jobs_.find(id);
  return job == nullptr ? JobState::unknown : job->state;
}

Result<Time> EmulatedInstance::end_after(JobId id, DurationChange change) const {
  const Job& job = jobs_.at(id);
  if (job.state != JobState::running) {
    return failure(ErrorCode::not_found, "job {} is {}; only a running job has an end that moves",
                   format_f58(id), to_string(job.state));
  }
  const auto duration = changed(job.duration, change);
  if (!duration) return duration.error();
  return new_end(job, *duration);
}

std::optional<Time> EmulatedInstance::expiration(JobId id) const {
  const Job& job = jobs_.at(id);
  if (job.state != JobState::running) return std::nullopt;
  return job.expiration;
}

std::uint32_t EmulatedInstance::free_node_count() const {
  graph::NodeSet free = machine_.up();
  for (const Job& job : jobs_) {
    if (job.holds_resources()) free -= machine_.nodes_with_ranks(job.ranks - job.freed);
  }
  return free.count();
}

}  // namespace

Result<Duration> changed(Duration present, DurationChange change) {
  if (change.kind == DurationChange::Kind::absolute) {
    return change.amount == Duration::zero() ? Duration::infinite() : change.amount;
  }
  const bool plus = change.kind == DurationChange::Kind::plus;
  const std::string text = fmt::format("{}{}", plus ? '+' : '-', format_fsd(change.amount));
  if (present.is_infinite()) {
    return failure(ErrorCode::invalid,
                   "duration: {} is relative but the job is unlimited; give an absolute duration",
                   text);
  }
  if (plus) return present + change.amount;
  if (change.amount >= present) {
    return failure(ErrorCode::invalid, "duration: {} leaves nothing of the present {}", text,
                   format_fsd(present));
  }
  return present - change.amount;
}

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::unknown:
      return "unknown";
    case JobState::pending:
      return "pending";
    case JobState::running:
      return "running";
    case JobState::epilog:
      return "in its epilog";
    case JobState::inactive:
      return "inactive";
  }
  CHECK(false, "no such state");
}

std::string_view to_string(FinishReason reason) {
  switch (reason) {
    case FinishReason::done:
      return "done";
    case FinishReason::timeout:
      return "timeout";
    case FinishReason::canceled:
      return "canceled";
  }
  CHECK(false, "no such reason");
}

Result<std::unique_ptr<Instance>> Instance::create(const json::value& r, const Idset& up,
                                                   InstanceOptions options, Observer& observer) {
  auto inventory = graph::read_inventory(r);
  if (!inventory) return inventory.error();
  auto instance =
      std::make_unique<EmulatedInstance>(*std::move(inventory), std::move(options), observer);
  if (auto booted = instance->boot(r, up); !booted) return booted.error();
  return std::unique_ptr<Instance>(std::move(instance));
}

}  // namespace tenure::emul
