#include "sched/scheduler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/rig.hpp"

namespace tenure::sched {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Release = plan::Engine::Release;

HelloJob hello(std::uint64_t id, const Rig& rig, std::string_view ranks, Time start, Time end) {
  const auto& graph = rig.scheduler->engine().graph();
  HelloJob job;
  job.id = JobId(id);
  job.allocation.resources = graph.whole_nodes(graph.nodes_with_ranks(ids(ranks)));
  job.allocation.times = {start, end};
  return job;
}

// ---- alloc, deny, cancel -------------------------------------------------------------------

TEST(Scheduler, AllocIsCommittedBeforeItSucceeds) {
  Rig rig;
  rig.alloc(1, 2, secs(60), at(1000));
  EXPECT_THAT(rig.peer.commits, IsEmpty());  // nothing plans inside a message handler
  rig.scheduler->run_pass(at(1000));
  ASSERT_EQ(rig.peer.commits.size(), 1u);
  EXPECT_THAT(rig.peer.answers_of(1), IsEmpty());
  rig.commit_next();
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("success"));
  EXPECT_EQ(rig.peer.successes[0].start.placement.span, (Span{at(1000), at(1060)}));
}

TEST(Scheduler, TheEndIsTakenFromTheTimeOfThePass) {  // T4
  Rig rig;
  rig.alloc(1, 1, secs(60), at(1000));
  rig.settle(at(1007));
  EXPECT_EQ(rig.end_of(1), at(1067));
}

TEST(Scheduler, InfeasibleJobsAreDeniedWithTheReason) {
  Rig rig;
  rig.alloc(1, 5, secs(60), at(1000));
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("deny"));
  EXPECT_THAT(rig.peer.notes[JobId(1)], HasSubstr("5 nodes"));
  rig.alloc(2, 4, secs(60), at(1000));  // later jobs are not affected (B2)
  rig.settle(at(1000));
  EXPECT_THAT(rig.peer.answers_of(2), ElementsAre("success"));
}

TEST(Scheduler, ADurationBeyondTheInstanceIsInfeasible) {  // T2
  Rig rig({.expiration = 1800});
  rig.alloc(1, 1, secs(1600), at(300));
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("deny"));
  rig.alloc(2, 1, Duration::infinite(), at(300));
  rig.settle(at(300));
  EXPECT_EQ(rig.end_of(2), at(1800));
}

TEST(Scheduler, AnUnreadableJobspecIsDeniedById) {
  Rig rig;
  rig.scheduler->alloc_unreadable(JobId(9), Error{ErrorCode::invalid, "resources: is missing"});
  EXPECT_THAT(rig.peer.answers_of(9), ElementsAre("deny"));
  EXPECT_THAT(rig.peer.notes[JobId(9)], HasSubstr("resources: is missing"));
}

TEST(Scheduler, QueuesAreCheckedOnlyWhenSomeAreConfigured) {
  jobspec::Shorthand shorthand;
  shorthand.queue = "x";
  Rig open;
  open.alloc(1, Rig::spec(shorthand), at(1000));
  EXPECT_THAT(open.peer.answers_of(1), IsEmpty());
  Rig rig({.queues = {"a", "b"}});
  rig.alloc(1, Rig::spec(shorthand), at(1000));
  EXPECT_EQ(rig.peer.notes[JobId(1)], "queue 'x' is not configured (queues: a, b)");
  rig.alloc(2, 1, secs(60), at(1000));
  EXPECT_THAT(rig.peer.notes[JobId(2)], HasSubstr("queues: a, b"));
  shorthand.queue = "b";
  rig.alloc(3, Rig::spec(shorthand), at(1000));
  EXPECT_THAT(rig.peer.answers_of(3), IsEmpty());
}

TEST(Scheduler, AJobForAReservationThatDoesNotExistIsDenied) {
  jobspec::Shorthand shorthand;
  shorthand.reservation = "pm";
  Rig rig;
  rig.alloc(1, Rig::spec(shorthand), at(1000));
  EXPECT_EQ(rig.peer.notes[JobId(1)], "reservation 'pm' does not exist");
}

