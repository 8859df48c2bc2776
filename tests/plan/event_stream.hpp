// Random event streams: an engine in any state that events can lead to, drawn from a seed.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "plan/engine.hpp"
#include "plan/machine.hpp"

namespace tenure::testing {

/// One stream of events, drawn from a seed.
class Stream {
 public:
  explicit Stream(std::uint64_t seed)
      : random_(seed), nodes_(draw(1, 9)), engine_(make_machine(), horizon(), make_options()) {}

  /// One event, and often a complete pass behind it; true when there was one.
  bool step() {
    switch (draw(0, 15)) {
      case 0:
      case 1:
      case 2:
      case 3:
        submit();
        break;
      case 4:
        engine_.withdraw(any_waiting());
        break;
      case 5:
        prioritize();
        break;
      case 6:
      case 7:
        move_end();
        break;
      case 8:
      case 9:
        release();
        break;
      case 10:
        engine_.mark_down(some_ranks());
        break;
      case 11:
      case 12:
        engine_.mark_up(some_ranks());
        break;
      case 13:
        rare();
        break;
      default:
        break;
    }
    if (draw(0, 2) == 0) {  // several events before one pass, some within it
      if (draw(0, 2) == 0) interrupted_pass();
      return false;
    }
    now_ = now_ + secs(draw(0, 3) == 0 ? 0 : draw(0, 40));
    pass();
    return true;
  }

  /// Called before each pass with the engine as it is then, and with the time.
  std::function<void(const plan::Engine&, Time)> before_pass;

  plan::Engine& engine() { return engine_; }
  Time now() const { return now_; }
  /// Uniform in [low, high].
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  const plan::Allocation* any_allocation() {
    const auto& all = engine_.allocations();
    if (all.empty()) return nullptr;
    return &std::next(all.begin(), draw(0, static_cast<std::int64_t>(all.size()) - 1))->second;
  }

 private:
  graph::ResourceGraph make_machine() {
    auto graph = machine(static_cast<std::uint32_t>(nodes_), 3, 1);
    graph.add_property("fast", ranks(0, static_cast<std::uint32_t>(nodes_ / 2)));
    return graph;
  }

  Time horizon() { return draw(0, 2) == 0 ? at(1000 + draw(50, 2000)) : Time::never(); }

  plan::Options make_options() {
    plan::Options options;
    options.policy = static_cast<plan::QueuePolicy>(draw(0, 3));
    options.match_policy = static_cast<match::Policy>(draw(0, 2));
    options.reservation_depth = static_cast<std::uint64_t>(draw(0, 3));
    options.queue_depth =
        draw(0, 1) == 0 ? plan::kUnlimitedDepth : static_cast<std::uint64_t>(draw(1, 5));
    options.overrun_estimate = secs(draw(1, 60));
    for (const char* name : {"a", "b"}) {
      if (draw(0, 2) > 0) continue;
      plan::QueueOptions queue{
          .name = name, .parent = {}, .policy = {}, .queue_depth = {}, .reservation_depth = {}};
      if (draw(0, 1) == 0) queue.policy = static_cast<plan::QueuePolicy>(draw(0, 3));
      if (draw(0, 1) == 0) queue.queue_depth = static_cast<std::uint64_t>(draw(1, 3));
      options.queues.push_back(std::move(queue));
    }
    if (!options.queues.empty() && draw(0, 1) == 0) {
      options.queues.push_back(plan::QueueOptions{.name = "v",
                                                  .parent = options.queues[0].name,
                                                  .policy = {},
                                                  .queue_depth = {},
                                                  .reservation_depth = {}});
    }
    return options;
  }

