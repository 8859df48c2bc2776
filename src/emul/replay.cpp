#include "emul/replay.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <set>
#include <utility>

#include "base/check.hpp"
#include "emul/instance.hpp"
#include "graph/formats/r.hpp"
#include "jobspec/jobspec.hpp"

namespace tenure::emul {
namespace {

namespace json = boost::json;

/// Events between two calls of the progress function.
constexpr std::uint64_t kEventsPerReport = 32;
/// Shared jobspecs that are kept at once.
constexpr std::size_t kMaxShared = 65'536;

/// Jobspecs of equal requests are the same object.
class Jobspecs {
 public:
  explicit Jobspecs(Sharing sharing) : sharing_(sharing) {}

  std::shared_ptr<const jobspec::Jobspec> get(std::uint64_t units, Duration walltime) {
    if (made_.size() >= kMaxShared) made_.clear();
    auto& place = made_[{units, walltime.count()}];
    if (!place) place = make(units, walltime);
    return place;
  }

 private:
  std::shared_ptr<const jobspec::Jobspec> make(std::uint64_t units, Duration walltime) const {
    jobspec::Shorthand request;
    request.slots = units;
    request.duration = walltime;
    if (sharing_ == Sharing::nodes) {
      request.nodes = units;
      request.exclusive = true;
    }
    auto parsed = jobspec::parse(jobspec::write(request));
    CHECK(parsed.has_value(), "a request of the replay is refused: {}", parsed.error().message);
    return std::make_shared<const jobspec::Jobspec>(*std::move(parsed));
  }

  Sharing sharing_;
  boost::unordered_flat_map<std::pair<std::uint64_t, std::int64_t>,
                            std::shared_ptr<const jobspec::Jobspec>>
      made_;
};

class Player final : public Observer {
 public:
  Player(const Workload& workload, const ReplayOptions& options)
      : workload_(&workload),
        options_(&options),
        jobs_(std::span(workload.jobs).first(std::min(options.jobs, workload.jobs.size()))),
        jobspecs_(options.sharing) {
    const std::uint64_t cores =
        options.sharing == Sharing::cores ? options.machine.cores_per_node : std::uint64_t{1};
    result_.horizon.units = options.machine.nodes * cores;
    result_.jobs.reserve(jobs_.size());
    for (const TraceJob& job : jobs_) result_.jobs.push_back(record_of(job));
  }

  Result<Replay> play() &&;

  void on_deny(JobId id, std::string_view note) override;
  void on_start(JobId id, const sched::AllocSuccess& success) override;
  void on_update(JobId id, const Result<std::optional<Time>>& end) override;
  void on_finish(JobId id, FinishReason reason) override;
  void on_fault(std::string_view text) override;

 private:
  JobRecord record_of(const TraceJob& job) const {
    JobRecord record;
    record.number = job.number;
    record.submit = workload_->epoch + job.submit;
    record.walltime = job.walltime;
    record.runtime = job.runtime;
    record.procs = job.procs;
    record.user = job.user;
    record.queue = job.queue;
    record.units = units_for(job.procs, options_->machine, options_->sharing);
    return record;
  }
  /// Ids are given in submission order, from 1.
  JobRecord& of(JobId id) { return result_.jobs[id.value() - 1]; }

  bool keeps_announcements() const {
    return options_->keep_announcements == KeepAnnouncements::yes;
  }

  Result<void> boot();
  Time next_time() const;
  void ask_for_more();
  void submit_due();
  void consider_asking(JobId id, Time expiration);
  void on_pass(Duration elapsed);
  void report(bool always);
  void note_announcements();
  void keep_plan();

