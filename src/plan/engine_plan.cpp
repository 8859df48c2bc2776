// Engine: what an event invalidates. Each rule is proved in docs/design/planning.md.
#include <algorithm>

#include "plan/engine.hpp"

namespace tenure::plan {

using graph::NodeSet;
using graph::ResourceSet;
using Outcome = PlannedJob::Outcome;

/// Position of the first plan entry at or behind the key.
std::size_t Engine::position(const QueueKey& key) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(plan_, key, {}, &PlannedJob::key) -
                                  plan_.begin());
}

/// The last entry of a queue, or nullptr. O(entries of other queues behind it).
const PlannedJob* Engine::last_entry_of(std::uint32_t queue) const {
  const auto of_queue = [&](const PlannedJob& entry) { return entry.queue == queue; };
  const auto last = std::find_if(plan_.rbegin(), plan_.rend(), of_queue);
  return last == plan_.rend() ? nullptr : &*last;
}

/// Takes an entry out of the counts, and its reservation out of the profile. Its queue is not
/// stopped behind it any more.
void Engine::uncount(const PlannedJob& entry) {
  Queue& queue = queues_[entry.queue];
  if (entry.outcome == Outcome::waiting) queue.stopped_at_wait = false;
  if (entry.outcome == Outcome::reserved) {
    profile_.remove(entry.placement.span, entry.placement.resources);
    --queue.reserved;
  }
  if (entry.outcome == Outcome::unplanned) return;
  --queue.counted;
  --counted_;
}

void Engine::undo_from(std::size_t position) {
  if (position >= plan_.size()) return;
  complete_ = false;
  counters_.decisions_undone += plan_.size() - position;
  while (plan_.size() > position) {
    const PlannedJob& entry = plan_.back();
    if (entry.outcome == Outcome::reserved) {
      promised_.emplace(entry.key.id, entry.placement.span.start);  // the first one counts
    }
    uncount(entry);
    plan_.pop_back();
    plan_jobs_.pop_back();
    bounds_.pop_back();
  }
}

/// Undoes from the first entry at or behind position `from` that is affected.
void Engine::undo_first(std::size_t from, const Affected& affected) {
  for (std::size_t i = from; i < plan_.size(); ++i) {
    if (affected(plan_[i], *plan_jobs_[i])) return undo_from(i);
  }
}

/// Removes one entry whose job is gone or starts, without touching those behind it, and
/// returns its placement. If the queue had stopped, the pass reaches further in it: from its
/// next job on.
match::Placement Engine::drop_entry(std::size_t position) {
  PlannedJob entry = std::move(plan_[position]);
  Queue& queue = queues_[entry.queue];
  const bool was_stopped = queue.is_stopped();
  plan_.erase(plan_.begin() + static_cast<std::ptrdiff_t>(position));
  plan_jobs_.erase(plan_jobs_.begin() + static_cast<std::ptrdiff_t>(position));
  bounds_.erase(bounds_.begin() + static_cast<std::ptrdiff_t>(position));
  uncount(entry);
  if (was_stopped && !queue.is_stopped()) {
    const PlannedJob* last = last_entry_of(entry.queue);
    const bool is_behind = last != nullptr && last->key > entry.key;
    const auto next = queue.jobs.upper_bound(is_behind ? last->key : entry.key);
    if (next != queue.jobs.end()) {
      complete_ = false;
      undo_from(this->position(next->first));
    }
  }
  return std::move(entry.placement);
}

/// Resources become taken for a span. Reservations on them have to move. A job that waits
/// without a reservation stays so, unless that puts it beyond planning.
void Engine::on_taken(const ResourceSet& resources, Span span) {
  undo_first(0, [&](const PlannedJob& entry, const PendingJob& job) {
    if (entry.outcome == Outcome::reserved) {
      return entry.placement.span.overlaps(span) && entry.placement.resources.overlaps(resources);
    }
    return may_be_put_beyond_planning(entry, job, resources, span.end);
  });
}

/// Can a waiting job lose its last possible start when resources are taken until `end`?
bool Engine::may_be_put_beyond_planning(const PlannedJob& entry, const PendingJob& job,
                                        const ResourceSet& resources, Time end) const {
  return entry.outcome == Outcome::waiting && (end.is_never() || !entry.fits_in_the_end) &&
         resources.touches(matcher_.eligible(*job.request));
}

/// Resources become free from a time on: a decision can differ if its job may use them and
/// could hold them at or behind that time.
void Engine::on_freed(const ResourceSet& resources, Time from, std::size_t first) {
  undo_first(first, [&](const PlannedJob& entry, const PendingJob& job) {
    if (entry.outcome == Outcome::reserved && entry.placement.span.end <= from) return false;
    return resources.touches(matcher_.eligible(*job.request));
  });
}

/// Nodes came up: whoever may use them can decide otherwise.
void Engine::on_usable_nodes_grew(const NodeSet& nodes) {
  if (nodes.none()) return;
  undo_first(0, [&](const PlannedJob&, const PendingJob& job) {
    return matcher_.candidates(*job.request).count_and(nodes) > 0;
  });
}

/// Nodes went down or away: reservations on them move; who has none may now wait for another
/// reason, or be beyond planning.
void Engine::on_nodes_lost(const NodeSet& nodes) {
  if (nodes.none()) return;
  undo_first(0, [&](const PlannedJob& entry, const PendingJob&) {
    if (entry.outcome == Outcome::reserved) return entry.placement.resources.touches(nodes);
    return true;
  });
}

void Engine::on_constraints_changed() {
  undo_first(0, [](const PlannedJob&, const PendingJob& job) {
    return !job.request->constraint.always();
  });
}

/// A reservation of a queue is gone from the count: its first job that went without may get
/// one.
void Engine::on_room_for_reservation(std::uint32_t queue, std::size_t first) {
  if (queues_[queue].reserved >= queues_[queue].future_starts) return;
  undo_first(first, [&](const PlannedJob& entry, const PendingJob&) {
    return entry.queue == queue && entry.outcome == Outcome::waiting;
  });
}

}  // namespace tenure::plan
