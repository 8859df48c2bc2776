// The engine against NaivePlanner: whole-node jobs, all policies, random submits, cancels,
// priority and expiration changes, partial and late releases, node and instance changes.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "oracle/naive_planner.hpp"
#include "plan/engine.hpp"
#include "plan/machine.hpp"

namespace tenure::plan {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests
using oracle::kNever;
using oracle::Nodes;
using oracle::Seconds;

constexpr Seconds kEpoch = 1000;

Time to_time(Seconds seconds) { return seconds == kNever ? Time::never() : at(seconds); }
Seconds to_seconds(Time time) { return time.is_never() ? kNever : time.count() / 1'000'000; }

Nodes to_nodes(const graph::ResourceSet& set) {
  Nodes nodes;
  for (const graph::NodeRange& range : set.nodes()) {
    for (std::uint32_t n = range.first.value(); n <= range.last.value(); ++n) {
      nodes.insert(static_cast<int>(n));
    }
  }
  return nodes;
}

/// The engine and the facts as an outsider keeps them.
class Pair {
 public:
  Pair(int nodes, QueuePolicy policy, std::uint64_t depth, std::uint64_t queue_depth,
       match::Policy match_policy)
      : nodes_(nodes),
        engine_(machine(static_cast<std::uint32_t>(nodes)), Time::never(),
                Options{.policy = policy,
                        .queue_depth = queue_depth,
                        .reservation_depth = depth,
                        .match_policy = match_policy}) {
    for (int n = 0; n < nodes; ++n) facts_.up.insert(n);
    facts_.now = kEpoch;
    facts_.future_starts = future_starts(policy, depth);
    facts_.queue_depth = queue_depth;
    facts_.stop_at_first_wait = policy == QueuePolicy::fcfs;
    facts_.highest_first = match_policy == match::Policy::high;
  }

  void step() {
    switch (pick(0, 11)) {
      case 0:
      case 1:
      case 2:
        submit();
        break;
      case 3:
        withdraw();
        break;
      case 4:
        prioritize();
        break;
      case 5:
      case 6:
        move_end();
        break;
      case 7:
      case 8:
        release();
        break;
      case 9:
        change_nodes();
        break;
      case 10:
        if (pick(0, 3) == 0) move_horizon();
        break;
      default:
        break;
    }
    facts_.now += pick(0, 2) == 0 ? 0 : pick(1, 30);
    compare();
  }

 private:
  static int pick(int low, int high) { return *rc::gen::inRange(low, high + 1); }

  void submit() {
    oracle::WaitingJob waiting{++last_id_,
                               pick(15, 17),
                               facts_.now,
                               pick(1, nodes_),
                               pick(0, 9) == 0 ? kNever : pick(1, 60),
                               {}};
    PendingJob made =
        job(static_cast<std::uint64_t>(waiting.id), static_cast<std::uint64_t>(waiting.nodes),
            waiting.duration == kNever ? Duration::infinite() : secs(waiting.duration),
            static_cast<std::uint32_t>(waiting.priority));
    made.submit = at(facts_.now);
    for (int n = 0; n < nodes_; ++n) waiting.allowed.insert(n);
    if (engine_.infeasible(*made.request, Duration::infinite(), Time())) return;
    RC_ASSERT(engine_.submit(std::move(made)).has_value());
    facts_.waiting.push_back(waiting);
  }

  void withdraw() {
    const int id = pick(1, last_id_ + 1);
    const bool known =
        std::erase_if(facts_.waiting, [&](const auto& job) { return job.id == id; }) > 0;
    RC_ASSERT(engine_.withdraw(JobId(static_cast<std::uint64_t>(id))) == known);
  }

  void prioritize() {
    const int id = pick(1, last_id_ + 1);
    const int priority = pick(15, 17);
    const std::pair change{JobId(static_cast<std::uint64_t>(id)),
                           Priority(static_cast<std::uint32_t>(priority))};
    engine_.prioritize(std::span(&change, 1));
    for (auto& job : facts_.waiting) {
      if (job.id == id) job.priority = priority;
    }
  }

  oracle::RunningJob* any_running() {
    if (facts_.running.empty()) return nullptr;
    return &facts_.running[static_cast<std::size_t>(
        pick(0, static_cast<int>(facts_.running.size()) - 1))];
  }

