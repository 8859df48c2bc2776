// Engine, second half: the pass, and what it says about itself.
#include <algorithm>

#include "plan/engine.hpp"

namespace tenure::plan {

using match::Placement;
using Outcome = PlannedJob::Outcome;

// ---- the pass ------------------------------------------------------------------------------

/// True when the pass looks at no job behind the last entry of the plan.
bool Engine::is_stopped() const { return fcfs_stopped_ || counted_ >= options_.queue_depth; }

PassState Engine::plan(Time now, const KeepGoing& keep_going) {
  CHECK(now >= now_, "time goes back");
  now_ = now;
  ++counters_.slices;
  follow_overruns();
  start_due();
  if (complete_) return PassState::complete;
  for (auto place = next_place(); place != pending_.end() && !is_stopped();) {
    decide(place);
    place = next_place();
    if (keep_going && !keep_going() && place != pending_.end() && !is_stopped()) {
      return PassState::interrupted;
    }
  }
  complete_ = true;
  ++counters_.passes;
  return PassState::complete;
}

/// The job to decide next: the first behind the plan (those between have started).
Engine::Queue::iterator Engine::next_place() {
  return plan_.empty() ? pending_.begin() : pending_.upper_bound(plan_.back().key);
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
    PlannedJob& entry = plan_[i];
    if (entry.outcome != Outcome::reserved || entry.placement.span.start > now_) {
      ++i;
      continue;
    }
    if (entry.placement.span.start < now_) return undo_from(i);
    Placement placement = std::move(entry.placement);
    profile_.remove(placement.span, placement.resources);
    const auto place = pending_.find(entry.key);
    drop_entry(i);
    start(place, std::move(placement), Selection::reserved);
    on_room_for_reservation(i);
  }
}

std::optional<Placement> Engine::place_now(const PendingJob& job) const {
  const bool unlimited = job.duration.is_infinite();
  const Span span{now_, unlimited ? instance_expiration_ : now_ + job.duration};
  if (span.empty() || span.end > instance_expiration_) return std::nullopt;
  if (matcher_.lacking_now(*job.request)) return std::nullopt;
  auto resources = matcher_.choose(profile_, *job.request, span);
  if (!resources) return std::nullopt;
  return Placement{span, std::move(*resources)};
}

std::optional<Placement> Engine::place_later(const PendingJob& job) const {
  return matcher_.find_earliest(profile_, *job.request, now_, job.duration, instance_expiration_);
}

/// Does a job that cannot start now fit at some time? The cheap answer first: after the last
/// change point.
bool Engine::fits_in_the_end(const PendingJob& job) const {
  if (matcher_.lacking_now(*job.request)) return false;
  if (instance_expiration_.is_never()) {
    const Span tail{std::max(now_, profile_.segments().back().start), Time::never()};
    if (matcher_.count_free(profile_, *job.request, tail) >= match::wanted(*job.request)) {
      return true;
    }
  }
  return place_later(job).has_value();
}

void Engine::decide(Queue::iterator place) {
  const PendingJob& job = place->second;
  ++counters_.jobs_planned;
  const Selection ahead = counted_ > 0 ? Selection::backfilled : Selection::immediate;
  if (reserved_ < options_.future_starts()) {
    auto placement = place_later(job);
    if (!placement) return append(place, Outcome::unplanned, why_unplanned(job));
    if (placement->span.start == now_) return start(place, std::move(*placement), ahead);
    profile_.add(placement->span, placement->resources);
    return append(place, Outcome::reserved, Reason::Code::busy, std::move(*placement));
  }
  if (auto placement = place_now(job)) return start(place, std::move(*placement), ahead);
  if (!fits_in_the_end(job)) return append(place, Outcome::unplanned, why_unplanned(job));
  append(place, Outcome::waiting, Reason::Code::beyond_depth);
  fcfs_stopped_ = options_.policy == QueuePolicy::fcfs;
}

void Engine::start(Queue::iterator place, Placement placement, Selection selection) {
  PendingJob job = std::move(place->second);
  key_of_.erase(job.id);
  pending_.erase(place);
  const EndOrigin origin = job.duration.is_infinite() ? EndOrigin::instance : EndOrigin::own;
  Allocation allocation{job.id,         job.user, placement.resources,
                        placement.span, origin,   placement.span.end};
  profile_.add(Span{profile::kBeginning, allocation.planned_end}, allocation.resources);
  note_end(allocation);
  on_started(allocation);
  allocations_.emplace(job.id, std::move(allocation));
  starts_.push_back(
      Start{job.id, job.user, std::move(placement), origin, selection, job.request->slots});
}

/// A start can put an earlier job that waits without a reservation beyond planning: it takes
/// what would have been free in the end, or before the instance ends.
void Engine::on_started(const Allocation& allocation) {
  if (reserved_ == counted_) return;
  if (!allocation.planned_end.is_never() && instance_expiration_.is_never()) return;
  undo_first(0, [&](const PlannedJob& entry, const PendingJob& job) {
    return entry.outcome == Outcome::waiting &&
           allocation.resources.touches(matcher_.eligible(*job.request)) && !fits_in_the_end(job);
  });
}

void Engine::append(Queue::iterator place, Outcome outcome, Reason::Code why, Placement placement) {
  plan_.push_back(PlannedJob{place->first, outcome, std::move(placement), why});
  plan_jobs_.push_back(&place->second);
  if (outcome != Outcome::unplanned) ++counted_;
  if (outcome == Outcome::reserved) ++reserved_;
}

Reason::Code Engine::why_unplanned(const PendingJob& job) const {
  if (matcher_.lacking_now(*job.request)) return Reason::Code::not_up;
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
  const auto found = key_of_.find(id);
  if (found == key_of_.end()) return nullptr;
  const std::size_t index = position(found->second);
  if (index == plan_.size() || plan_[index].key != found->second) return nullptr;
  return &plan_[index];
}

/// Whose end a planned start waits for: the first allocation or earlier reservation that ends
/// there on the planned resources.
JobId Engine::find_blocker(const PlannedJob& entry) const {
  const auto ends_there = [&](Time end, const graph::ResourceSet& resources) {
    return end == entry.placement.span.start && resources.overlaps(entry.placement.resources);
  };
  for (const auto& [id, allocation] : allocations_) {
    if (ends_there(allocation.planned_end, allocation.resources)) return id;
  }
  for (const PlannedJob& other : plan_) {
    if (other.key == entry.key) break;
    if (other.outcome == Outcome::reserved &&
        ends_there(other.placement.span.end, other.placement.resources)) {
      return other.key.id;
    }
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
