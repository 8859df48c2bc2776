#include "plan/impact.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

namespace tenure::plan {

using Outcome = PlannedJob::Outcome;

namespace {

/// Planned starts that may stop the search for a limit one after the other before it goes on
/// by strides: starts that move along with the end stop it at every microsecond.
constexpr int kMaxStops = 32;

constexpr Duration kMicrosecond = Duration::microseconds(1);

/// A start that is planned, or made at `now`.
struct PlannedStart {
  QueueKey key;
  std::uint64_t nodes = 0;
  Time start;
};

/// The plan as it is without any change: what delays are measured against.
class Baseline {
 public:
  /// `engine` must outlive it.
  Baseline(const Engine& engine, Time now) : engine_(&engine), now_(now) {
    if (!engine.is_complete() || engine.now() != now) {
      completed_ = std::make_unique<Engine>(engine);
      completed_->plan(now);
      for (const Start& start : completed_->take_starts()) add(start, now);
    }
    for (const PlannedJob& entry : planner().planned()) {
      if (entry.outcome != Outcome::reserved) continue;
      const auto& placement = entry.placement;
      by_id_.emplace(entry.key.id, PlannedStart{entry.key, placement.resources.node_count(),
                                                placement.span.start});
    }
  }

  Time now() const { return now_; }
  /// As it was given: what a change is made to.
  const Engine& before() const { return *engine_; }
  /// With a complete pass at `now`.
  const Engine& planner() const { return completed_ ? *completed_ : *engine_; }
  const boost::unordered_flat_map<JobId, PlannedStart>& starts() const { return by_id_; }
  Time start_of(JobId id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? Time::never() : found->second.start;
  }

 private:
  void add(const Start& start, Time now) {
    const QueueKey key{start.job.priority, start.job.submit, start.id};
    by_id_.emplace(start.id, PlannedStart{key, start.placement.resources.node_count(), now});
  }

  const Engine* engine_;
  std::unique_ptr<Engine> completed_;
  boost::unordered_flat_map<JobId, PlannedStart> by_id_;
  Time now_;
};

/// Compares the plan of a fork after a complete pass with the baseline.
void compare(const Baseline& baseline, std::span<const Start> starts,
             std::span<const PlannedJob> planned, Impact& impact) {
  std::vector<std::pair<QueueKey, Shift>> delayed;
  std::vector<std::pair<QueueKey, Shift>> advanced;
  std::size_t met = 0;  // jobs with a start before and after
  const auto look = [&](const QueueKey& key, std::uint64_t nodes, Time start) {
    const Time before = baseline.start_of(key.id);
    if (!before.is_never()) ++met;
    if (start > before) delayed.emplace_back(key, Shift{key.id, nodes, before, start});
    if (start < before) advanced.emplace_back(key, Shift{key.id, nodes, before, start});
  };
  boost::unordered_flat_map<JobId, bool> seen;
  for (const Start& start : starts) {
    seen.emplace(start.id, true);
    look({start.job.priority, start.job.submit, start.id}, start.placement.resources.node_count(),
         baseline.now());
  }
  for (const PlannedJob& entry : planned) {
    if (entry.outcome != Outcome::reserved) continue;
    look(entry.key, entry.placement.resources.node_count(), entry.placement.span.start);
  }
  if (met < baseline.starts().size()) {  // some have no start any more
    for (const PlannedJob& entry : planned) {
      if (entry.outcome == Outcome::reserved) seen.emplace(entry.key.id, true);
    }
    for (const auto& [id, start] : baseline.starts()) {
      if (seen.contains(id)) continue;
      delayed.emplace_back(start.key, Shift{id, start.nodes, start.start, Time::never()});
    }
  }
  const auto in_queue_order = [](auto& list, std::vector<Shift>& to) {
    std::ranges::sort(list, {}, [](const auto& entry) { return entry.first; });
    for (const auto& [key, shift] : list) to.push_back(shift);
  };
  in_queue_order(delayed, impact.delayed);
  in_queue_order(advanced, impact.advanced);
}

Impact preview(const Baseline& baseline, JobId id, Time end) {
  Impact impact{.end = end};
  Engine fork(baseline.before());
  fork.take_starts();
  if (auto done = fork.set_expiration(id, end); !done) {
    impact.refusal = done.error();
    return impact;
  }
  fork.plan(baseline.now());
  const std::vector<Start> starts = fork.take_starts();
  compare(baseline, starts, fork.planned(), impact);
  return impact;
}

/// Moves the end of one job in a fork and says whether that delays somebody.
class Probe {
 public:
  Probe(const Baseline& baseline, JobId id) : baseline_(&baseline), id_(id) { refork(); }

  const Engine& fork() const { return *fork_; }
  /// True when nobody is planned later with this end.
  bool is_harmless(Time end);
  /// The first planned start at or behind `from` on the resources of the job; never().
  Time next_start(Time from) const;

 private:
  void refork() {
    fork_ = std::make_unique<Engine>(baseline_->before());
    fork_->take_starts();
  }
  bool delays_for_certain() const;

