// The table of the design's section on the expiration of a running job, row by row, except
// for advance reservations.
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

/// One node; job 1 runs 1000 … 1060 and job 2 waits for it.
Rig running_and_waiting(std::int64_t instance_end = 0) {
  Rig rig({.nodes = 1, .expiration = instance_end});
  rig.alloc(1, 1, secs(60), at(1000));
  rig.alloc(2, 1, secs(60), at(1000));
  rig.settle(at(1000));
  return rig;
}

void refused(Rig& rig, std::uint64_t id, Time expiration, ErrorCode code,
             std::initializer_list<std::string> parts) {
  const std::size_t warnings = rig.peer.logged(LogLevel::warning);
  const auto outcome = rig.expire(id, expiration);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, code) << outcome.error().message;
  EXPECT_THAT(outcome.error().message, HasSubstr(format_f58(JobId(id))));
  for (const std::string& part : parts) EXPECT_THAT(outcome.error().message, HasSubstr(part));
  EXPECT_EQ(rig.peer.logged(LogLevel::warning), warnings + 1);
  EXPECT_THAT(rig.peer.logs.back().second, HasSubstr(outcome.error().message));
}

TEST(Expiration, OfAnUnknownPendingOrFreedJobIsNotFoundWithItsState) {
  Rig rig = running_and_waiting();
  refused(rig, 77, at(2000), ErrorCode::not_found, {"not known"});
  refused(rig, 2, at(2000), ErrorCode::not_found, {"pending"});
  rig.free(1);
  refused(rig, 1, at(2000), ErrorCode::not_found, {"freed completely"});
}

TEST(Expiration, OfAJobWhoseCommitIsUnderWayIsPending) {
  Rig rig;
  rig.alloc(1, 1, secs(60), at(1000));
  rig.scheduler->run_pass(at(1000));
  refused(rig, 1, at(2000), ErrorCode::not_found, {"pending"});
  EXPECT_EQ(rig.end_of(1), at(1060));
}

TEST(Expiration, OfAJobThatReleasedAllItsRanksIsNotFound) {
  Rig rig = running_and_waiting();
  rig.free(1, "0", Release::partial);
  refused(rig, 1, at(2000), ErrorCode::not_found, {"holds no resources"});
}

TEST(Expiration, ZeroIsHeldWithoutEndOrUntilTheInstanceEnds) {
  Rig rig = running_and_waiting();
  ASSERT_TRUE(rig.expire(1, Time::never()));
  EXPECT_TRUE(rig.end_of(1).is_never());
  rig.settle(at(1001));
  EXPECT_FALSE(rig.planned(2).has_value());
  Rig bounded = running_and_waiting(5000);
  ASSERT_TRUE(bounded.expire(1, Time::never()));
  EXPECT_EQ(bounded.end_of(1), at(5000));
  bounded.scheduler->update(AcquireUpdate{.expiration = at(6000)});
  EXPECT_EQ(bounded.end_of(1), at(6000));
}

TEST(Expiration, AtOrBeforeTheStartIsInvalid) {
  Rig rig = running_and_waiting();
  refused(rig, 1, at(1000), ErrorCode::invalid, {"1000"});
  refused(rig, 1, at(999), ErrorCode::invalid, {"999"});
  EXPECT_EQ(rig.end_of(1), at(1060));
}

TEST(Expiration, InThePastAfterTheStartIsAnOverrun) {
  Rig rig = running_and_waiting();
  rig.settle(at(1030));
  ASSERT_TRUE(rig.expire(1, at(1010)));
  EXPECT_EQ(rig.end_of(1), at(1010));
  rig.settle(at(1030));
  EXPECT_THAT(rig.peer.answers_of(2), IsEmpty());  // nothing starts on it
  EXPECT_EQ(rig.planned(2), at(1090));             // now + overrun-estimate
  rig.free(1);
  rig.settle(at(1031));
  EXPECT_THAT(rig.peer.answers_of(2), ElementsAre("success"));
}

TEST(Expiration, LaterThanTheInstanceIsInvalidAndNamesTheLatest) {
  Rig rig = running_and_waiting(5000);
  refused(rig, 1, at(5001), ErrorCode::invalid, {"5001", "5000"});
  EXPECT_TRUE(rig.expire(1, at(5000)));
  EXPECT_EQ(rig.end_of(1), at(5000));
}

