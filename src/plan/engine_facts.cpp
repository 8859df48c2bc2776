// Engine, first half: facts, and which part of the plan each event invalidates.
#include <algorithm>

#include "plan/engine.hpp"

namespace tenure::plan {

using graph::NodeSet;
using graph::ResourceSet;
using Outcome = PlannedJob::Outcome;

namespace {

QueueKey key_for(const PendingJob& job) { return {job.priority, job.submit, job.id}; }

/// An allocation counts from the beginning of time, so that no change point lies behind now.
Span held_span(const Allocation& allocation) {
  return {profile::kBeginning, allocation.planned_end};
}

}  // namespace

Engine::Engine(graph::ResourceGraph graph, Time instance_expiration, Options options)
    : graph_(std::move(graph)),
      instance_expiration_(instance_expiration),
      options_(options),
      matcher_(graph_, options.match_policy),
      profile_(graph_) {}

Engine::Engine(const Engine& other)
    : graph_(other.graph_),
      instance_expiration_(other.instance_expiration_),
      options_(other.options_),
      matcher_(graph_, other.options_.match_policy),
      profile_(other.profile_, graph_),
      pending_(other.pending_),
      key_of_(other.key_of_),
      allocations_(other.allocations_),
      ends_(other.ends_),
      overrun_(other.overrun_),
      plan_(other.plan_),
      counted_(other.counted_),
      reserved_(other.reserved_),
      fcfs_stopped_(other.fcfs_stopped_),
      starts_(other.starts_),
      counters_(other.counters_),
      now_(other.now_),
      complete_(other.complete_) {
  plan_jobs_.reserve(plan_.size());
  for (const PlannedJob& entry : plan_) plan_jobs_.push_back(&pending_.at(entry.key));
}

// ---- what an event invalidates -------------------------------------------------------------

/// Position of the first plan entry at or behind the key.
std::size_t Engine::position(const QueueKey& key) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(plan_, key, {}, &PlannedJob::key) -
                                  plan_.begin());
}

void Engine::undo_from(std::size_t position) {
  if (position >= plan_.size()) return;
  complete_ = false;
  fcfs_stopped_ = false;
  counters_.decisions_undone += plan_.size() - position;
  while (plan_.size() > position) {
    const PlannedJob& entry = plan_.back();
    if (entry.outcome == Outcome::reserved) {
      profile_.remove(entry.placement.span, entry.placement.resources);
      --reserved_;
    }
    if (entry.outcome != Outcome::unplanned) --counted_;
    plan_.pop_back();
    plan_jobs_.pop_back();
  }
}

/// Undoes from the first entry at or behind position `from` that is affected.
void Engine::undo_first(std::size_t from, const Affected& affected) {
  for (std::size_t i = from; i < plan_.size(); ++i) {
    if (affected(plan_[i], *plan_jobs_[i])) return undo_from(i);
  }
}

/// Removes one entry whose job is gone or started, without touching those behind it.
/// A reservation's resources must have been removed from the profile, or taken over.
void Engine::drop_entry(std::size_t position) {
  const PlannedJob& entry = plan_[position];
  if (is_stopped()) complete_ = false;  // the pass may now reach further
  if (entry.outcome == Outcome::reserved) --reserved_;
  if (entry.outcome != Outcome::unplanned) --counted_;
  if (position + 1 == plan_.size()) fcfs_stopped_ = false;
  plan_.erase(plan_.begin() + static_cast<std::ptrdiff_t>(position));
  plan_jobs_.erase(plan_jobs_.begin() + static_cast<std::ptrdiff_t>(position));
}