  const Baseline* baseline_;
  JobId id_;
  std::unique_ptr<Engine> fork_;
};

/// Is the job that was decided last delayed, whatever comes? Starts can make the pass decide
/// again from an entry that waits without a planned start, and from there on only.
bool Probe::delays_for_certain() const {
  const auto plan = fork_->planned();
  if (plan.empty() || plan.back().outcome != Outcome::reserved) return false;
  const Time before = baseline_->start_of(plan.back().key.id);
  if (plan.back().placement.span.start <= before) return false;
  return std::ranges::none_of(
      plan, [](const PlannedJob& entry) { return entry.outcome == Outcome::waiting; });
}

bool Probe::is_harmless(Time end) {
  const auto done = fork_->set_expiration(id_, end);
  CHECK(done.has_value(), "{}", done.error().message);
  const auto keep_going = [&] { return !delays_for_certain(); };
  if (fork_->plan(baseline_->now(), keep_going) == PassState::interrupted) {
    if (!fork_->take_starts().empty()) refork();
    return false;
  }
  const std::vector<Start> starts = fork_->take_starts();
  Impact impact{.end = end};
  compare(*baseline_, starts, fork_->planned(), impact);
  // A start cannot be taken back when the end moves again.
  if (!starts.empty()) refork();
  return impact.delayed.empty();
}

Time Probe::next_start(Time from) const {
  const graph::ResourceSet& resources = fork_->find_allocation(id_)->resources;
  Time next = Time::never();
  for (const PlannedJob& entry : fork_->planned()) {
    if (entry.outcome != Outcome::reserved) continue;
    const Time start = entry.placement.span.start;
    if (start < from || start >= next) continue;
    if (entry.placement.resources.overlaps(resources)) next = start;
  }
  return next;
}

/// The last harmless end from `harmless` on, before `harmful`, as far as bisection can tell.
/// never() may be harmful where no finite end is, so that the distance is one of counts: that
/// of times is infinite up to the last.
Time bisect(Probe& probe, Time harmless, Time harmful) {
  std::int64_t low = harmless.count();
  std::int64_t high = harmful.count();
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (probe.is_harmless(Time::microseconds(middle)) ? low : high) = middle;
  }
  return Time::microseconds(low);
}

/// From a harmless end on by doubling strides, then back by bisection.
Time stride(Probe& probe, Time harmless, Time cap) {
  for (Duration step = Duration::microseconds(2); harmless < cap; step = step + step) {
    const Time next = std::min(harmless + step, cap);
    if (!probe.is_harmless(next)) return bisect(probe, harmless, next);
    harmless = next;
  }
  return harmless;
}

/// The last harmless end from `harmless` on, at most `cap`.
Time last_harmless(Probe& probe, Time harmless, Time cap) {
  for (int stops = 0; stops < kMaxStops; ++stops) {
    const Time limit = std::min(probe.next_start(harmless), cap);
    if (limit > harmless) {
      if (!probe.is_harmless(limit)) return bisect(probe, harmless, limit);
      harmless = limit;
    }
    if (harmless == cap) return cap;
    if (!probe.is_harmless(harmless + kMicrosecond)) return harmless;
    harmless = harmless + kMicrosecond;
  }
  return stride(probe, harmless, cap);
}

Result<FreeUntil> find_free_until(const Baseline& baseline, JobId id) {
  const Allocation* allocation = baseline.planner().find_allocation(id);
  if (allocation == nullptr) {
    const bool waits = baseline.planner().find_pending(id) != nullptr;
    return failure(ErrorCode::not_found, "id: job {} {}", format_f58(id),
                   waits ? "is pending and holds no resources" : "is not known, or was freed");
  }
  const Time cap = baseline.planner().instance_expiration();
  const auto limit_of = [&](Time end) {
    if (end.is_never()) return FreeUntil{end, FreeUntil::Limit::none};
    return FreeUntil{end, end < cap ? FreeUntil::Limit::delay : FreeUntil::Limit::instance};
  };
  // Past its end the job counts as long as its overrun is taken to last.
  const Time present = std::min(allocation->planned_end, cap);
  if (present == cap) return limit_of(cap);
  Probe probe(baseline, id);
  return limit_of(last_harmless(probe, present, cap));
}

}  // namespace

Cost cost_of(std::span<const Shift> delayed) {
  Cost cost{.delayed = delayed.size(), .lost = 0, .worst = {}, .total = {}, .node_hours = 0};
  for (const Shift& shift : delayed) {
    if (shift.to.is_never()) {
      ++cost.lost;
      continue;
    }
    const Duration delay = shift.to - shift.from;
    cost.worst = std::max(cost.worst, delay);
    cost.total = cost.total + delay;
    cost.node_hours += static_cast<double>(shift.nodes) * delay.to_seconds() / 3600;
  }
  return cost;
}

Impact preview(const Engine& engine, JobId id, Time end, Time now) {
  return preview(Baseline(engine, now), id, end);
}

Result<FreeUntil> find_free_until(const Engine& engine, JobId id, Time now) {
  return find_free_until(Baseline(engine, now), id);
}

Result<Frontier> find_frontier(const Engine& engine, JobId id, Time now,
                               std::span<const Duration> steps) {
  const Baseline baseline(engine, now);
  const auto free = find_free_until(baseline, id);
  if (!free) return free.error();
  Frontier frontier{.free = *free, .steps = {}};
  const Time present = baseline.planner().find_allocation(id)->span.end;
  for (const Duration step : steps) {
    const Time end = present + step;
    if (end <= free->end || end <= now) continue;
    Impact impact = preview(baseline, id, end);
    if (!impact.refusal) frontier.steps.push_back(std::move(impact));
  }
  return frontier;
}

}  // namespace tenure::plan