  std::shared_ptr<const match::Request> make_request() {
    jobspec::Jobspec spec;
    auto slot = resource("slot", static_cast<std::uint64_t>(draw(1, 2)),
                         {resource("core", static_cast<std::uint64_t>(draw(1, 2)))});
    if (draw(0, 3) == 0) slot.with.push_back(resource("gpu", 1));
    if (draw(0, 2) == 0) {
      spec.resources = {slot};
    } else {
      spec.resources = {resource("node", static_cast<std::uint64_t>(draw(1, nodes_)), {slot})};
      spec.resources[0].exclusive = draw(0, 2) > 0;
    }
    if (draw(0, 4) == 0) {
      spec.constraint = *jobspec::Constraint::parse(boost::json::parse(
          draw(0, 1) == 0 ? R"({"properties":["fast"]})" : R"({"properties":["^fast"]})"));
    }
    return std::make_shared<const match::Request>(*match::compile(spec));
  }

  void submit() {
    plan::PendingJob made;
    made.id = JobId(static_cast<std::uint64_t>(++last_id_));
    made.priority = Priority(static_cast<std::uint32_t>(draw(14, 18)));
    made.submit = now_;
    made.request = make_request();
    made.queue = std::vector<std::string>{"", "a", "b", "v"}[static_cast<std::size_t>(draw(0, 3))];
    made.duration = draw(0, 9) == 0 ? Duration::infinite() : secs(draw(1, 100));
    ASSERT_TRUE(engine_.submit(std::move(made)));
  }

  JobId any_waiting() { return JobId(static_cast<std::uint64_t>(draw(0, last_id_))); }

  void prioritize() {
    std::vector<std::pair<JobId, Priority>> changes;
    for (std::int64_t i = draw(1, 3); i > 0; --i) {
      changes.emplace_back(any_waiting(), Priority(static_cast<std::uint32_t>(draw(14, 18))));
    }
    engine_.prioritize(changes);
  }

  void move_end() {
    const plan::Allocation* allocation = any_allocation();
    if (allocation == nullptr) return;
    const Time end = draw(0, 7) == 0 ? Time::never() : now_ + secs(draw(-30, 120));
    const auto outcome = engine_.set_expiration(allocation->id, end);
    EXPECT_TRUE(outcome || outcome.error().code == ErrorCode::invalid);
  }

  void release() {
    const plan::Allocation* allocation = any_allocation();
    if (allocation == nullptr) return;
    engine_.release(
        allocation->id, some_ranks(),
        draw(0, 2) == 0 ? plan::Engine::Release::partial : plan::Engine::Release::final);
  }

  Idset some_ranks() {
    const auto first = draw(0, nodes_ - 1);
    return ranks(static_cast<std::uint32_t>(first),
                 static_cast<std::uint32_t>(std::min(nodes_ - 1, first + draw(0, 2))));
  }

  void rare() {
    switch (draw(0, 4)) {
      case 0:
        engine_.shrink(Idset::single(static_cast<Idset::Id>(draw(0, nodes_))));
        break;
      case 1:
        engine_.add_property("fast", some_ranks());
        break;
      case 2:
        engine_.remove_property("fast", some_ranks());
        break;
      case 3:
        engine_.set_instance_expiration(draw(0, 1) == 0 ? Time::never()
                                                        : now_ + secs(draw(1, 500)));
        break;
      default:
        engine_.set_options(make_options());
        break;
    }
  }

  /// Some slices of a pass, which the next events meet half done.
  void interrupted_pass() {
    for (std::int64_t slices = draw(1, 4); slices > 0; --slices) {
      engine_.plan(now_, [] { return false; });
    }
    engine_.take_starts();
  }

  void pass() {
    if (before_pass) before_pass(engine_, now_);
    const bool sliced = draw(0, 1) == 0;
    const plan::KeepGoing stop_after_each = [] { return false; };
    while (engine_.plan(now_, sliced ? stop_after_each : plan::KeepGoing{}) !=
           plan::PassState::complete) {
    }
    engine_.take_starts();
  }

  std::mt19937_64 random_;
  std::int64_t nodes_;
  plan::Engine engine_;
  Time now_ = at(1000);
  std::int64_t last_id_ = 0;
};

}  // namespace tenure::testing