TEST(Scheduler, ASecondAllocOfAnIdIsIgnoredAndLogged) {
  Rig rig;
  rig.alloc(1, 1, secs(60), at(1000));
  rig.alloc(1, 9, secs(60), at(1000));  // waiting
  rig.scheduler->run_pass(at(1000));
  rig.alloc(1, 9, secs(60), at(1000));  // its commit is under way
  rig.commit_next();
  rig.alloc(1, 9, secs(60), at(1000));  // holds resources
  rig.scheduler->alloc_unreadable(JobId(1), Error{});
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("success"));
  EXPECT_EQ(rig.peer.logged(LogLevel::error), 4u);
}

TEST(Scheduler, CancelOfAWaitingJobIsAnsweredOnce) {  // B3
  Rig rig({.nodes = 2, .up = "1"});
  rig.alloc(1, 2, secs(60), at(1000));
  rig.settle(at(1000));
  EXPECT_THAT(rig.peer.answers_of(1), IsEmpty());  // down nodes do not make it infeasible
  rig.scheduler->cancel(JobId(1));
  rig.scheduler->cancel(JobId(1));
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("cancel"));
  EXPECT_EQ(rig.scheduler->engine().pending_count(), 0u);
  rig.settle(at(1001));
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("cancel"));
}

TEST(Scheduler, CancelOfARunningOrUnknownJobIsIgnored) {
  Rig rig;
  rig.alloc(1, 1, secs(60), at(1000));
  rig.settle(at(1000));
  rig.scheduler->cancel(JobId(1));
  rig.scheduler->cancel(JobId(77));
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("success"));
  EXPECT_EQ(rig.held(1), ids("0"));
}

TEST(Scheduler, CancelWhileTheCommitIsUnderWayTakesTheStartBack) {
  Rig rig({.nodes = 1});
  rig.alloc(1, 1, secs(60), at(1000));
  rig.alloc(2, 1, secs(60), at(1000));
  rig.scheduler->run_pass(at(1000));
  rig.scheduler->cancel(JobId(1));
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("cancel"));
  rig.scheduler->run_pass(at(1000));
  ASSERT_EQ(rig.peer.commits.size(), 2u);  // job 2 got the node
  rig.commit_next();                       // too late for job 1
  rig.commit_next();
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("cancel"));
  EXPECT_THAT(rig.peer.answers_of(2), ElementsAre("success"));
}

TEST(Scheduler, AJobSentAgainIsCommittedOnlyAfterItsOldCommit) {
  // An update of a pending job cancels its alloc and sends it again with the same id. Had
  // its first R been on the way, the outcome of that would have answered the second alloc.
  Rig rig;
  rig.alloc(1, 1, secs(60), at(1000));
  rig.scheduler->run_pass(at(1000));
  rig.scheduler->cancel(JobId(1));
  rig.alloc(1, 2, secs(90), at(1000));
  rig.scheduler->run_pass(at(1001));
  ASSERT_EQ(rig.peer.commits.size(), 1u);
  rig.commit_next();  // the old one
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("cancel"));
  ASSERT_EQ(rig.peer.commits.size(), 1u);
  rig.commit_next();
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("cancel", "success"));
  EXPECT_EQ(rig.peer.successes[0].start.placement.span.end, at(1091));
}

TEST(Scheduler, AnOutcomeWithoutACommitIsLogged) {
  Rig rig;
  rig.scheduler->committed(JobId(5), {});
  EXPECT_EQ(rig.peer.logged(LogLevel::error), 1u);
  EXPECT_THAT(rig.peer.answers_of(5), IsEmpty());
}

TEST(Scheduler, AFailedCommitIsReportedAndRolledBack) {  // R7
  Rig rig({.nodes = 1});
  rig.alloc(1, 1, secs(60), at(1000));
  rig.alloc(2, 1, secs(60), at(1001));
  rig.scheduler->run_pass(at(1001));
  rig.commit_next(failure(ErrorCode::io, "the backend is gone"));
  EXPECT_EQ(rig.peer.logged(LogLevel::error), 1u);
  EXPECT_THAT(rig.peer.answers_of(1), IsEmpty());
  EXPECT_EQ(rig.held(1), Idset());
  rig.settle(at(1002));  // still before job 2
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("success"));
  EXPECT_EQ(rig.planned(2), at(1062));
}

TEST(Scheduler, APriorityGivenDuringACommitHoldsAfterItsFailure) {
  Rig rig({.nodes = 1});
  rig.alloc(1, 1, secs(60), at(1000));
  rig.alloc(2, 1, secs(60), at(1000));
  rig.scheduler->run_pass(at(1000));
  rig.scheduler->prioritize(PrioritizeRequest{{{JobId(1), Priority(3)}}});
  rig.commit_next(failure(ErrorCode::io, "no"));
  rig.settle(at(1000));
  EXPECT_THAT(rig.peer.answers_of(2), ElementsAre("success"));
  EXPECT_THAT(rig.peer.answers_of(1), IsEmpty());
}

