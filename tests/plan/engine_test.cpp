#include "plan/engine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "plan/machine.hpp"

namespace tenure::plan {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests

std::vector<std::uint64_t> started(Engine& engine) {
  std::vector<std::uint64_t> ids;
  for (const Start& start : engine.take_starts()) ids.push_back(start.id.value());
  return ids;
}

using Ids = std::vector<std::uint64_t>;

TEST(Engine, StartsWhatFitsAndReservesTheNext) {
  Engine e = engine(4);
  ASSERT_TRUE(e.submit(job(1, 4, secs(60))));
  ASSERT_TRUE(e.submit(job(2, 4, secs(60))));
  EXPECT_EQ(e.plan(at(1000)), PassState::complete);
  EXPECT_EQ(started(e), Ids{1});
  EXPECT_EQ(planned_start(e, 2), at(1060));
  EXPECT_EQ(e.next_wakeup(), at(1060));
}

TEST(Engine, ExtensionMovesTheReservationBehindIt) {  // E1
  Engine e = engine(1);
  ASSERT_TRUE(e.submit(job(1, 1, secs(60))));
  ASSERT_TRUE(e.submit(job(2, 1, secs(60))));
  e.plan(at(1000));
  ASSERT_TRUE(e.set_expiration(JobId(1), at(1600)));
  EXPECT_FALSE(e.is_complete());
  e.plan(at(1010));
  EXPECT_EQ(planned_start(e, 2), at(1600));
  EXPECT_EQ(e.find_allocation(JobId(1))->span.end, at(1600));
}

TEST(Engine, CutLetsTheNextJobMoveUp) {
  Engine e = engine(1);
  ASSERT_TRUE(e.submit(job(1, 1, secs(600))));
  ASSERT_TRUE(e.submit(job(2, 1, secs(60))));
  e.plan(at(1000));
  ASSERT_TRUE(e.set_expiration(JobId(1), at(1100)));
  e.plan(at(1010));
  EXPECT_EQ(planned_start(e, 2), at(1100));
}

TEST(Engine, TheSameExpirationAgainUndoesNothing) {
  Engine e = engine(1);
  ASSERT_TRUE(e.submit(job(1, 1, secs(60))));
  ASSERT_TRUE(e.submit(job(2, 1, secs(60))));
  e.plan(at(1000));
  const auto undone = e.counters().decisions_undone;
  ASSERT_TRUE(e.set_expiration(JobId(1), at(1060)));
  EXPECT_TRUE(e.is_complete());
  EXPECT_EQ(e.counters().decisions_undone, undone);
}

TEST(Engine, ExtensionThatHitsNothingKeepsTheWholePlan) {
  Engine e = engine(2);
  ASSERT_TRUE(e.submit(job(1, 1, secs(60))));
  ASSERT_TRUE(e.submit(job(2, 1, secs(100))));
  ASSERT_TRUE(e.submit(job(3, 2, secs(60))));
  e.plan(at(1000));
  ASSERT_TRUE(e.set_expiration(JobId(1), at(1090)));
  EXPECT_TRUE(e.is_complete());
  EXPECT_EQ(planned_start(e, 3), at(1100));
}

TEST(Engine, RefusesAnExpirationAndChangesNothing) {
  Engine e(machine(1), at(5000), Options{.policy = QueuePolicy::conservative});
  ASSERT_TRUE(e.submit(job(1, 1, secs(60))));
  ASSERT_TRUE(e.submit(job(2, 1, secs(60))));
  e.plan(at(1000));
  const auto refused = [&](std::uint64_t id, Time end) {
    const auto outcome = e.set_expiration(JobId(id), end);
    return outcome ? std::string("accepted") : std::string(to_string(outcome.error().code));
  };
  EXPECT_EQ(refused(9, at(2000)), "not-found");
  EXPECT_EQ(refused(2, at(2000)), "not-found");
  EXPECT_EQ(refused(1, at(1000)), "invalid");
  EXPECT_EQ(refused(1, at(5001)), "invalid");
  EXPECT_EQ(e.set_expiration(JobId(1), at(5001)).error().message,
            fmt::format("expiration: 5001 is later than the instance ends; the latest possible "
                        "for job {} is 5000",
                        format_f58(JobId(1))));
  EXPECT_TRUE(e.is_complete());
  EXPECT_EQ(planned_start(e, 2), at(1060));
}

TEST(Engine, UnsetExpirationHoldsUntilTheInstanceEnds) {
  Engine e(machine(1), at(5000), Options{.policy = QueuePolicy::conservative});
  ASSERT_TRUE(e.submit(job(1, 1, secs(60))));
  ASSERT_TRUE(e.submit(job(2, 1, secs(60))));
  e.plan(at(1000));
  ASSERT_TRUE(e.set_expiration(JobId(1), Time::never()));
  e.plan(at(1001));
  EXPECT_EQ(e.find_allocation(JobId(1))->span.end, at(5000));
  EXPECT_EQ(e.find_planned(JobId(2))->outcome, PlannedJob::Outcome::unplanned);
  e.set_instance_expiration(at(6000));
  e.plan(at(1002));
  EXPECT_EQ(e.find_allocation(JobId(1))->span.end, at(6000));
}

TEST(Engine, AnOverrunKeepsItsNodesAndItsEstimateMovesAlong) {  // E7
  Engine e = engine(1);
  ASSERT_TRUE(e.submit(job(1, 1, secs(60))));
  ASSERT_TRUE(e.submit(job(2, 1, secs(60))));
  e.plan(at(1000));
  started(e);
  e.plan(at(1060));
  EXPECT_EQ(started(e), Ids{});
  EXPECT_EQ(planned_start(e, 2), at(1120));
  e.plan(at(1065));
  EXPECT_EQ(planned_start(e, 2), at(1125));
  e.release(JobId(1), Idset(), Engine::Release::final);
  e.plan(at(1070));
  EXPECT_EQ(started(e), Ids{2});
}

TEST(Engine, AnExpirationInThePastIsAnOverrun) {
  Engine e = engine(1);
  ASSERT_TRUE(e.submit(job(1, 1, secs(600))));
  ASSERT_TRUE(e.submit(job(2, 1, secs(60))));
  e.plan(at(1000));
  e.plan(at(1100));
  started(e);
  ASSERT_TRUE(e.set_expiration(JobId(1), at(1050)));
  e.plan(at(1101));
  EXPECT_EQ(started(e), Ids{});
  EXPECT_EQ(planned_start(e, 2), at(1161));
}

TEST(Engine, ExtensionOfAPartlyReleasedJobHoldsOnlyTheRest) {
  Engine e = engine(2);
  ASSERT_TRUE(e.submit(job(1, 2, secs(60))));
  ASSERT_TRUE(e.submit(job(2, 1, secs(60))));
  ASSERT_TRUE(e.submit(job(3, 1, secs(60))));
  e.plan(at(1000));
  started(e);
  e.release(JobId(1), ranks(0, 0), Engine::Release::partial);
  ASSERT_TRUE(e.set_expiration(JobId(1), at(1600)));
  e.plan(at(1010));
  EXPECT_EQ(started(e), Ids{2});
  EXPECT_EQ(planned_start(e, 3), at(1070));
}

TEST(Engine, FcfsStopsAtTheFirstJobThatHasToWait) {  // B8
  Engine e = engine(2, QueuePolicy::fcfs);
  ASSERT_TRUE(e.submit(job(1, 1, secs(60))));
  ASSERT_TRUE(e.submit(job(2, 2, secs(60))));
  ASSERT_TRUE(e.submit(job(3, 1, secs(60))));
  e.plan(at(1000));
  EXPECT_EQ(started(e), Ids{1});
  EXPECT_EQ(e.find_planned(JobId(2))->outcome, PlannedJob::Outcome::waiting);
  EXPECT_EQ(e.find_planned(JobId(3)), nullptr);
  EXPECT_TRUE(e.withdraw(JobId(2)));
  e.plan(at(1001));
  EXPECT_EQ(started(e), Ids{3});
}

TEST(Engine, EasyBackfillsOnlyWhatDoesNotDelayTheHead) {
  Engine e = engine(2, QueuePolicy::easy);
  ASSERT_TRUE(e.submit(job(1, 1, secs(60))));
  ASSERT_TRUE(e.submit(job(2, 2, secs(60))));
  ASSERT_TRUE(e.submit(job(3, 1, secs(61))));
  ASSERT_TRUE(e.submit(job(4, 1, secs(60))));
  e.plan(at(1000));
  const auto starts = e.take_starts();
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_EQ(starts[0].selection, Selection::immediate);
  EXPECT_EQ(starts[1].id, JobId(4));
  EXPECT_EQ(starts[1].selection, Selection::backfilled);
  EXPECT_EQ(planned_start(e, 2), at(1060));
  EXPECT_EQ(e.find_planned(JobId(3))->outcome, PlannedJob::Outcome::waiting);
}

TEST(Engine, AStartAtItsPlannedTimeIsReservedWhetherFreedOrNot) {
  Engine e = engine(2);
  ASSERT_TRUE(e.submit(job(1, 1, secs(60))));
  ASSERT_TRUE(e.submit(job(2, 2, secs(60))));
  ASSERT_TRUE(e.submit(job(3, 1, secs(60))));
  e.plan(at(1000));
  e.take_starts();
  e.release(JobId(1), Idset(), Engine::Release::final);
  e.release(JobId(3), Idset(), Engine::Release::final);
  e.plan(at(1060));
  const auto starts = e.take_starts();
  ASSERT_EQ(starts.size(), 1U);
  EXPECT_EQ(starts[0].selection, Selection::reserved);
}

TEST(Engine, AJobThatCannotBePlannedBlocksNobody) {  // B6
  for (const auto policy : {QueuePolicy::fcfs, QueuePolicy::easy, QueuePolicy::conservative}) {
    Engine e = engine(4, policy);
    e.mark_down(ranks(3, 3));
    ASSERT_TRUE(e.submit(job(1, 4, secs(60))));
    ASSERT_TRUE(e.submit(job(2, 2, secs(60))));
    e.plan(at(1000));
    EXPECT_EQ(started(e), Ids{2});
    EXPECT_EQ(e.find_planned(JobId(1))->outcome, PlannedJob::Outcome::unplanned);
    EXPECT_EQ(e.explain(JobId(1), at(1000)).code, Reason::Code::not_up);
    e.mark_up(ranks(3, 3));
    e.plan(at(1001));
    EXPECT_NE(e.find_planned(JobId(1))->outcome, PlannedJob::Outcome::unplanned);
  }
}

TEST(Engine, AReasonSaysWhatIsFreeUntilWhenAndWhatWouldStart) {
  Engine e = engine(4);
  ASSERT_TRUE(e.submit(job(1, 2, secs(100))));
  ASSERT_TRUE(e.submit(job(2, 4, secs(60))));
  ASSERT_TRUE(e.submit(job(3, 2, secs(101))));
  ASSERT_TRUE(e.submit(job(4, 3, secs(10))));
  e.plan(at(1000));
  const auto text = [&](std::uint64_t id) {
    return describe(e.explain(JobId(id), at(1000)),
                    [](Time time) { return fmt::format("{}", time.count() / 1'000'000); });
  };
  EXPECT_EQ(text(2), "needs 4 nodes, 2 free now; enough at 1100 (ƒ2)");
  EXPECT_EQ(text(3),
            "needs 2 nodes, 2 free now but only until 1100, 100s would start; "
            "enough at 1160 (ƒ3)");
  EXPECT_EQ(text(4), "needs 3 nodes, 2 free now; enough at 1261 (ƒ4)");
}

TEST(Engine, AForkGoesItsOwnWay) {
  Engine e = engine(1);
  ASSERT_TRUE(e.submit(job(1, 1, secs(60))));
  ASSERT_TRUE(e.submit(job(2, 1, secs(60))));
  e.plan(at(1000));
  Engine fork(e);
  ASSERT_TRUE(fork.set_expiration(JobId(1), at(1600)));
  fork.plan(at(1000));
  EXPECT_EQ(planned_start(fork, 2), at(1600));
  EXPECT_EQ(planned_start(e, 2), at(1060));
}

TEST(Engine, AHeldAllocationLosesWhatAnotherHoldsUnitByUnit) {
  Engine e(machine(2, 4), Time::never(), Options{});
  const graph::Shape& shape = e.graph().shape_of(NodeIndex(0));
  const auto held = [&](std::uint64_t id, std::initializer_list<std::uint32_t> cores) {
    Allocation allocation;
    allocation.id = JobId(id);
    allocation.span = Span{at(900), at(1600)};
    graph::UnitMask units(shape.units);
    for (const std::uint32_t core : cores) units.set(core);
    allocation.resources.append_part(NodeIndex(0), std::move(units), shape);
    allocation.resources.append_whole(NodeIndex(1));
    return allocation;
  };
  EXPECT_EQ(*e.hold(held(1, {0, 1})), 0u);
  // Node 0 in part, node 1 as a whole.
  EXPECT_EQ(*e.hold(held(2, {1, 2})), 2u);
  graph::UnitMask rest(shape.units);
  rest.set(2);
  graph::ResourceSet expected;
  expected.append_part(NodeIndex(0), std::move(rest), shape);
  EXPECT_EQ(e.find_allocation(JobId(2))->resources, expected);
}

/// An engine on one node with `jobs` waiting jobs behind a running one, planned.
Engine crowded(std::uint64_t jobs, std::uint64_t queue_depth) {
  Options options;
  options.policy = QueuePolicy::conservative;
  options.queue_depth = queue_depth;
  Engine e(machine(1), Time::never(), options);
  for (std::uint64_t id = 1; id <= jobs + 1; ++id) {
    EXPECT_TRUE(e.submit(job(id, 1, secs(60))));
  }
  e.plan(at(1000));
  e.take_starts();
  return e;
}

TEST(Engine, CancelsBehindTheQueueDepthPlanNothing) {
  Engine e = crowded(20'000, 100);
  const PassCounters before = e.counters();
  for (std::uint64_t id = 10'000; id < 20'000; ++id) ASSERT_TRUE(e.withdraw(JobId(id)));
  EXPECT_TRUE(e.is_complete());
  EXPECT_EQ(e.counters().decisions_undone, before.decisions_undone);
  e.plan(at(1000));
  EXPECT_EQ(e.counters().jobs_planned, before.jobs_planned);
}

TEST(Engine, TenThousandCancelsOfPlannedJobsCostOnePassOverWhatIsLeft) {
  Engine e = crowded(12'000, kUnlimitedDepth);
  const PassCounters before = e.counters();
  for (std::uint64_t id = 2; id <= 10'001; ++id) ASSERT_TRUE(e.withdraw(JobId(id)));
  // Each decision is undone once at most, whatever the number of cancels.
  EXPECT_LE(e.counters().decisions_undone - before.decisions_undone, 12'000u);
  e.plan(at(1000));
  EXPECT_EQ(e.counters().passes - before.passes, 1u);
  EXPECT_LE(e.counters().jobs_planned - before.jobs_planned, 2'000u);
  EXPECT_EQ(planned_start(e, 10'002), at(1060));
}

TEST(Engine, ThousandMovedEndsInOneTurnCostOnePass) {
  Engine e = crowded(1'000, kUnlimitedDepth);
  const PassCounters before = e.counters();
  for (std::int64_t i = 1; i <= 1'000; ++i) ASSERT_TRUE(e.set_expiration(JobId(1), at(1060 + i)));
  e.plan(at(1000));
  EXPECT_EQ(e.counters().passes - before.passes, 1u);
  EXPECT_LE(e.counters().jobs_planned - before.jobs_planned, 1'000u);
  EXPECT_EQ(planned_start(e, 2), at(2060));
}

}  // namespace
}  // namespace tenure::plan
