// Engine: the pass, and what it says about itself.
#include <algorithm>

#include "plan/engine.hpp"

namespace tenure::plan {

using match::Placement;
using Outcome = PlannedJob::Outcome;

// ---- the pass ------------------------------------------------------------------------------

PassState Engine::plan(Time now, const KeepGoing& keep_going) {
  CHECK(now >= now_, "time goes back");
  now_ = now;
  ++counters_.slices;
  follow_overruns();
  start_due();
  if (complete_) return PassState::complete;
  for (auto place = next_place(); place.has_value();) {
    decide(*place);
    place = next_place();
    if (place && keep_going && !keep_going()) return PassState::interrupted;
  }
  complete_ = true;
  promised_.clear();
  ++counters_.passes;
  return PassState::complete;
}

/// The job to decide next: the first behind the plan in a queue that has not stopped (those
/// between have started, or belong to queues that have).
std::optional<Engine::Place> Engine::next_place() const {
  std::optional<Place> next;
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    const Queue& queue = queues_[i];
    if (queue.is_stopped()) continue;
    const auto job = plan_.empty() ? queue.jobs.begin() : queue.jobs.upper_bound(plan_.back().key);
    if (job == queue.jobs.end() || (next && next->key < job->first)) continue;
    next = Place{i, job->first};
  }
  return next;
}

/// Allocations past their end count until now + overrun_estimate.
void Engine::follow_overruns() {
  while (!ends_.empty() && ends_.begin()->first <= now_) {
    overrun_.insert(ends_.begin()->second);
    ends_.erase(ends_.begin());
  }
  for (const JobId id : overrun_) {
    set_planned_end(allocations_.at(id), now_ + options_.overrun_estimate);
  }
}

/// Planned starts that have come are made, in queue order; one that was missed is planned again.
void Engine::start_due() {
  for (std::size_t i = 0; i < plan_.size();) {
    const PlannedJob& entry = plan_[i];
    if (entry.outcome != Outcome::reserved || entry.placement.span.start > now_) {
      ++i;
      continue;
    }
    if (entry.placement.span.start < now_) return undo_from(i);
    const Place place{entry.queue, entry.key};
    start(place, drop_entry(i), Selection::reserved);
    on_room_for_reservation(place.queue, i);
  }
}

std::optional<Placement> Engine::place_now(const PendingJob& job) const {
  const bool unlimited = job.duration.is_infinite();
  const Span span{now_, unlimited ? instance_expiration_ : now_ + job.duration};
  if (span.empty() || span.end > instance_expiration_) return std::nullopt;
  if (matcher_.is_lacking_now(*job.request)) return std::nullopt;
  auto resources = matcher_.choose(profile_, *job.request, span);
  if (!resources) return std::nullopt;
  return Placement{span, std::move(*resources)};
}

std::optional<Placement> Engine::place_later(const PendingJob& job, Time from) const {
  return matcher_.find_earliest(profile_, *job.request, from, job.duration, instance_expiration_);
}

/// A time before which a job behind the whole plan cannot start: the latest planned start of a
/// job before it that asked for no more, for no longer, of the same kind of node. What is
/// free has only shrunk since that job was planned, so a window in which this one fits would
/// have taken that one (rule L of planning.md).
Time Engine::no_start_before(const PendingJob& job) const {
  const std::uint64_t wanted = match::wanted(*job.request);
  Time start = now_;
  for (auto at = bounds_.rbegin(); at != bounds_.rend() && at->latest > start; ++at) {
    const Bound& bound = *at;
    if (bound.start > start && bound.wanted <= wanted && bound.duration <= job.duration &&
        *bound.key == job.request->key) {
      start = bound.start;
    }
  }
  return start;
}

/// Is a job that cannot start now free to start behind the last change point?
bool Engine::fits_in_the_end(const PendingJob& job) const {
  if (!instance_expiration_.is_never() || matcher_.is_lacking_now(*job.request)) return false;
  const Span tail{profile::kLastInstant, Time::never()};
  return matcher_.count_free(profile_, *job.request, tail) >= match::wanted(*job.request);
}

