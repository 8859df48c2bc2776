#include "report/run_result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/field_metrics.hpp"
#include "report/machine_units.hpp"
#include "report/series.hpp"

namespace tenure::report {
namespace {

namespace json = boost::json;

/// What a row says in words.
struct Texts {
  std::string id;
  std::string user;
  std::string queue;
};

Texts texts_of(const emul::Submission& submission) {
  Texts texts{submission.label, fmt::format("{}", submission.user.value()), {}};
  if (submission.parsed != nullptr) texts.queue = submission.parsed->queue;
  return texts;
}

std::string document(const ResultHead& head, std::span<const emul::JobRecord> jobs,
                     std::span<const Texts> texts, const emul::Announcements& announcements) {
  std::vector<JobRow> rows;
  rows.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    rows.push_back({.id = texts[i].id,
                    .user = texts[i].user,
                    .queue = texts[i].queue,
                    .record = &jobs[i],
                    .announced = announcements.of(i)});
  }
  return result_text(head, rows);
}

}  // namespace

void RunRecorder::on_submit(JobId id) {
  const emul::Submission& submission = instance_->submission(id);
  emul::JobRecord job;
  job.number = static_cast<std::int64_t>(id.value());
  job.submit = instance_->now();
  job.outcome = emul::Outcome::waiting;
  job.walltime = submission.parsed == nullptr ? Duration::infinite() : submission.parsed->duration;
  job.runtime = submission.runtime.value_or(Duration::infinite());
  jobs_.push_back(std::move(job));
  announcements_.resize(jobs_.size());
}

void RunRecorder::on_deny(JobId id, std::string_view) { of(id).outcome = emul::Outcome::refused; }

void RunRecorder::on_start(JobId id, const sched::AllocSuccess& success) {
  emul::JobRecord& job = of(id);
  const match::Placement& placement = success.start.placement;
  job.outcome = emul::Outcome::running;
  job.start = placement.span.start;
  job.expires = placement.span.end;
  job.selection = success.start.selection;
  job.ranks = instance_->machine().ranks_of(placement.resources);
  granted_[id] = placement.resources;
}

void RunRecorder::on_update(JobId id, const Result<std::optional<Time>>& end) {
  if (id.value() < 1 || id.value() > jobs_.size()) return;  // a raw request for some other id
  emul::JobRecord& job = of(id);
  const bool runs = job.outcome == emul::Outcome::running;
  if (!runs || (end && !*end)) return;
  events_.push_back({instance_->now(), id.value() - 1, *job.expires, end ? *end : std::nullopt});
  if (!end) return;
  if (**end > *job.expires) ++job.extensions;
  job.expires = **end;
}

void RunRecorder::on_finish(JobId id, emul::FinishReason reason) {
  emul::JobRecord& job = of(id);
  job.finish = instance_->now();
  const bool cut = reason == emul::FinishReason::timeout && !job.runtime.is_infinite();
  job.outcome = reason == emul::FinishReason::canceled ? emul::Outcome::canceled
                : cut                                  ? emul::Outcome::killed
                                                       : emul::Outcome::done;
}

void RunRecorder::on_cancel(JobId id) { of(id).outcome = emul::Outcome::canceled; }

void RunRecorder::on_nodes(const Idset& ranks, emul::NodeChange change) {
  if (change == emul::NodeChange::up) {
    down_.up(ranks, instance_->now());
  } else {
    down_.down(ranks, instance_->now());
  }
}

void RunRecorder::on_settled() {
  note_planned_starts(instance_->scheduler().engine(), instance_->now(), announcements_);
}

bool RunRecorder::shares_any() const {
  return std::ranges::any_of(jobs_, [this](const emul::JobRecord& job) {
    const auto id = JobId(static_cast<std::uint64_t>(job.number));
    const emul::Submission& submission = instance_->submission(id);
    return submission.parsed != nullptr && shares_nodes(*submission.parsed);
  });
}

std::vector<emul::JobRecord> RunRecorder::final_jobs(UnitKind kind, const Cluster& cluster) const {
  std::vector<emul::JobRecord> jobs = jobs_;
  const graph::ResourceGraph& machine = instance_->machine();
  for (emul::JobRecord& job : jobs) {
    const auto id = JobId(static_cast<std::uint64_t>(job.number));
    const auto granted = granted_.find(id);
    const emul::Submission& submission = instance_->submission(id);
    if (granted != granted_.end()) {
      job.units = units_of(granted->second, machine, kind);
    } else {
      job.units = submission.parsed == nullptr ? 0 : units_of(*submission.parsed, cluster, kind);
    }
    job.procs = job.units;
    const plan::PlannedJob* planned = instance_->scheduler().engine().find_planned(id);
    if (planned == nullptr || planned->outcome != plan::PlannedJob::Outcome::reserved) continue;
    job.planned = planned->placement.span;
    job.ranks = instance_->scheduler().engine().graph().ranks_of(planned->placement.resources);
  }
  return jobs;
}