  const Workload* workload_;
  const ReplayOptions* options_;
  std::span<const TraceJob> jobs_;
  Jobspecs jobspecs_;
  std::unique_ptr<Instance> instance_;
  std::size_t next_submission_ = 0;
  std::set<std::pair<Time, JobId>> asks_;  ///< when who asks for more time
  std::vector<std::uint32_t> requests_;    ///< made so far, by job, under an extension rule
  std::size_t ended_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t planned_before_ = 0;
  std::uint64_t held_before_ = 0;
  std::uint64_t planned_at_note_ = 0;
  Replay result_;
};

Result<void> Player::boot() {
  InstanceOptions options;
  options.scheduler.config = options_->config;
  options.scheduler.annotate = sched::SchedulerSettings::Annotate::no;
  options.link = Link::direct;
  options.start = result_.jobs.front().submit;
  options.stopwatch = options_->stopwatch;
  if (options_->stopwatch) options.on_pass = [this](Duration elapsed) { on_pass(elapsed); };
  const graph::RegularMachine machine{.nodes = options_->machine.nodes,
                                      .cores = options_->machine.cores_per_node};
  auto instance =
      Instance::create(graph::write_r(machine), Idset::range(0, options_->machine.nodes - 1),
                       std::move(options), *this);
  if (!instance) return instance.error();
  instance_ = *std::move(instance);
  if (keeps_announcements()) result_.announcements.resize(jobs_.size());
  if (options_->extend) requests_.resize(jobs_.size());
  return {};
}

/// The next time at which anything happens; never() when nothing will.
Time Player::next_time() const {
  Time next = instance_->next_event();
  if (next_submission_ < jobs_.size()) {
    next = std::min(next, result_.jobs[next_submission_].submit);
  }
  if (!asks_.empty()) next = std::min(next, asks_.begin()->first);
  return next;
}

Result<Replay> Player::play() && {
  if (auto booted = boot(); !booted) return booted.error();
  const Time stop = result_.jobs.front().submit + options_->until;
  for (Time next = next_time(); !next.is_never() && next <= stop; next = next_time()) {
    instance_->advance_to(next);
    ask_for_more();
    submit_due();
    instance_->settle();
    if (keeps_announcements()) note_announcements();
    report(false);
  }
  result_.horizon.stopped = stop.is_never() ? instance_->now() : stop;
  result_.passes = instance_->scheduler().engine().counters();
  keep_plan();
  report(true);
  return std::move(result_);
}

void Player::submit_due() {
  for (; next_submission_ < jobs_.size(); ++next_submission_) {
    JobRecord& record = result_.jobs[next_submission_];
    if (record.submit > instance_->now()) break;
    record.outcome = Outcome::waiting;
    Submission submission;
    submission.parsed = jobspecs_.get(record.units, record.walltime);
    submission.runtime = record.runtime;
    const JobId id = instance_->submit(std::move(submission));
    CHECK(id.value() == next_submission_ + 1, "job ids do not follow the order of submission");
  }
}

// ---- extensions ------------------------------------------------------------------------

/// A job that its present limit would kill asks `lead` before that, while it may.
void Player::consider_asking(JobId id, Time expiration) {
  const JobRecord& record = of(id);
  if (*record.start + record.runtime <= expiration) return;
  if (requests_[id.value() - 1] >= options_->extend->max) return;
  const Time ask = expiration - options_->extend->lead;
  asks_.emplace(std::max(ask, instance_->now()), id);
}

void Player::ask_for_more() {
  while (!asks_.empty() && asks_.begin()->first <= instance_->now()) {
    const JobId id = asks_.begin()->second;
    asks_.erase(asks_.begin());
    if (instance_->state(id) != JobState::running) continue;
    ++requests_[id.value() - 1];
    ++result_.extensions.asked;
    const Duration amount = options_->extend->amount_for(of(id).walltime);
    instance_->update_duration(id, DurationChange{DurationChange::Kind::plus, amount});
  }
}

/// A refusal is final: the user gives up.
void Player::on_update(JobId id, const Result<std::optional<Time>>& end) {
  JobRecord& record = of(id);
  result_.extension_events.push_back(
      {instance_->now(), id.value() - 1, *record.expires, end ? *end : std::nullopt});
  if (!end) {
    ++result_.extensions.refused;
    return;
  }
  ++result_.extensions.granted;
  ++record.extensions;
  record.expires = *end;
  if (*end) consider_asking(id, **end);
}

// ---- what happens ----------------------------------------------------------------------

void Player::on_deny(JobId id, std::string_view) {
  of(id).outcome = Outcome::refused;
  ++result_.larger_than_machine;
  ++ended_;
}

void Player::on_start(JobId id, const sched::AllocSuccess& success) {
  JobRecord& record = of(id);
  const match::Placement& placement = success.start.placement;
  record.outcome = Outcome::running;
  record.start = placement.span.start;
  record.expires = placement.span.end;
  record.selection = success.start.selection;
  if (options_->keep_ranks == KeepRanks::yes) {
    record.ranks = instance_->machine().ranks_of(placement.resources);
  }
  if (options_->extend) consider_asking(id, placement.span.end);
}

void Player::on_finish(JobId id, FinishReason) {
  JobRecord& record = of(id);
  record.finish = instance_->now();
  const bool cut = *record.start + record.runtime > *record.finish;
  record.outcome = cut ? Outcome::killed : Outcome::done;
  ++ended_;
}

void Player::on_fault(std::string_view text) {
  if (result_.faults.size() < kMaxFaults) result_.faults.emplace_back(text);
}

/// Passes that neither looked at a job nor started one are not counted: the instance asks
/// once more after each start.
void Player::on_pass(Duration elapsed) {
  const plan::Engine& engine = instance_->scheduler().engine();
  const std::uint64_t planned = engine.counters().jobs_planned;
  const std::uint64_t held = engine.allocations().size();
  const bool idle = planned == planned_before_ && held <= held_before_;
  planned_before_ = planned;
  held_before_ = held;
  if (!idle) result_.pass_seconds.push_back(elapsed.to_seconds());
}

// ---- what is planned --------------------------------------------------------------------

/// O(planned jobs), after passes that planned something.
void Player::note_announcements() {
  const plan::Engine& engine = instance_->scheduler().engine();
  if (engine.counters().jobs_planned == planned_at_note_) return;
  planned_at_note_ = engine.counters().jobs_planned;
  note_planned_starts(engine, instance_->now(), result_.announcements);
}

/// The planned starts of the jobs that wait at the stop.
void Player::keep_plan() {
  for (const plan::PlannedJob& planned : instance_->scheduler().engine().planned()) {
    JobRecord& record = of(planned.key.id);
    const bool waits = record.outcome == Outcome::waiting;
    if (!waits || planned.outcome != plan::PlannedJob::Outcome::reserved) continue;
    record.planned = planned.placement.span;
    if (options_->keep_ranks == KeepRanks::yes) {
      record.ranks = instance_->machine().ranks_of(planned.placement.resources);
    }
  }
}

void Player::report(bool always) {
  if (!options_->progress) return;
  if (always || ++events_ % kEventsPerReport == 0) options_->progress(ended_, jobs_.size());
}

}  // namespace

std::uint64_t units_for(std::uint64_t procs, const MachineShape& machine, Sharing sharing) {
  if (sharing == Sharing::cores) return procs;
  return (procs - 1) / machine.cores_per_node + 1;
}

Result<Replay> replay(const Workload& workload, const ReplayOptions& options) {
  CHECK(!workload.jobs.empty() && options.jobs > 0, "a replay without a job");
  return Player(workload, options).play();
}

}  // namespace tenure::emul