/// Resources become taken for a span. Reservations on them have to move. A job that waits
/// without a reservation stays so, unless it may now be beyond planning: that depends on what
/// is free in the end, or before the instance ends.
void Engine::on_taken(const ResourceSet& resources, Span span) {
  const bool for_good = span.end.is_never() || !instance_expiration_.is_never();
  undo_first(0, [&](const PlannedJob& entry, const PendingJob& job) {
    if (entry.outcome == Outcome::reserved) {
      return entry.placement.span.overlaps(span) && entry.placement.resources.overlaps(resources);
    }
    return entry.outcome == Outcome::waiting && for_good &&
           resources.touches(matcher_.eligible(*job.request));
  });
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

/// A reservation is gone from the count: the first job that went without may get one.
void Engine::on_room_for_reservation(std::size_t first) {
  if (reserved_ >= options_.future_starts()) return;
  undo_first(first, [](const PlannedJob& entry, const PendingJob&) {
    return entry.outcome == Outcome::waiting;
  });
}

// ---- waiting jobs --------------------------------------------------------------------------

void Engine::enqueue(PendingJob job) {
  const QueueKey key = key_for(job);
  if (plan_.empty() || key < plan_.back().key) {
    undo_from(position(key));
    complete_ = false;
  } else if (!is_stopped()) {
    complete_ = false;
  }
  key_of_.emplace(job.id, key);
  pending_.emplace(key, std::move(job));
}

void Engine::dequeue(Queue::iterator place) {
  const std::size_t index = position(place->first);
  if (index < plan_.size() && plan_[index].key == place->first) {
    const bool was_reserved = plan_[index].outcome == Outcome::reserved;
    const match::Placement placement = std::move(plan_[index].placement);
    if (was_reserved) profile_.remove(placement.span, placement.resources);
    drop_entry(index);
    if (was_reserved) {
      on_freed(placement.resources, placement.span.start, index);
      on_room_for_reservation(index);
    }
  }
  key_of_.erase(place->second.id);
  pending_.erase(place);
}

Result<void> Engine::submit(PendingJob job) {
  if (key_of_.contains(job.id) || allocations_.contains(job.id)) {
    return failure(ErrorCode::exists, "id: job {} is {} already", format_f58(job.id),
                   key_of_.contains(job.id) ? "waiting" : "holding resources");
  }
  enqueue(std::move(job));
  return {};
}

bool Engine::withdraw(JobId id) {
  const auto found = key_of_.find(id);
  if (found == key_of_.end()) return false;
  dequeue(pending_.find(found->second));
  return true;
}

void Engine::prioritize(std::span<const std::pair<JobId, Priority>> priorities) {
  for (const auto& [id, priority] : priorities) {
    const auto found = key_of_.find(id);
    if (found == key_of_.end() || found->second.priority == priority) continue;
    const auto place = pending_.find(found->second);
    PendingJob job = place->second;
    job.priority = priority;
    dequeue(place);
    enqueue(std::move(job));
  }
}

const PendingJob* Engine::find_pending(JobId id) const {
  const auto found = key_of_.find(id);
  return found == key_of_.end() ? nullptr : &pending_.at(found->second);
}

// ---- allocations ---------------------------------------------------------------------------

const Allocation* Engine::find_allocation(JobId id) const {
  const auto found = allocations_.find(id);
  return found == allocations_.end() ? nullptr : &found->second;
}

void Engine::forget_end(const Allocation& allocation) {
  overrun_.erase(allocation.id);
  ends_.erase({allocation.span.end, allocation.id});
}

void Engine::note_end(const Allocation& allocation) {
  ends_.emplace(allocation.span.end, allocation.id);
}

/// Moves the end in the profile, after what it runs into was taken back from the plan.
void Engine::set_planned_end(Allocation& allocation, Time end) {
  const Time old_end = allocation.planned_end;
  if (end == old_end) return;
  if (end > old_end) {
    on_taken(allocation.resources, Span{old_end, end});
    profile_.move_end(old_end, end, allocation.resources);
  } else {
    profile_.move_end(old_end, end, allocation.resources);
    on_freed(allocation.resources, end);
  }
  allocation.planned_end = end;
}

void Engine::set_end(Allocation& allocation, Time end) {
  forget_end(allocation);
  allocation.span.end = end;
  note_end(allocation);
  // An end in the past is an overrun already: the estimate of the last pass, until the next.
  set_planned_end(allocation, end <= now_ ? now_ + options_.overrun_estimate : end);
}

Result<std::uint64_t> Engine::hold(Allocation allocation) {
  if (key_of_.contains(allocation.id) || allocations_.contains(allocation.id)) {
    return failure(ErrorCode::exists, "id: job {} is {} already", format_f58(allocation.id),
                   key_of_.contains(allocation.id) ? "waiting" : "holding resources");
  }
  const std::uint64_t before = allocation.resources.node_count();
  for (const auto& [id, other] : allocations_) {
    if (!other.resources.overlaps(allocation.resources)) continue;
    allocation.resources = allocation.resources.without(other.resources, graph_);
  }
  const std::uint64_t left_out = before - allocation.resources.node_count();
  if (allocation.end_origin == EndOrigin::instance) allocation.span.end = instance_expiration_;
  allocation.planned_end =
      allocation.span.end <= now_ ? now_ + options_.overrun_estimate : allocation.span.end;
  on_taken(allocation.resources, held_span(allocation));
  profile_.add(held_span(allocation), allocation.resources);
  note_end(allocation);
  allocations_.emplace(allocation.id, std::move(allocation));
  return left_out;
}

Result<void> Engine::set_expiration(JobId id, Time end) {
  const auto found = allocations_.find(id);
  if (found == allocations_.end()) {
    const bool waits = key_of_.contains(id);
    return failure(ErrorCode::not_found, "id: job {} {}", format_f58(id),
                   waits ? "is pending and holds no resources" : "is not known, or was freed");
  }
  Allocation& allocation = found->second;
  const EndOrigin origin = end.is_never() ? EndOrigin::instance : EndOrigin::own;
  const Time new_end = end.is_never() ? instance_expiration_ : end;
  if (new_end <= allocation.span.start) {
    return failure(ErrorCode::invalid,
                   "expiration: {:.6f} is not after the start of job {} at {:.6f}",
                   new_end.to_seconds(), format_f58(id), allocation.span.start.to_seconds());
  }
  if (new_end > instance_expiration_) {
    return failure(ErrorCode::invalid,
                   "expiration: {:.6f} is later than the instance ends; the latest possible for "
                   "job {} is {:.6f}",
                   new_end.to_seconds(), format_f58(id), instance_expiration_.to_seconds());
  }
  ++counters_.expiration_updates;
  allocation.end_origin = origin;
  if (new_end != allocation.span.end) set_end(allocation, new_end);
  return {};
}

ResourceSet Engine::release(JobId id, const Idset& ranks, Release kind) {
  const auto found = allocations_.find(id);
  if (found == allocations_.end()) return {};
  Allocation& allocation = found->second;
  ResourceSet freed = allocation.resources;
  if (kind == Release::partial) freed = freed.restricted_to(graph_.nodes_with_ranks(ranks));
  profile_.remove(held_span(allocation), freed);
  if (!freed.empty()) on_freed(freed, now_);
  if (kind == Release::final) {
    forget_end(allocation);
    allocations_.erase(found);
  } else {
    allocation.resources = allocation.resources.without(freed, graph_);
  }
  return freed;
}

void Engine::take_back(JobId id, PendingJob job) {
  release(id, Idset(), Release::final);
  enqueue(std::move(job));
}

// ---- nodes, instance, options --------------------------------------------------------------

void Engine::mark_up(const Idset& ranks) { on_usable_nodes_grew(graph_.mark_up(ranks)); }

void Engine::mark_down(const Idset& ranks) { on_nodes_lost(graph_.mark_down(ranks)); }

void Engine::shrink(const Idset& ranks) {
  const NodeSet lost = graph_.shrink(ranks);
  on_nodes_lost(lost);
  for (auto& [id, allocation] : allocations_) {
    const ResourceSet gone = allocation.resources.restricted_to(lost);
    if (gone.empty()) continue;
    profile_.remove(held_span(allocation), gone);
    allocation.resources = allocation.resources.without(lost);
  }
}

void Engine::add_property(std::string_view name, const Idset& ranks) {
  if (!graph_.add_property(name, ranks).none()) on_constraints_changed();
}

void Engine::remove_property(std::string_view name, const Idset& ranks) {
  if (!graph_.remove_property(name, ranks).none()) on_constraints_changed();
}

void Engine::set_instance_expiration(Time expiration) {
  if (expiration == instance_expiration_) return;
  instance_expiration_ = expiration;
  undo_from(0);
  complete_ = false;
  for (auto& [id, allocation] : allocations_) {
    if (allocation.end_origin == EndOrigin::instance) set_end(allocation, expiration);
  }
}

void Engine::set_options(const Options& options) {
  if (options == options_) return;
  options_ = options;
  matcher_.set_policy(options.match_policy);
  undo_from(0);
  complete_ = false;
}

}  // namespace tenure::plan