/// How a job that starts now comes to it: as promised, ahead of others, or at its turn.
Selection Engine::selection_of(const PendingJob& job) const {
  const auto promised = promised_.find(job.id);
  if (promised != promised_.end() && promised->second == now_) return Selection::reserved;
  return counted_ > 0 ? Selection::backfilled : Selection::immediate;
}

void Engine::decide(const Place& place) {
  Queue& queue = queues_[place.queue];
  const PendingJob& job = queue.jobs.at(place.key);
  ++counters_.jobs_planned;
  const Selection selection = selection_of(job);
  if (queue.reserved < queue.future_starts) {
    auto placement = place_later(job, no_start_before(job));
    if (!placement) return append(place, Outcome::unplanned, why_unplanned(job));
    if (placement->span.start == now_) return start(place, std::move(*placement), selection);
    profile_.add(placement->span, placement->resources);
    return append(place, Outcome::reserved, Reason::Code::busy, std::move(*placement));
  }
  if (auto placement = place_now(job)) return start(place, std::move(*placement), selection);
  const bool in_the_end = fits_in_the_end(job);  // the cheap answer first
  if (!in_the_end && !place_later(job, now_)) {
    return append(place, Outcome::unplanned, why_unplanned(job));
  }
  append(place, Outcome::waiting, Reason::Code::beyond_depth);
  plan_.back().fits_in_the_end = in_the_end;
  queue.stopped_at_wait = queue.stop_at_first_wait;
}

void Engine::start(const Place& place, Placement placement, Selection selection) {
  Jobs& jobs = queues_[place.queue].jobs;
  const auto found = jobs.find(place.key);
  PendingJob job = std::move(found->second);
  place_of_.erase(job.id);
  jobs.erase(found);
  const EndOrigin origin = job.duration.is_infinite() ? EndOrigin::instance : EndOrigin::own;
  Allocation allocation{job.id,         job.user, placement.resources,
                        placement.span, origin,   placement.span.end};
  profile_.add(held_span(allocation), allocation.resources);
  note_end(allocation);
  on_started(allocation);
  allocations_.emplace(job.id, std::move(allocation));
  starts_.push_back(Start{job.id, job.user, std::move(placement), origin, selection,
                          job.request->slots, std::move(job)});
}

/// A start can put an earlier job that waits without a reservation beyond planning.
void Engine::on_started(const Allocation& allocation) {
  undo_first(0, [&](const PlannedJob& entry, const PendingJob& job) {
    return may_be_put_beyond_planning(entry, job, allocation.resources, allocation.planned_end) &&
           (entry.fits_in_the_end ? !fits_in_the_end(job) : !place_later(job, now_));
  });
}

void Engine::append(const Place& place, Outcome outcome, Reason::Code why, Placement placement) {
  Queue& queue = queues_[place.queue];
  plan_.push_back(PlannedJob{place.key, place.queue, outcome, std::move(placement), why, false});
  const PendingJob& job = queue.jobs.at(place.key);
  plan_jobs_.push_back(&job);
  Bound bound{match::wanted(*job.request), job.duration, profile::kBeginning, &job.request->key};
  if (outcome == Outcome::reserved) bound.start = plan_.back().placement.span.start;
  bound.latest = bounds_.empty() ? bound.start : std::max(bound.start, bounds_.back().latest);
  bounds_.push_back(bound);
  if (outcome == Outcome::reserved) ++queue.reserved;
  if (outcome == Outcome::unplanned) return;
  ++queue.counted;
  ++counted_;
}

Reason::Code Engine::why_unplanned(const PendingJob& job) const {
  if (matcher_.is_lacking_now(*job.request)) return Reason::Code::not_up;
  if (instance_expiration_.is_never()) return Reason::Code::behind_unlimited;
  return Reason::Code::instance_ends;
}

std::vector<Start> Engine::take_starts() { return std::exchange(starts_, {}); }

Time Engine::next_wakeup() const {
  Time next = Time::never();
  for (const PlannedJob& entry : plan_) {
    if (entry.outcome == Outcome::reserved) next = std::min(next, entry.placement.span.start);
  }
  return next;
}

// ---- views ---------------------------------------------------------------------------------