std::string RunRecorder::result(ResultHead head, Time start) const {
  const UnitKind kind = shares_any() ? UnitKind::core : UnitKind::node;
  head.command = "run";
  head.origin = start;
  head.span = {start, instance_->now()};
  head.cluster = cluster_of(instance_->machine(), kind);
  const std::vector<emul::JobRecord> jobs = final_jobs(kind, head.cluster);
  const emul::Horizon horizon{head.cluster.units, instance_->now()};
  add_record_metrics(head.metrics, jobs, horizon, announcements_, head.cluster.unit);
  head.series = series_of(jobs, head.span, start);
  std::vector<Texts> texts;
  texts.reserve(jobs.size());
  for (const emul::JobRecord& job : jobs) {
    const auto id = JobId(static_cast<std::uint64_t>(job.number));
    texts.push_back(texts_of(instance_->submission(id)));
  }
  head.events = events_json(events_, start, [&](std::size_t job) { return texts[job].id; });
  head.down = down_json(down_.spans(), start);
  return document(head, jobs, texts, announcements_);
}

// ---- snapshots -------------------------------------------------------------------------

namespace {

/// Records and their texts, as a snapshot gives them.
class SnapshotJobs {
 public:
  explicit SnapshotJobs(const sched::Snapshot& snapshot) : snapshot_(&snapshot) {
    const plan::Engine& engine = *snapshot.engine;
    bool shares = false;
    for (const auto& [id, held] : engine.allocations()) shares |= !held.resources.parts().empty();
    engine.for_each_pending([&](const plan::PendingJob& job) {
      shares |= job.jobspec != nullptr && shares_nodes(*job.jobspec);
    });
    kind_ = shares ? UnitKind::core : UnitKind::node;
    cluster = cluster_of(engine.graph(), kind_);
    for (const auto& [id, held] : engine.allocations()) add(held);
    engine.for_each_pending([&](const plan::PendingJob& job) { add(job); });
  }

  Cluster cluster;
  std::vector<emul::JobRecord> records;
  std::vector<Texts> texts;

 private:
  void add(const plan::Allocation& held) {
    const graph::ResourceGraph& graph = snapshot_->engine->graph();
    emul::JobRecord job;
    job.submit = held.span.start;
    job.start = held.span.start;
    const bool unlimited = held.end_origin == plan::EndOrigin::instance || held.span.end.is_never();
    job.walltime = unlimited ? Duration::infinite() : held.span.end - held.span.start;
    job.runtime = Duration::infinite();
    job.expires = held.planned_end;
    job.outcome = emul::Outcome::running;
    job.ranks = graph.ranks_of(held.resources);
    job.units = job.procs = units_of(held.resources, graph, kind_);
    keep(held.id, held.user, {}, std::move(job));
  }
  void add(const plan::PendingJob& pending) {
    const plan::Engine& engine = *snapshot_->engine;
    emul::JobRecord job;
    job.submit = pending.submit;
    job.walltime = pending.duration;
    job.runtime = Duration::infinite();
    job.outcome = emul::Outcome::waiting;
    if (pending.jobspec != nullptr) {
      job.units = job.procs = units_of(*pending.jobspec, cluster, kind_);
    }
    const plan::PlannedJob* planned = engine.find_planned(pending.id);
    if (planned != nullptr && planned->outcome == plan::PlannedJob::Outcome::reserved) {
      job.planned = planned->placement.span;
      job.ranks = engine.graph().ranks_of(planned->placement.resources);
    }
    keep(pending.id, pending.user, pending.queue, std::move(job));
  }
  void keep(JobId id, UserId user, std::string queue, emul::JobRecord job) {
    const auto name = snapshot_->labels.names.find(id);
    texts.push_back({name == snapshot_->labels.names.end() ? format_f58(id) : name->second,
                     fmt::format("{}", user.value()), std::move(queue)});
    records.push_back(std::move(job));
  }

  const sched::Snapshot* snapshot_;
  UnitKind kind_ = UnitKind::node;
};

Time begin_of(std::span<const emul::JobRecord> jobs, Time now) {
  Time begin = now;
  for (const emul::JobRecord& job : jobs) {
    if (job.start) begin = std::min(begin, *job.start);
  }
  return begin;
}

}  // namespace

std::string snapshot_result(sched::Snapshot& snapshot, std::string_view name,
                            std::string_view producer) {
  plan::Engine& engine = *snapshot.engine;
  engine.plan(snapshot.now);
  const SnapshotJobs jobs(snapshot);
  ResultHead head;
  head.producer = producer;
  head.command = "snapshot";
  head.name = name;
  head.origin = snapshot.labels.origin.value_or(Time());
  head.span = {begin_of(jobs.records, snapshot.now), snapshot.now};
  head.cluster = jobs.cluster;
  head.config = sched::to_json(snapshot.config);
  const auto running = engine.allocations().size();
  head.metrics["jobs"] =
      json::object{{"running", running}, {"waiting", jobs.records.size() - running}};
  graph::NodeSet off = engine.graph().present();
  off -= engine.graph().up();
  emul::DownLog down;
  down.down(engine.graph().ranks_of(off), head.span.start);
  head.down = down_json(down.spans(), head.origin);
  return document(head, jobs.records, jobs.texts, {});
}

}  // namespace tenure::report