  void move_end() {
    oracle::RunningJob* job = any_running();
    if (job == nullptr) return;
    const Seconds end = pick(0, 6) == 0 ? kNever : facts_.now + pick(-20, 80);
    const bool accepted =
        engine_.set_expiration(JobId(static_cast<std::uint64_t>(job->id)), to_time(end))
            .has_value();
    const Seconds start = starts_.at(job->id);
    const Seconds wanted = end == kNever ? facts_.horizon : end;
    RC_ASSERT(accepted == (wanted > start && wanted <= facts_.horizon));
    if (!accepted) return;
    job->end = wanted;
    if (end == kNever) {
      followers_.insert(job->id);
    } else {
      followers_.erase(job->id);
    }
  }

  void release() {
    oracle::RunningJob* job = any_running();
    if (job == nullptr) return;
    const int id = job->id;
    if (pick(0, 2) == 0) {
      const int node = pick(0, nodes_ - 1);
      engine_.release(JobId(static_cast<std::uint64_t>(id)),
                      Idset::single(static_cast<Idset::Id>(node)), Engine::Release::partial);
      job->nodes.erase(node);
      return;
    }
    engine_.release(JobId(static_cast<std::uint64_t>(id)), Idset(), Engine::Release::final);
    std::erase_if(facts_.running, [&](const auto& other) { return other.id == id; });
  }

  void change_nodes() {
    const int node = pick(0, nodes_ - 1);
    const Idset rank = Idset::single(static_cast<Idset::Id>(node));
    if (pick(0, 1) == 0) {
      engine_.mark_down(rank);
      facts_.up.erase(node);
    } else {
      engine_.mark_up(rank);
      facts_.up.insert(node);
    }
  }

  void move_horizon() {
    facts_.horizon = pick(0, 1) == 0 ? kNever : facts_.now + pick(1, 200);
    engine_.set_instance_expiration(to_time(facts_.horizon));
    for (auto& job : facts_.running) {
      if (followers_.contains(job.id)) job.end = facts_.horizon;
    }
  }

  void compare() {
    const oracle::NaivePlan expected = oracle::NaivePlanner(facts_).plan();
    engine_.plan(at(facts_.now));
    std::vector<oracle::PlannedStart> starts;
    for (const Start& start : engine_.take_starts()) {
      const match::Placement& placement = start.placement;
      const int id = static_cast<int>(start.id.value());
      starts.push_back({id, to_seconds(placement.span.start), to_seconds(placement.span.end),
                        to_nodes(placement.resources)});
      facts_.running.push_back({id, starts.back().nodes, starts.back().end});
      starts_[id] = starts.back().start;
      if (start.end_origin == EndOrigin::instance) followers_.insert(id);
      std::erase_if(facts_.waiting, [&](const auto& job) { return job.id == id; });
    }
    std::vector<oracle::PlannedStart> reserved;
    std::set<int> waiting;
    std::set<int> unplanned;
    for (const PlannedJob& entry : engine_.planned()) {
      const int id = static_cast<int>(entry.key.id.value());
      if (entry.outcome == PlannedJob::Outcome::waiting) waiting.insert(id);
      if (entry.outcome == PlannedJob::Outcome::unplanned) unplanned.insert(id);
      if (entry.outcome != PlannedJob::Outcome::reserved) continue;
      reserved.push_back({id, to_seconds(entry.placement.span.start),
                          to_seconds(entry.placement.span.end),
                          to_nodes(entry.placement.resources)});
    }
    RC_ASSERT(starts == expected.starts);
    RC_ASSERT(reserved == expected.reserved);
    RC_ASSERT(waiting == expected.waiting);
    RC_ASSERT(unplanned == expected.unplanned);
  }

  int nodes_;
  Engine engine_;
  oracle::Facts facts_;
  std::map<int, Seconds> starts_;
  std::set<int> followers_;
  int last_id_ = 0;
};

TEST(Planner, StartsAndPlansAsTheNaivePlannerDoes) {
  const bool holds = rc::check([] {
    Pair pair(*rc::gen::inRange(1, 9), static_cast<QueuePolicy>(*rc::gen::inRange(0, 4)),
              *rc::gen::inRange<std::uint64_t>(0, 4),
              *rc::gen::element<std::uint64_t>(1, 2, 4, kUnlimitedDepth),
              *rc::gen::element(match::Policy::low, match::Policy::first, match::Policy::high));
    for (int i = *rc::gen::inRange(1, 60); i > 0; --i) pair.step();
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace tenure::plan