std::optional<match::Infeasible> Engine::infeasible(const match::Request& request,
                                                    Duration duration, Time now) const {
  if (auto missing = matcher_.infeasible(request)) return missing;
  if (!duration.is_infinite() && now + duration > instance_expiration_) {
    return match::Infeasible{
        fmt::format("needs {}, the instance ends in {}", format_fsd(duration),
                    format_fsd(std::max(Duration::zero(), instance_expiration_ - now)))};
  }
  if (now >= instance_expiration_) return match::Infeasible{"the instance has ended"};
  return std::nullopt;
}

const PlannedJob* Engine::find_planned(JobId id) const {
  const auto found = place_of_.find(id);
  if (found == place_of_.end()) return nullptr;
  const std::size_t index = position(found->second.key);
  if (index == plan_.size() || plan_[index].key != found->second.key) return nullptr;
  return &plan_[index];
}

/// The planned ends of the reservations, in order; made once for each state of the plan.
const std::vector<Engine::ReservedEnd>& Engine::reserved_ends() const {
  const std::uint64_t version = counters_.jobs_planned + counters_.decisions_undone;
  if (reserved_ends_version_ == version && reserved_ends_plan_size_ == plan_.size()) {
    return reserved_ends_;
  }
  reserved_ends_.clear();
  for (std::uint32_t i = 0; i < plan_.size(); ++i) {
    if (plan_[i].outcome != Outcome::reserved) continue;
    reserved_ends_.emplace_back(plan_[i].placement.span.end, i);
  }
  std::ranges::sort(reserved_ends_);
  reserved_ends_version_ = version;
  reserved_ends_plan_size_ = plan_.size();
  return reserved_ends_;
}

/// Whose end a planned start waits for: the first allocation or earlier reservation that ends
/// there on the planned resources.
JobId Engine::find_blocker(const PlannedJob& entry) const {
  const Time start = entry.placement.span.start;
  const graph::ResourceSet& resources = entry.placement.resources;
  for (auto end = ends_.lower_bound({start, JobId()}); end != ends_.end() && end->first == start;
       ++end) {
    if (allocations_.at(end->second).resources.overlaps(resources)) return end->second;
  }
  for (const JobId id : overrun_) {
    const Allocation& allocation = allocations_.at(id);
    if (allocation.planned_end == start && allocation.resources.overlaps(resources)) return id;
  }
  const auto& ends = reserved_ends();
  for (auto end = std::ranges::lower_bound(ends, ReservedEnd{start, 0});
       end != ends.end() && end->first == start && plan_[end->second].key < entry.key; ++end) {
    const PlannedJob& other = plan_[end->second];
    if (other.placement.resources.overlaps(resources)) return other.key.id;
  }
  return JobId();
}

Reason Engine::explain(JobId id, Time now) const {
  Reason reason;
  const PendingJob* job = find_pending(id);
  if (job == nullptr) return reason;
  const match::Request& request = *job->request;
  reason.wanted = match::wanted(request);
  reason.in_slots = request.form == match::Request::Form::slots_anywhere;
  const PlannedJob* entry = find_planned(id);
  if (entry == nullptr) {
    reason.code = complete_ ? Reason::Code::not_reached : Reason::Code::not_planned_yet;
    return reason;
  }
  reason.code = entry->why;
  reason.free = matcher_.count_free(profile_, request, Span{now, now + Duration::microseconds(1)});
  if (reason.free >= reason.wanted) {
    const Time until = matcher_.fits_until(profile_, request, now);
    reason.free_until = until;
    reason.would_start = until - now;
  }
  switch (entry->why) {
    case Reason::Code::busy:
      reason.until = entry->placement.span.start;
      reason.blocker = find_blocker(*entry);
      if (reason.free >= reason.wanted) reason.code = Reason::Code::promised;
      break;
    case Reason::Code::not_up:
      if (const auto lacking = matcher_.lacking_now(request)) reason.missing = lacking->missing;
      break;
    case Reason::Code::instance_ends:
      reason.until = instance_expiration_;
      break;
    default:
      break;
  }
  return reason;
}

}  // namespace tenure::plan