TEST(Scheduler, PrioritizeReordersAndSkipsUnknownIds) {
  Rig rig({.nodes = 1});
  rig.alloc(1, 1, secs(60), at(1000));
  rig.alloc(2, 1, secs(60), at(1000));
  rig.scheduler->prioritize(
      PrioritizeRequest{{{JobId(2), Priority(99)}, {JobId(77), Priority(1)}}});
  rig.settle(at(1000));
  EXPECT_THAT(rig.peer.answers_of(2), ElementsAre("success"));
}

// ---- free ----------------------------------------------------------------------------------

TEST(Scheduler, FreedRanksAreUsedAtOnce) {  // R3
  Rig rig;
  rig.alloc(1, 4, secs(600), at(1000));
  rig.settle(at(1000));
  rig.alloc(2, 1, secs(60), at(1010));
  rig.free(1, "2", Release::partial);
  rig.settle(at(1010));
  EXPECT_EQ(rig.held(2), ids("2"));
  EXPECT_EQ(rig.held(1), ids("0-1,3"));
}

TEST(Scheduler, TheFinalFreeReleasesWhateverIsLeft) {  // R4
  Rig rig;
  rig.alloc(1, 4, secs(600), at(1000));
  rig.settle(at(1000));
  rig.free(1, "2");
  EXPECT_EQ(rig.held(1), Idset());
  rig.alloc(2, 4, secs(60), at(1010));
  rig.settle(at(1010));
  EXPECT_EQ(rig.held(2), ids("0-3"));
}

TEST(Scheduler, FreeOfAnUnknownJobOrBeforeSuccessIsIgnored) {
  Rig rig;
  rig.free(77);
  rig.alloc(1, 1, secs(60), at(1000));
  rig.scheduler->run_pass(at(1000));
  rig.free(1);
  EXPECT_EQ(rig.held(1), ids("0"));
  rig.commit_next();
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("success"));
}

// ---- resource status, feasibility ----------------------------------------------------------

TEST(Scheduler, ResourceStatusSumsUpAllocations) {
  Rig rig({.up = "0-2"});
  jobspec::Shorthand shorthand;
  shorthand.cores_per_slot = 2;
  rig.alloc(1, Rig::spec(shorthand), at(1000));
  rig.alloc(2, Rig::spec(shorthand), at(1000));
  shorthand.cores_per_slot = 1;
  rig.alloc(3, Rig::spec(shorthand), at(1000));
  rig.settle(at(1000));
  const ResourceStatus status = rig.scheduler->resource_status();
  const auto& graph = rig.scheduler->engine().graph();
  EXPECT_EQ(graph.ranks_of(status.all), ids("0-3"));
  EXPECT_EQ(graph.ranks_of(status.down), ids("3"));
  EXPECT_EQ(graph.ranks_of(status.allocated), ids("0-1"));
  EXPECT_EQ(status.allocated.whole().size(), 1u);  // two halves make a whole node
  ASSERT_EQ(status.allocated.parts().size(), 1u);
  EXPECT_EQ(status.allocated.parts()[0].units.count(), 1u);
  const boost::json::value json = encode(status, graph);
  EXPECT_EQ(json.at("allocated").at("execution").at("R_lite").at(1).at("children").at("core"), "0");
  EXPECT_EQ(json.at("all").at("execution").as_object().if_contains("nslots"), nullptr);
}

TEST(Scheduler, ResourceStatusLeavesLostRanksOut) {
  Rig rig;
  rig.scheduler->update(AcquireUpdate{.down = ids("0"), .shrink = ids("0")});
  rig.scheduler->hello(hello(1, rig, "0-1", at(1000), at(2000)));  // an R from before
  const ResourceStatus status = rig.scheduler->resource_status();
  const auto& graph = rig.scheduler->engine().graph();
  EXPECT_EQ(graph.ranks_of(status.all), ids("1-3"));
  EXPECT_EQ(graph.ranks_of(status.allocated), ids("1"));
  EXPECT_EQ(graph.ranks_of(status.down), Idset());
}

