#include "sched/annotator.hpp"

#include <algorithm>
#include <utility>

#include "graph/formats/r.hpp"
#include "sched/scheduler.hpp"

namespace tenure::sched {

namespace {

/// A change of one key; nothing when both are equal.
template <class T>
Change<T> change_between(const std::optional<T>& from, const std::optional<T>& to) {
  if (from == to) return std::nullopt;
  return Change<T>(std::in_place, to);
}

}  // namespace

Annotator::Seen Annotator::see(const plan::PlannedJob& entry) {
  const bool reserved = entry.outcome == plan::PlannedJob::Outcome::reserved;
  return Seen{.place = reserved ? Seen::Place::reserved : Seen::Place::waiting,
              .start = reserved ? entry.placement.span.start : Time::never(),
              .why = entry.why};
}

Annotations Annotator::difference(const Shown& from, const Shown& to) {
  return Annotations{.t_estimate = change_between(from.t_estimate, to.t_estimate),
                     .reason_pending = change_between(from.reason_pending, to.reason_pending),
                     .resource_summary = std::nullopt,
                     .selection_type = change_between(from.selection_type, to.selection_type)};
}

/// The earliest time at which the job may be looked at and annotated.
Time Annotator::due(const Record& record, bool changed, Duration interval) {
  Time due = record.sent_at ? *record.sent_at + interval : Time::microseconds(0);
  if (record.failed) due = std::max(due, *record.looked_at + std::max(interval, kRetryAfter));
  if (!changed && record.looked_at) due = std::max(due, *record.looked_at + interval);
  return due;
}

Annotator::Shown Annotator::show(JobId id, const Seen& seen, const plan::Engine& engine, Time now) {
  ++counters_.explained;
  Shown shown;
  shown.reason_pending = plan::describe(engine.explain(id, now), time_text_);
  if (seen.place == Seen::Place::reserved) {
    shown.t_estimate = seen.start;
    shown.selection_type = std::string(plan::to_string(plan::Selection::reserved));
  }
  return shown;
}

bool Annotator::visit(JobId id, const Seen& seen, const plan::Engine& engine, Duration interval,
                      Time now, Peer& peer) {
  Record& record = records_[id];
  record.round = round_;
  const bool changed = !record.looked_at || !(record.seen == seen);
  if (!changed && !record.failed && record.version == version_) return false;
  if (const Time at = due(record, changed, interval); now < at) {
    ++counters_.held_back;
    next_ = std::min(next_, at);
    return true;
  }
  Shown shown = show(id, seen, engine, now);
  record.looked_at = now;
  record.version = version_;
  record.seen = seen;
  record.failed = false;
  const Annotations changes = difference(record.sent, shown);
  if (changes.empty()) return false;
  if (!peer.annotate(id, changes)) {
    ++counters_.failed;
    record.failed = true;
    next_ = std::min(next_, now + std::max(interval, kRetryAfter));
    return true;
  }
  ++counters_.sent;
  record.sent = std::move(shown);
  record.sent_at = now;
  return false;
}

void Annotator::run(const plan::Engine& engine, Duration interval, Time now, Peer& peer) {
  if (run_version_ == version_ && now < next_) return;
  run_version_ = version_;
  next_ = Time::never();
  ++round_;
  const std::vector<JobId> before = std::exchange(watched_, {});
  for (const plan::PlannedJob& entry : engine.planned()) {
    watched_.push_back(entry.key.id);
    visit(entry.key.id, see(entry), engine, interval, now, peer);
  }
  for (const JobId id : before) {  // those that left the plan and still wait
    const auto record = records_.find(id);
    if (record == records_.end() || record->second.round == round_) continue;
    if (visit(id, Seen{}, engine, interval, now, peer)) watched_.push_back(id);
  }
}

Annotations Annotator::of_success(const plan::Start& start,
                                  const graph::ResourceGraph& graph) const {
  const auto record = records_.find(start.id);
  Annotations annotations =
      record == records_.end() ? Annotations{} : difference(record->second.sent, Shown{});
  annotations.selection_type.emplace(plan::to_string(start.selection));
  annotations.resource_summary.emplace(graph::resource_summary(start.placement.resources, graph));
  return annotations;
}

}  // namespace tenure::sched
