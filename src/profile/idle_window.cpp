#include "profile/idle_window.hpp"

#include <algorithm>

namespace tenure::profile {

using graph::NodeSet;

IdleWindow::IdleWindow(const Profile& profile, const NodeSet& eligible, Span span)
    : profile_(&profile),
      eligible_(&eligible),
      start_(span.start),
      length_(span.end - span.start),
      back_(eligible),
      idle_(eligible) {
  restart(profile.segment_at(start_));
}

/// Empties the window; its first segment will be `segment`.
void IdleWindow::restart(std::size_t segment) {
  first_ = past_ = back_first_ = segment;
  front_size_ = 0;
  back_ = *eligible_;
  stale_ = true;
}

/// Takes segment past_ into the window and counts.
void IdleWindow::push() {
  count_ = back_.and_count(profile_->segments()[past_].idle, front());
  ++past_;
  stale_ = false;
}

/// Turns the back stack over: suffix ANDs from its last segment to its first.
void IdleWindow::turn_over() {
  const std::size_t count = past_ - first_;
  if (front_.size() < count) front_.resize(count, NodeSet(eligible_->size()));
  for (std::size_t i = 0; i < count; ++i) {
    front_[i].assign_and(i == 0 ? *eligible_ : front_[i - 1],
                         profile_->segments()[past_ - 1 - i].idle);
  }
  front_size_ = count;
  back_first_ = past_;
  back_ = *eligible_;
}

/// Drops the first segment from the window.
void IdleWindow::pop() {
  if (front_size_ == 0) turn_over();
  --front_size_;
  ++first_;
  stale_ = true;
}

void IdleWindow::recount() {
  if (stale_) count_ = back_.count_and(front());
  stale_ = false;
}

/// Takes in every segment that the window meets.
void IdleWindow::fill() {
  const Time end = span().end;
  while (past_ < profile_->segments().size() &&
         (past_ == first_ || profile_->segments()[past_].start < end)) {
    back_ &= profile_->segments()[past_].idle;
    ++past_;
    stale_ = true;
  }
}

const NodeSet& IdleWindow::idle() {
  fill();
  idle_.assign_and(back_, front());
  return idle_;
}

std::uint32_t IdleWindow::count() {
  fill();
  recount();
  return count_;
}

void IdleWindow::move_to(Time start) {
  start_ = start;
  while (first_ < past_ && profile_->segment_end(first_) <= start_) pop();
  if (first_ == past_) restart(profile_->segment_at(start_));
}

bool IdleWindow::advance() {
  const Time next = profile_->segment_end(first_);
  if (next.is_never()) return false;
  move_to(next);
  return true;
}

bool IdleWindow::seek(std::uint32_t wanted, Time limit) {
  const auto segments = profile_->segments();
  while (true) {
    if (span().end > limit) return false;
    const Time end = span().end;
    if (past_ > first_ && (past_ == segments.size() || segments[past_].start >= end)) {
      recount();
      if (count_ >= wanted) return true;
    } else if (segments[past_].idle_count < wanted) {
      // No window that meets this segment will do: start behind it.
      if (past_ + 1 == segments.size()) return false;
      start_ = segments[past_ + 1].start;
      restart(past_ + 1);
      continue;
    } else {
      push();
    }
    while (count_ < wanted && first_ < past_) {
      const Time next = profile_->segment_end(first_);
      if (next.is_never()) return false;
      start_ = next;
      pop();
      recount();
    }
    if (first_ == past_) {
      // Everything was dropped: go on with an empty window at the next segment.
      if (count_ < wanted) return false;  // fewer eligible nodes than wanted
      restart(past_);
    }
  }
}

}  // namespace tenure::profile