TEST(Scheduler, FeasibilityIsTheSameQuestionAsDenial) {
  Rig rig({.up = ""});
  EXPECT_TRUE(rig.scheduler->check(*Rig::whole(4, secs(60)), at(1000)));
  const auto never = rig.scheduler->check(*Rig::whole(5, secs(60)), at(1000));
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().code, ErrorCode::infeasible);
  rig.alloc(1, 5, secs(60), at(1000));
  EXPECT_EQ(rig.peer.notes[JobId(1)], never.error().message);
}

// ---- start-up, node state ------------------------------------------------------------------

TEST(Scheduler, EverythingIsDownButTheFirstUp) {  // R1
  Rig none({.up = ""});
  none.alloc(1, 1, secs(60), at(1000));
  none.settle(at(1000));
  EXPECT_THAT(none.peer.answers_of(1), IsEmpty());
  none.scheduler->update(AcquireUpdate{.up = ids("3")});
  none.settle(at(1001));
  EXPECT_EQ(none.held(1), ids("3"));
}

TEST(Scheduler, AShrunkMachineHasFewerNodesForGood) {  // R2
  Rig rig;
  rig.alloc(1, 1, secs(600), at(1000));
  rig.settle(at(1000));
  rig.scheduler->update(AcquireUpdate{.down = ids("0"), .shrink = ids("0")});
  rig.alloc(2, 4, secs(60), at(1001));
  EXPECT_THAT(rig.peer.answers_of(2), ElementsAre("deny"));
  rig.alloc(3, 3, secs(60), at(1001));
  rig.settle(at(1001));
  EXPECT_THAT(rig.peer.answers_of(3), ElementsAre("success"));
  rig.free(1, "0");
  EXPECT_EQ(rig.peer.logged(LogLevel::error), 0u);
  rig.scheduler->update(AcquireUpdate{.up = ids("0")});  // gone is gone
  EXPECT_FALSE(rig.scheduler->check(*Rig::whole(4, secs(60)), at(1002)));
}

TEST(Scheduler, TwoJobsOnALostRankLoseTheirOwnParts) {  // R2
  Rig rig({.nodes = 2});
  jobspec::Shorthand shorthand;
  rig.alloc(1, Rig::spec(shorthand), at(1000));
  rig.alloc(2, Rig::spec(shorthand), at(1000));
  rig.settle(at(1000));
  rig.scheduler->update(AcquireUpdate{.down = ids("0"), .shrink = ids("0")});
  EXPECT_EQ(rig.held(1), Idset());
  EXPECT_EQ(rig.held(2), Idset());
  rig.free(1, "0");
  rig.free(2, "0");
  EXPECT_EQ(rig.peer.logged(LogLevel::error), 0u);
  rig.alloc(3, 1, secs(60), at(1001));
  rig.settle(at(1001));
  EXPECT_EQ(rig.held(3), ids("1"));
}

TEST(Scheduler, WaitingJobsThatAShrinkMakesInfeasibleAreDenied) {
  // Lost ranks never come back: without an answer such a job would wait for ever.
  Rig rig;
  rig.alloc(1, 4, secs(600), at(1000));
  rig.settle(at(1000));
  rig.alloc(2, 4, secs(60), at(1001));
  rig.alloc(3, 3, secs(60), at(1001));
  rig.scheduler->update(AcquireUpdate{.down = ids("3")});
  EXPECT_THAT(rig.peer.answers_of(2), IsEmpty());  // down may come back
  rig.scheduler->update(AcquireUpdate{.down = ids("3"), .shrink = ids("3")});
  EXPECT_THAT(rig.peer.answers_of(2), ElementsAre("deny"));
  EXPECT_THAT(rig.peer.notes[JobId(2)], HasSubstr("shrank"));
  EXPECT_THAT(rig.peer.answers_of(3), IsEmpty());
  rig.scheduler->cancel(JobId(2));
  EXPECT_THAT(rig.peer.answers_of(2), ElementsAre("deny"));
}

TEST(Scheduler, AJobThatAShrinkMadeInfeasibleDuringItsCommitIsDenied) {
  // Its commit failed after a rank was lost; it went back to the queue and waited for ever.
  Rig rig;
  rig.alloc(1, 4, secs(60), at(1000));
  rig.scheduler->run_pass(at(1000));
  rig.scheduler->update(AcquireUpdate{.down = ids("0"), .shrink = ids("0")});
  EXPECT_THAT(rig.peer.answers_of(1), IsEmpty());
  rig.commit_next(failure(ErrorCode::io, "no"));
  EXPECT_THAT(rig.peer.answers_of(1), ElementsAre("deny"));
  EXPECT_EQ(rig.scheduler->engine().find_allocation(JobId(1)), nullptr);
}

