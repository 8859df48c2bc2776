// Engine: facts. What each of them invalidates is in engine_plan.cpp.
#include <algorithm>

#include "plan/engine.hpp"

namespace tenure::plan {

using graph::NodeSet;
using graph::ResourceSet;
using Outcome = PlannedJob::Outcome;

namespace {

QueueKey key_for(const PendingJob& job) { return {job.priority, job.submit, job.id}; }

}  // namespace

Engine::Engine(graph::ResourceGraph graph, Time instance_expiration, Options options)
    : graph_(std::move(graph)),
      instance_expiration_(instance_expiration),
      options_(std::move(options)),
      matcher_(graph_, options_.match_policy),
      profile_(graph_) {
  set_queues();
}

Engine::Engine(const Engine& other)
    : graph_(other.graph_),
      instance_expiration_(other.instance_expiration_),
      options_(other.options_),
      matcher_(graph_, other.options_.match_policy),
      profile_(other.profile_, graph_),
      queues_(other.queues_),
      queue_by_name_(other.queue_by_name_),
      place_of_(other.place_of_),
      allocations_(other.allocations_),
      ends_(other.ends_),
      overrun_(other.overrun_),
      plan_(other.plan_),
      bounds_(other.bounds_),
      counted_(other.counted_),
      promised_(other.promised_),
      starts_(other.starts_),
      counters_(other.counters_),
      now_(other.now_),
      complete_(other.complete_) {
  plan_jobs_.reserve(plan_.size());
  for (const PlannedJob& entry : plan_) {
    plan_jobs_.push_back(&queues_[entry.queue].jobs.at(entry.key));
  }
}

// ---- queues and waiting jobs ---------------------------------------------------------------

/// Makes the queues of the options; their jobs are distributed anew.
void Engine::set_queues() {
  std::vector<Queue> old = std::exchange(queues_, {});
  queue_by_name_.clear();
  const auto add = [&](const QueueOptions& options) {
    const QueuePolicy policy = options.policy.value_or(options_.policy);
    Queue queue;
    queue.future_starts =
        future_starts(policy, options.reservation_depth.value_or(options_.reservation_depth));
    queue.queue_depth = options.queue_depth.value_or(options_.queue_depth);
    queue.stop_at_first_wait = policy == QueuePolicy::fcfs;
    queue_by_name_.emplace(options.name, static_cast<std::uint32_t>(queues_.size()));
    queues_.push_back(std::move(queue));
  };
  add(QueueOptions{});  // the anonymous queue, and that of jobs whose queue is not configured
  for (const QueueOptions& options : options_.queues) {
    if (options.parent.empty()) add(options);
  }
  for (const QueueOptions& options : options_.queues) {
    if (!options.parent.empty()) queue_by_name_.emplace(options.name, queue_of(options.parent));
  }
  for (Queue& queue : old) {
    for (auto& [key, job] : queue.jobs) {
      const Place place{queue_of(job.queue), key};
      place_of_[job.id] = place;
      queues_[place.queue].jobs.emplace(key, std::move(job));
    }
  }
}

std::uint32_t Engine::queue_of(const std::string& name) const {
  const auto found = queue_by_name_.find(name);
  return found == queue_by_name_.end() ? 0 : found->second;
}

const PendingJob* Engine::first_pending() const {
  const PendingJob* first = nullptr;
  for (const Queue& queue : queues_) {
    if (queue.jobs.empty()) continue;
    const PendingJob& job = queue.jobs.begin()->second;
    if (first == nullptr || key_for(job) < key_for(*first)) first = &job;
  }
  return first;
}

const PendingJob* Engine::next_pending(const PendingJob& job) const {
  const PendingJob* next = nullptr;
  for (const Queue& queue : queues_) {
    const auto found = queue.jobs.upper_bound(key_for(job));
    if (found == queue.jobs.end()) continue;
    if (next == nullptr || found->first < key_for(*next)) next = &found->second;
  }
  return next;
}

void Engine::enqueue(PendingJob job) {
  const Place place{queue_of(job.queue), key_for(job)};
  Queue& queue = queues_[place.queue];
  const JobId id = job.id;
  queue.jobs.emplace(place.key, std::move(job));
  place_of_.emplace(id, place);
  if (queue.is_stopped()) {
    // Behind the job at which its queue stopped, a new job changes nothing.
    const PlannedJob* last = last_entry_of(place.queue);
    if (last != nullptr && last->key < place.key) return;
  }
  undo_from(position(place.key));
  complete_ = false;
}

void Engine::dequeue(Place place) {
  const std::size_t index = position(place.key);
  if (index < plan_.size() && plan_[index].key == place.key) {
    const bool was_reserved = plan_[index].outcome == Outcome::reserved;
    const match::Placement placement = drop_entry(index);
    if (was_reserved) {
      on_freed(placement.resources, placement.span.start, index);
      on_room_for_reservation(place.queue, index);
    }
  }
  Jobs& jobs = queues_[place.queue].jobs;
  const auto job = jobs.find(place.key);
  place_of_.erase(job->second.id);
  jobs.erase(job);
}

/// Error `exists` when the id waits or holds resources.
Result<void> Engine::require_unknown(JobId id) const {
  const bool waits = place_of_.contains(id);
  if (!waits && !allocations_.contains(id)) return {};
  return failure(ErrorCode::exists, "id: job {} is {} already", format_f58(id),
                 waits ? "waiting" : "holding resources");
}

Result<void> Engine::submit(PendingJob job) {
  if (auto unknown = require_unknown(job.id); !unknown) return unknown;
  enqueue(std::move(job));
  return {};
}

bool Engine::withdraw(JobId id) {
  const auto found = place_of_.find(id);
  if (found == place_of_.end()) return false;
  dequeue(found->second);
  return true;
}

void Engine::prioritize(std::span<const std::pair<JobId, Priority>> priorities) {
  for (const auto& [id, priority] : priorities) {
    const auto found = place_of_.find(id);
    if (found == place_of_.end() || found->second.key.priority == priority) continue;
    const Place place = found->second;
    PendingJob job = queues_[place.queue].jobs.at(place.key);
    job.priority = priority;
    dequeue(place);
    enqueue(std::move(job));
  }
}

const PendingJob* Engine::find_pending(JobId id) const {
  const auto found = place_of_.find(id);
  if (found == place_of_.end()) return nullptr;
  return &queues_[found->second.queue].jobs.at(found->second.key);
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

/// An end in the past is an overrun already: the estimate of the last pass, until the next.
Time Engine::planned_end_of(Time end) const {
  return end <= now_ ? now_ + options_.overrun_estimate : end;
}

void Engine::set_end(Allocation& allocation, Time end) {
  forget_end(allocation);
  allocation.span.end = end;
  note_end(allocation);
  set_planned_end(allocation, planned_end_of(end));
}

Result<std::uint64_t> Engine::hold(Allocation allocation) {
  if (const auto unknown = require_unknown(allocation.id); !unknown) return unknown.error();
  std::uint64_t left_out = 0;
  // Allocations count from the beginning of time, reservations do not: one look at that
  // instant spares the others, so that taking over n jobs does not cost n^2.
  const Span first_instant{profile::kBeginning, profile::kBeginning + Duration::microseconds(1)};
  if (!profile_.is_free(first_instant, allocation.resources)) {
    ResourceSet rest = allocation.resources;
    for (const auto& [id, other] : allocations_) {
      if (other.resources.overlaps(rest)) rest = rest.without(other.resources, graph_);
    }
    left_out = allocation.resources.without(rest, graph_).node_count();
    allocation.resources = std::move(rest);
  }
  allocation.planned_end = planned_end_of(allocation.span.end);
  on_taken(allocation.resources, held_span(allocation));
  profile_.add(held_span(allocation), allocation.resources);
  note_end(allocation);
  allocations_.emplace(allocation.id, std::move(allocation));
  return left_out;
}

Result<void> Engine::set_expiration(JobId id, Time end) {
  const auto found = allocations_.find(id);
  if (found == allocations_.end()) {
    const bool waits = place_of_.contains(id);
    return failure(ErrorCode::not_found, "id: job {} {}", format_f58(id),
                   waits ? "is pending and holds no resources" : "is not known, or was freed");
  }
  Allocation& allocation = found->second;
  const EndOrigin origin = end.is_never() ? EndOrigin::instance : EndOrigin::own;
  const Time new_end = end.is_never() ? instance_expiration_ : end;
  if (new_end <= allocation.span.start) {
    return failure(ErrorCode::invalid, "expiration: {} is not after the start of job {} at {}",
                   format_seconds(new_end), format_f58(id), format_seconds(allocation.span.start));
  }
  if (new_end > instance_expiration_) {
    return failure(ErrorCode::invalid,
                   "expiration: {} is later than the instance ends; the latest possible for job {} "
                   "is {}",
                   format_seconds(new_end), format_f58(id), format_seconds(instance_expiration_));
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
  undo_from(0);
  complete_ = false;
  options_ = options;
  matcher_.set_policy(options.match_policy);
  set_queues();
}

}  // namespace tenure::plan
