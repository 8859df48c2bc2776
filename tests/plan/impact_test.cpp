// Impact: a preview is what the next pass does, and free_until is right to the microsecond.
#include "plan/impact.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "plan/event_stream.hpp"
#include "plan/from_scratch.hpp"
#include "plan/machine.hpp"

namespace tenure::plan {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests
using ::testing::HasSubstr;

const Duration kMicrosecond = Duration::microseconds(1);

/// Starts made by a pass at `now`, and planned ones.
std::map<JobId, Time> starts_of(Engine& engine, Time now) {
  engine.plan(now);
  std::map<JobId, Time> starts;
  for (const Start& start : engine.take_starts()) starts.emplace(start.id, now);
  for (const PlannedJob& entry : engine.planned()) {
    if (entry.outcome != PlannedJob::Outcome::reserved) continue;
    starts.emplace(entry.key.id, entry.placement.span.start);
  }
  return starts;
}

/// The starts with another end, by doing it.
std::map<JobId, Time> starts_with(const Engine& engine, JobId id, Time end, Time now) {
  Engine changed(engine);
  changed.take_starts();
  EXPECT_TRUE(changed.set_expiration(id, end));
  return starts_of(changed, now);
}

bool delays(const std::map<JobId, Time>& before, const std::map<JobId, Time>& after) {
  return std::ranges::any_of(before, [&](const auto& entry) {
    const auto found = after.find(entry.first);
    return found == after.end() || found->second > entry.second;
  });
}

/// A preview applied to the starts before it.
std::map<JobId, Time> announced(std::map<JobId, Time> starts, const Impact& impact) {
  for (const auto* shifts : {&impact.delayed, &impact.advanced}) {
    for (const Shift& shift : *shifts) {
      EXPECT_EQ(shift.from, starts.contains(shift.id) ? starts.at(shift.id) : Time::never());
      starts.erase(shift.id);
      if (!shift.to.is_never()) starts.emplace(shift.id, shift.to);
    }
  }
  return starts;
}

PendingJob job(std::uint64_t id, std::uint64_t nodes, Duration duration) {
  PendingJob made;
  made.id = JobId(id);
  made.priority = Priority(16);
  made.submit = at(static_cast<std::int64_t>(id));
  made.request = whole_nodes(nodes);
  made.duration = duration;
  return made;
}

Engine conservative(std::uint32_t nodes, Time end = Time::never()) {
  Options options;
  options.policy = QueuePolicy::conservative;
  return Engine(machine(nodes), end, options);
}

TEST(Impact, NamesWhoIsDelayedFromWhenToWhen) {
  Engine engine = conservative(2);
  ASSERT_TRUE(engine.submit(job(1, 2, secs(100))));
  ASSERT_TRUE(engine.submit(job(2, 2, secs(100))));
  ASSERT_TRUE(engine.submit(job(3, 1, secs(100))));
  engine.plan(at(0));
  const Impact impact = preview(engine, JobId(1), at(150), at(0));
  EXPECT_FALSE(impact.refusal);
  EXPECT_EQ(impact.delayed,
            (std::vector<Shift>{{JobId(2), 2, at(100), at(150)}, {JobId(3), 1, at(200), at(250)}}));
  EXPECT_TRUE(impact.advanced.empty());
  const Cost cost = cost_of(impact.delayed);
  EXPECT_EQ(cost.worst, secs(50));
  EXPECT_EQ(cost.total, secs(100));
  EXPECT_DOUBLE_EQ(cost.node_hours, 150.0 / 3600);
  const Impact cut = preview(engine, JobId(1), at(40), at(0));
  EXPECT_EQ(cut.advanced.size(), 2U);
  EXPECT_EQ(find_free_until(engine, JobId(1), at(0))->end, at(100));
}

TEST(Impact, AReservationThatFindsOtherNodesAtTheSameTimeIsNoLimit) {
  Engine engine = conservative(2);
  ASSERT_TRUE(engine.submit(job(1, 1, secs(100))));
  ASSERT_TRUE(engine.submit(job(2, 1, secs(100))));
  ASSERT_TRUE(engine.submit(job(3, 1, secs(50))));
  engine.plan(at(0));
  // Job 3 is planned on node 0 behind job 1, and would be as early behind job 2.
  const auto free = find_free_until(engine, JobId(1), at(0));
  EXPECT_TRUE(free->end.is_never());
  EXPECT_EQ(free->limit, FreeUntil::Limit::none);
  // Both at once would be too much.
  ASSERT_TRUE(engine.set_expiration(JobId(2), at(130)));
  engine.plan(at(0));
  EXPECT_EQ(find_free_until(engine, JobId(1), at(0))->end, at(100));
}

TEST(Impact, AnEndThatNeverComesCanDelayWhereNoFiniteEndDoes) {
  Options options;
  options.policy = QueuePolicy::conservative;
  options.queues.resize(2);
  options.queues[0].name = "strict";
  options.queues[0].policy = QueuePolicy::fcfs;
  options.queues[1].name = "other";
  Engine engine(machine(2), Time::never(), options);
  Allocation held;
  held.id = JobId(1);
  held.resources.append_whole(NodeIndex(0));
  held.span = {at(0), at(100)};
  ASSERT_TRUE(engine.hold(std::move(held)));
  const auto submit = [&](std::uint64_t id, std::uint64_t nodes, const char* queue) {
    PendingJob waiting = job(id, nodes, secs(50));
    waiting.queue = queue;
    ASSERT_TRUE(engine.submit(std::move(waiting)));
  };
  submit(2, 2, "strict");  // waits for job 1, and nobody of its queue passes it
  submit(3, 1, "strict");  // may pass once job 2 can never start, before job 4
  submit(4, 1, "other");
  const auto free = find_free_until(engine, JobId(1), at(0));
  ASSERT_TRUE(free);
  EXPECT_EQ(free->end, Time::microseconds(Time::never().count() - 1));
  EXPECT_EQ(free->limit, FreeUntil::Limit::delay);
  const Impact endless = preview(engine, JobId(1), Time::never(), at(0));
  EXPECT_THAT(endless.delayed, ::testing::ElementsAre(Shift{JobId(4), 1, at(0), at(50)}));
}

TEST(Impact, TheEndOfTheInstanceIsALimitAndARefusal) {
  Engine engine = conservative(1, at(1000));
  ASSERT_TRUE(engine.submit(job(1, 1, secs(100))));
  engine.plan(at(0));
  const auto free = find_free_until(engine, JobId(1), at(0));
  EXPECT_EQ(free->end, at(1000));
  EXPECT_EQ(free->limit, FreeUntil::Limit::instance);
  const Impact beyond = preview(engine, JobId(1), at(1001), at(0));
  ASSERT_TRUE(beyond.refusal);
  EXPECT_THAT(beyond.refusal->message, HasSubstr("latest possible"));
  EXPECT_FALSE(find_free_until(engine, JobId(7), at(0)));
  EXPECT_TRUE(preview(engine, JobId(7), at(10), at(0)).refusal);
}

TEST(Impact, TheFrontierListsOnlyEndsThatGoBeyondWhatIsFree) {
  Engine engine = conservative(1, at(1000));
  ASSERT_TRUE(engine.submit(job(1, 1, secs(100))));
  ASSERT_TRUE(engine.submit(job(2, 1, secs(100))));
  engine.plan(at(0));
  const std::vector<Duration> steps{secs(50), secs(100), secs(2000)};
  const auto frontier = find_frontier(engine, JobId(1), at(0), steps);
  EXPECT_EQ(frontier->free.end, at(100));
  ASSERT_EQ(frontier->steps.size(), 2U);
  EXPECT_EQ(cost_of(frontier->steps[1].delayed).worst, secs(100));
}

void check_preview(Stream& stream, const std::map<JobId, Time>& before, const Allocation& held) {
  const Engine& engine = stream.engine();
  const Time now = stream.now();
  const Time end = stream.draw(0, 9) == 0 ? Time::never() : now + secs(stream.draw(1, 300));
  const Impact impact = preview(engine, held.id, end, now);
  Engine changed(engine);
  changed.take_starts();
  const auto outcome = changed.set_expiration(held.id, end);
  ASSERT_EQ(impact.refusal.has_value(), !outcome.has_value());
  EXPECT_EQ(announced(before, impact), starts_of(changed, now));
}

void check_free_until(Stream& stream, const std::map<JobId, Time>& before, const Allocation& held) {
  const Engine& engine = stream.engine();
  const Time now = stream.now();
  const auto free = find_free_until(engine, held.id, now);
  ASSERT_TRUE(free);
  const Time cap = engine.instance_expiration();
  EXPECT_LE(free->end, cap);
  if (free->end > held.span.start) {
    EXPECT_FALSE(delays(before, starts_with(engine, held.id, free->end, now)));
  }
  if (free->end == cap) return;
  EXPECT_TRUE(delays(before, starts_with(engine, held.id, free->end + kMicrosecond, now)));
}

TEST(Impact, PreviewIsRealityAndFreeUntilIsExactOverRandomStates) {
  int states = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Stream stream(seed);
    for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(fmt::format("event {}", i));
      const bool complete = stream.step();
      if (!complete && i % 4 != 0) continue;  // a preview may be asked before the pass too
      const Allocation* held = stream.any_allocation();
      if (held == nullptr) continue;
      Engine engine(stream.engine());
      const auto before = starts_of(engine, stream.now());
      const std::string facts = text_of(stream.engine());
      check_preview(stream, before, *held);
      check_free_until(stream, before, *held);
      EXPECT_EQ(text_of(stream.engine()), facts) << "a preview changed something";
      ++states;
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(states, 300);
}

}  // namespace
}  // namespace tenure::plan