TEST(Scheduler, DownWinsOverUpInOneUpdate) {
  Rig rig({.nodes = 1, .up = ""});
  rig.scheduler->update(AcquireUpdate{.up = ids("0"), .down = ids("0")});
  EXPECT_TRUE(rig.scheduler->engine().graph().up().none());
}

TEST(Scheduler, PropertiesChangeWhatIsFeasible) {
  Rig rig;
  jobspec::Shorthand shorthand;
  shorthand.constraint = boost::json::parse(R"({"properties": ["foo"]})");
  EXPECT_FALSE(rig.scheduler->check(*Rig::spec(shorthand), at(1000)));
  rig.scheduler->update(AcquireUpdate{.property_add = {{"foo", ids("2")}}});
  rig.alloc(1, Rig::spec(shorthand), at(1000));
  rig.settle(at(1000));
  EXPECT_EQ(rig.held(1), ids("2"));
  rig.scheduler->update(AcquireUpdate{.property_remove = {{"foo", ids("2")}}});
  EXPECT_FALSE(rig.scheduler->check(*Rig::spec(shorthand), at(1000)));
}

TEST(Scheduler, HelloTakesTheEndFromTheCurrentR) {  // E9
  Rig rig({.nodes = 1});
  HelloJob job = hello(1, rig, "0", at(1000), at(4660));
  job.duration = secs(3660);
  rig.scheduler->hello(job);
  rig.alloc(2, 1, secs(60), at(1010));
  rig.settle(at(1010));
  EXPECT_EQ(rig.planned(2), at(4660));
}

TEST(Scheduler, HelloLeavesFreedRanksOut) {  // R6
  Rig rig;
  HelloJob job = hello(1, rig, "0-3", at(1000), at(2000));
  job.freed = ids("0,2-3");
  rig.scheduler->hello(job);
  EXPECT_EQ(rig.held(1), ids("1"));
}

TEST(Scheduler, HelloTakesJobsOnDownNodesAndPastTheirEnd) {  // R5
  Rig rig({.nodes = 1, .up = ""});
  rig.scheduler->hello(hello(1, rig, "0", at(10), at(20)));
  rig.scheduler->update(AcquireUpdate{.up = ids("0")});
  rig.alloc(2, 1, secs(60), at(1000));
  rig.settle(at(1000));
  EXPECT_THAT(rig.peer.answers_of(2), IsEmpty());
  EXPECT_GT(rig.planned(2), at(1000));
}

TEST(Scheduler, HelloReportsWhatCannotBeTakenOver) {
  Rig rig;
  rig.scheduler->hello(hello(1, rig, "0-1", at(1000), at(2000)));
  rig.scheduler->hello(hello(1, rig, "2", at(1000), at(2000)));    // the same id
  rig.scheduler->hello(hello(2, rig, "1-2", at(1000), at(2000)));  // rank 1 is held
  EXPECT_EQ(rig.peer.logged(LogLevel::error), 2u);
  EXPECT_EQ(rig.held(2), ids("2"));
  HelloJob job = hello(3, rig, "3", at(1000), at(2000));
  job.allocation.unknown_ranks = 1;
  rig.scheduler->hello(job);
  EXPECT_EQ(rig.peer.logged(LogLevel::warning), 1u);
  EXPECT_EQ(rig.held(3), ids("3"));
}

TEST(Scheduler, HelloKnowsWhoseEndFollowsTheInstance) {
  Rig rig({.expiration = 300});
  HelloJob unlimited = hello(1, rig, "0", at(10), at(300));
  unlimited.duration = Duration::infinite();
  HelloJob limited = hello(2, rig, "1", at(10), at(300));
  limited.duration = secs(290);
  rig.scheduler->hello(unlimited);
  rig.scheduler->hello(limited);
  rig.scheduler->hello(hello(3, rig, "2", at(10), at(300)));        // exactly the instance's
  rig.scheduler->hello(hello(4, rig, "3", at(10), Time::never()));  // none of its own (T3)
  EXPECT_EQ(rig.end_of(4), at(300));
  rig.scheduler->update(AcquireUpdate{.expiration = at(360)});
  EXPECT_EQ(rig.end_of(1), at(360));
  EXPECT_EQ(rig.end_of(2), at(300));
  EXPECT_EQ(rig.end_of(3), at(360));
  EXPECT_EQ(rig.end_of(4), at(360));
}