TEST(Expiration, BeyondAllTimesIsLaterThanTheInstance) {  // E4
  Rig rig = running_and_waiting(5000);
  const auto request = decode_expiration(boost::json::parse(R"({"id": 1, "expiration": 1e18})"));
  ASSERT_TRUE(request);
  refused(rig, 1, request->expiration, ErrorCode::invalid, {"5000"});
}

TEST(Expiration, OverPlannedJobsSucceedsAndMovesThem) {  // E1
  Rig rig = running_and_waiting();
  EXPECT_EQ(rig.planned(2), at(1060));
  ASSERT_TRUE(rig.expire(1, at(1600)));
  EXPECT_EQ(rig.end_of(1), at(1600));           // every structure holds it when the answer goes out
  EXPECT_EQ(rig.view(2).t_estimate, at(1060));  // and nothing is planned with it yet
  rig.settle(at(1010));
  EXPECT_EQ(rig.planned(2), at(1600));
  EXPECT_EQ(rig.view(2).t_estimate, at(1600));
}

TEST(Expiration, ACutMovesPlannedJobsUp) {
  Rig rig = running_and_waiting();
  ASSERT_TRUE(rig.expire(1, at(1020)));
  rig.settle(at(1010));
  EXPECT_EQ(rig.planned(2), at(1020));
}

TEST(Expiration, OfAPartlyReleasedJobMovesWhatItStillHolds) {
  Rig rig({.nodes = 2, .config = {{"policy", "conservative"}}});
  rig.alloc(1, 2, secs(60), at(1000));
  rig.settle(at(1000));
  rig.free(1, "0", Release::partial);
  ASSERT_TRUE(rig.expire(1, at(2000)));
  rig.alloc(2, 1, secs(600), at(1001));
  rig.alloc(3, 2, secs(60), at(1001));
  rig.settle(at(1001));
  EXPECT_EQ(rig.held(2), ids("0"));
  EXPECT_EQ(rig.planned(3), at(2000));
}

TEST(Expiration, TheSameValueAgainPlansAndAnnotatesNothing) {
  Rig rig = running_and_waiting();
  const auto searches = rig.scheduler->engine().counters().jobs_planned;
  const auto explained = rig.scheduler->annotator().counters().explained;
  const auto attempts = rig.peer.attempts;
  ASSERT_TRUE(rig.expire(1, at(1060)));
  rig.settle(at(1030));
  EXPECT_EQ(rig.scheduler->engine().counters().jobs_planned, searches);
  EXPECT_EQ(rig.scheduler->annotator().counters().explained, explained);
  EXPECT_EQ(rig.peer.attempts, attempts);
}

TEST(Expiration, AThousandUpdatesCostOnePass) {
  Rig rig = running_and_waiting();
  const auto searches = rig.scheduler->engine().counters().jobs_planned;
  for (std::int64_t i = 1; i <= 1000; ++i) ASSERT_TRUE(rig.expire(1, at(1060 + i)));
  rig.settle(at(1010));
  EXPECT_EQ(rig.planned(2), at(2060));
  EXPECT_EQ(rig.scheduler->engine().counters().jobs_planned, searches + 1);
}

TEST(Expiration, MayBeFractional) {
  Rig rig = running_and_waiting();
  const Time end = *Time::from_seconds(1099.25);
  ASSERT_TRUE(rig.expire(1, end));
  rig.settle(at(1010));
  EXPECT_EQ(rig.planned(2), end);
}

TEST(Expiration, OfAnUnlimitedJobBecomesItsOwn) {  // E5
  Rig rig({.nodes = 1, .expiration = 5000});
  rig.alloc(1, 1, Duration::infinite(), at(1000));
  rig.settle(at(1000));
  ASSERT_TRUE(rig.expire(1, at(1045)));
  EXPECT_EQ(rig.end_of(1), at(1045));
  rig.scheduler->update(AcquireUpdate{.expiration = at(6000)});
  EXPECT_EQ(rig.end_of(1), at(1045));
}

TEST(Expiration, OnlyTheLastFreedJobsAreRemembered) {
  Rig rig({.nodes = 1});
  for (std::uint64_t id = 1; id <= Scheduler::kRememberedJobs + 1; ++id) {
    rig.alloc(id, 1, secs(60), at(1000));
    rig.settle(at(1000));
    rig.free(id);
  }
  refused(rig, 1, at(2000), ErrorCode::not_found, {"not known"});
  refused(rig, 2, at(2000), ErrorCode::not_found, {"freed completely"});
}

}  // namespace
}  // namespace tenure::sched
