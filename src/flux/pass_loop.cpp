#include "flux/pass_loop.hpp"

#include <algorithm>
#include <numeric>

namespace tenure::flux {

namespace json = boost::json;

// ---- how long passes took ----------------------------------------------------------------

void PassTimes::add(Nanoseconds slice) {
  if (recent_.size() < kKept) {
    recent_.push_back(slice);
  } else {
    recent_[count_ % kKept] = slice;
  }
  ++count_;
  longest_ = std::max(longest_, slice);
}

json::object PassTimes::to_json() const {
  const auto seconds = [](Nanoseconds time) { return std::chrono::duration<double>(time).count(); };
  std::vector<Nanoseconds> sorted = recent_;
  std::ranges::sort(sorted);
  const auto at = [&](std::size_t percent) {
    return sorted.empty() ? 0.0 : seconds(sorted[(sorted.size() - 1) * percent / 100]);
  };
  const Nanoseconds sum = std::accumulate(sorted.begin(), sorted.end(), Nanoseconds{0});
  const double mean = sorted.empty() ? 0.0 : seconds(sum) / static_cast<double>(sorted.size());
  return {{"count", count_}, {"mean", mean},  {"p50", at(50)},
          {"p95", at(95)},   {"p99", at(99)}, {"max", seconds(longest_)}};
}

// ---- the loop ----------------------------------------------------------------------------

PassLoop::PassLoop(flux_t* handle, sched::Scheduler& scheduler, FluxPeer& peer)
    : handle_(handle),
      reactor_(flux_get_reactor(handle)),
      scheduler_(&scheduler),
      peer_(&peer),
      wanted_since_(Clock::now()) {
  prepare_.reset(flux_prepare_watcher_create(
      reactor_,
      [](flux_reactor_t*, flux_watcher_t*, int, void* self) {
        static_cast<PassLoop*>(self)->before_waiting();
      },
      this));
  check_.reset(flux_check_watcher_create(
      reactor_,
      [](flux_reactor_t*, flux_watcher_t*, int, void* self) {
        static_cast<PassLoop*>(self)->after_waiting();
      },
      this));
  idle_.reset(flux_idle_watcher_create(reactor_, nullptr, nullptr));
  timer_.reset(flux_timer_watcher_create(
      reactor_, kLongestSleep, 0.,
      [](flux_reactor_t*, flux_watcher_t*, int, void* self) {
        auto& loop = *static_cast<PassLoop*>(self);
        if (loop.scheduler_->next_wakeup() <= loop.now()) loop.request();
      },
      this));
  CHECK(prepare_ && check_ && idle_ && timer_, "out of memory");
  flux_watcher_start(prepare_.get());
  flux_watcher_start(check_.get());
}

void PassLoop::request() {
  if (wanted_) return;
  wanted_ = true;
  wanted_since_ = Clock::now();
}

Time PassLoop::now() {
  last_ = std::max(last_, time_of(flux_reactor_time()));
  return last_;
}

void PassLoop::before_waiting() {
  peer_->flush();
  if (wanted_) {
    flux_watcher_start(idle_.get());
  } else {
    sleep_until(scheduler_->next_wakeup());
  }
}

void PassLoop::sleep_until(Time wakeup) {
  const double until = wakeup.is_never() ? kLongestSleep : (wakeup - now()).to_seconds();
  flux_watcher_stop(timer_.get());
  flux_timer_watcher_reset(timer_.get(), std::clamp(until, 0., kLongestSleep), 0.);
  flux_watcher_start(timer_.get());
}

void PassLoop::after_waiting() {
  flux_watcher_stop(idle_.get());
  if (!wanted_) return;
  const int events = flux_pollevents(handle_);
  const bool message_waits = events >= 0 && (events & FLUX_POLLIN) != 0;
  if (message_waits && Clock::now() - wanted_since_ < kMaxPostponed) {
    ++postponed_;
    return;
  }
  slice();
}

void PassLoop::slice() {
  const auto begin = Clock::now();
  const auto budget = std::chrono::microseconds(scheduler_->config().pass_budget.count());
  const auto state = scheduler_->run_pass(now(), [&] { return Clock::now() - begin < budget; });
  peer_->flush();
  const auto took = Clock::now() - begin;
  slices_.add(took);
  this_pass_ += took;
  wanted_since_ = Clock::now();
  if (state != plan::PassState::complete) return;
  passes_.add(this_pass_);
  this_pass_ = Clock::duration{0};
  wanted_ = false;
}

}  // namespace tenure::flux