TEST(Scheduler, HelloTakesNoMoreThanOneEndForUnknownDurations) {
  Rig rig({.expiration = 300});
  rig.scheduler->hello(hello(1, rig, "0", at(10), at(200)));
  rig.scheduler->update(AcquireUpdate{.expiration = at(360)});
  EXPECT_EQ(rig.end_of(1), at(200));
}

TEST(Scheduler, TheInstanceMovesJobsWithoutADuration) {  // E6
  Rig rig({.expiration = 300});
  rig.alloc(1, 1, Duration::infinite(), at(10));
  rig.settle(at(10));
  EXPECT_EQ(rig.end_of(1), at(300));
  rig.scheduler->update(AcquireUpdate{.expiration = at(360)});
  EXPECT_EQ(rig.end_of(1), at(360));
  rig.alloc(2, 1, Duration::infinite(), at(20));
  rig.settle(at(20));
  EXPECT_EQ(rig.end_of(2), at(360));
  rig.scheduler->update(AcquireUpdate{.expiration = Time::never()});
  EXPECT_TRUE(rig.end_of(1).is_never());
  EXPECT_TRUE(rig.end_of(2).is_never());
}

// ---- configuration -------------------------------------------------------------------------

TEST(Scheduler, ReconfigurationIsAllOrNothing) {
  Rig rig;
  EXPECT_FALSE(rig.scheduler->reconfigure({{"policy", "fcfs"}, {"queue-depth", 0}}));
  EXPECT_EQ(rig.scheduler->engine().options().policy, plan::QueuePolicy::easy);
  ASSERT_TRUE(rig.scheduler->reconfigure({{"policy", "fcfs"}}));
  EXPECT_EQ(rig.scheduler->engine().options().policy, plan::QueuePolicy::fcfs);
  EXPECT_EQ(rig.scheduler->config().options.policy, plan::QueuePolicy::fcfs);
}

TEST(Scheduler, SchedulingRidesAlongUnlessTheFormatSaysNot) {
  boost::json::value r = inventory(1);
  r.as_object()["scheduling"] = boost::json::object{{"writer", "TreePool"}};
  auto acquired = decode_acquire_initial(boost::json::object{{"resources", r}});
  ASSERT_TRUE(acquired);
  RecordingPeer peer;
  Scheduler scheduler(*std::move(acquired), {}, peer);
  ASSERT_NE(scheduler.scheduling(), nullptr);
  EXPECT_EQ(*scheduler.scheduling(), r.at("scheduling"));
  ASSERT_TRUE(scheduler.reconfigure({{"match-format", "rv1_nosched"}}));
  EXPECT_EQ(scheduler.scheduling(), nullptr);
  EXPECT_EQ(Rig().scheduler->scheduling(), nullptr);
}

TEST(Scheduler, ReconfigurationPlansAgainWithTheNewPolicy) {
  Rig rig({.nodes = 1});
  for (std::uint64_t id = 1; id <= 3; ++id) rig.alloc(id, 1, secs(60), at(1000));
  rig.settle(at(1000));
  EXPECT_FALSE(rig.planned(3).has_value());
  ASSERT_TRUE(rig.scheduler->reconfigure({{"policy", "conservative"}}));
  rig.settle(at(1001));
  EXPECT_EQ(rig.planned(3), at(1120));
}

TEST(Scheduler, EqualAllocsInARowShareWhatWasReadAndCompiled) {
  Rig rig;
  rig.alloc(1, Rig::whole(1, secs(60)), at(1000));
  rig.alloc(2, Rig::whole(1, secs(60)), at(1000));
  rig.alloc(3, Rig::whole(2, secs(60)), at(1000));
  rig.alloc(4, Rig::whole(2, secs(61)), at(1000));
  const auto waiting = [&](std::uint64_t id) {
    return *rig.scheduler->engine().find_pending(JobId(id));
  };
  EXPECT_EQ(waiting(2).request, waiting(1).request);
  EXPECT_EQ(waiting(2).jobspec, waiting(1).jobspec);
  EXPECT_NE(waiting(3).request, waiting(2).request);
  EXPECT_EQ(waiting(3).request->nodes, 2U);
  EXPECT_EQ(waiting(4).duration, secs(61));
}

}  // namespace
}  // namespace tenure::sched
