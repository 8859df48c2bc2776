#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/rig.hpp"

namespace tenure::sched {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests
using ::testing::HasSubstr;

/// One node, held by job 1 from 1000 to 2000.
Rig busy(boost::json::object config = {{"policy", "easy"}}) {
  Rig rig({.nodes = 1, .config = std::move(config)});
  rig.alloc(1, 1, secs(1000), at(1000));
  rig.settle(at(1000));
  return rig;
}

std::size_t sent_to(const Rig& rig, std::uint64_t id) {
  std::size_t count = 0;
  for (const auto& entry : rig.peer.sent) count += entry.id == JobId(id) ? 1 : 0;
  return count;
}

TEST(Annotation, APlannedJobGetsEstimateReasonAndSelection) {
  Rig rig = busy();
  rig.alloc(2, 1, secs(60), at(1001));
  rig.settle(at(1001));
  EXPECT_EQ(rig.view(2).t_estimate, at(2000));
  EXPECT_EQ(rig.view(2).selection_type, "reserved");
  ASSERT_TRUE(rig.view(2).reason_pending.has_value());
  EXPECT_THAT(*rig.view(2).reason_pending, HasSubstr("2000"));
}

TEST(Annotation, AJobWithoutAPlannedStartGetsAReasonAlone) {
  Rig rig = busy();
  rig.alloc(2, 1, secs(60), at(1001));
  rig.alloc(3, 1, secs(60), at(1001));
  rig.settle(at(1001));
  EXPECT_FALSE(rig.view(3).t_estimate.has_value());
  EXPECT_FALSE(rig.view(3).selection_type.has_value());
  EXPECT_TRUE(rig.view(3).reason_pending.has_value());
}

TEST(Annotation, EstimatesMoveToTheHighestJobAndTheMiddleNeverShowsOne) {  // B4
  Rig rig = busy();
  rig.alloc(2, 1, secs(60), at(1001), 5);
  rig.settle(at(1001));
  rig.alloc(3, 1, secs(60), at(1002), 10);
  rig.alloc(4, 1, secs(60), at(1002), 15);
  rig.settle(at(1002));
  EXPECT_FALSE(rig.view(2).t_estimate.has_value());
  EXPECT_FALSE(rig.view(2).selection_type.has_value());
  EXPECT_EQ(rig.view(4).t_estimate, at(2000));
  for (const auto& [id, annotations] : rig.peer.sent) {
    if (id == JobId(3)) {
      EXPECT_FALSE(annotations.t_estimate.has_value());
    }
  }
}

TEST(Annotation, AJobThatThePassNoLongerReachesLosesItsEstimate) {
  Rig rig = busy({{"policy", "conservative"}, {"queue-depth", 1}});
  rig.alloc(2, 1, secs(60), at(1001), 5);
  rig.settle(at(1001));
  ASSERT_EQ(rig.view(2).t_estimate, at(2000));
  rig.alloc(3, 1, secs(60), at(1005), 10);
  rig.settle(at(1005));
  EXPECT_EQ(rig.scheduler->engine().find_planned(JobId(2)), nullptr);
  EXPECT_FALSE(rig.view(2).t_estimate.has_value());
  EXPECT_FALSE(rig.view(2).selection_type.has_value());
  EXPECT_TRUE(rig.view(2).reason_pending.has_value());
}

TEST(Annotation, ARemovalHeldBackByTheIntervalFollowsWhenItIsOver) {
  Rig rig = busy({{"policy", "conservative"}, {"queue-depth", 1}, {"annotate-interval", 10}});
  rig.alloc(2, 1, secs(60), at(1001), 5);
  rig.settle(at(1001));
  rig.alloc(3, 1, secs(60), at(1002), 10);
  rig.settle(at(1002));
  rig.settle(at(1005));
  EXPECT_EQ(rig.view(2).t_estimate, at(2000));
  rig.alloc(4, 1, secs(60), at(1006), 1);  // something else happens meanwhile
  rig.settle(at(1006));
  EXPECT_EQ(rig.scheduler->next_wakeup(), at(1011));
  rig.settle(at(1011));
  EXPECT_FALSE(rig.view(2).t_estimate.has_value());
}

TEST(Annotation, NothingIsSentAgainWithoutAChange) {  // B10
  Rig rig = busy();
  rig.alloc(2, 1, secs(60), at(1001));
  rig.settle(at(1001));
  const auto attempts = rig.peer.attempts;
  const auto explained = rig.scheduler->annotator().counters().explained;
  for (std::int64_t t = 1002; t < 1100; ++t) rig.settle(at(t));
  EXPECT_EQ(rig.peer.attempts, attempts);
  EXPECT_EQ(rig.scheduler->annotator().counters().explained, explained);
}

TEST(Annotation, AnEventThatChangesNoDecisionSendsNothing) {  // B10
  Rig rig = busy();
  rig.alloc(2, 1, secs(60), at(1001));
  rig.settle(at(1001));
  const auto attempts = rig.peer.attempts;
  rig.scheduler->prioritize(PrioritizeRequest{{{JobId(2), Priority(17)}}});
  rig.settle(at(1010));
  EXPECT_EQ(rig.peer.attempts, attempts);
}

TEST(Annotation, TheIntervalHoldsBackAndTheLatestValueFollows) {
  Rig rig = busy({{"policy", "easy"}, {"annotate-interval", 10}});
  rig.alloc(2, 1, secs(60), at(1001));
  rig.settle(at(1001));
  ASSERT_EQ(sent_to(rig, 2), 1u);
  ASSERT_TRUE(rig.expire(1, at(2100)));
  rig.settle(at(1002));
  ASSERT_TRUE(rig.expire(1, at(2200)));
  rig.settle(at(1003));
  EXPECT_EQ(sent_to(rig, 2), 1u);
  EXPECT_EQ(rig.view(2).t_estimate, at(2000));
  EXPECT_EQ(rig.scheduler->next_wakeup(), at(1011));
  rig.settle(at(1011));
  EXPECT_EQ(sent_to(rig, 2), 2u);
  EXPECT_EQ(rig.view(2).t_estimate, at(2200));
  EXPECT_EQ(rig.scheduler->next_wakeup(), at(2200));  // only the planned start is left
}

TEST(Annotation, AChangeThatIsTakenBackWithinTheIntervalIsNotSent) {
  Rig rig = busy({{"policy", "easy"}, {"annotate-interval", 10}});
  rig.alloc(2, 1, secs(60), at(1001));
  rig.settle(at(1001));
  ASSERT_TRUE(rig.expire(1, at(2100)));
  rig.settle(at(1002));
  ASSERT_TRUE(rig.expire(1, at(2000)));
  rig.settle(at(1003));
  rig.settle(at(1011));
  EXPECT_EQ(sent_to(rig, 2), 1u);
}

TEST(Annotation, AReasonThatChangedAloneFollowsWhenTheIntervalIsOver) {
  // The decision about job 2 stays the same while more nodes become free for it.
  Rig rig({.nodes = 3, .config = {{"policy", "easy"}, {"annotate-interval", 10}}});
  rig.alloc(1, 1, secs(1000), at(1000));
  rig.alloc(5, 2, secs(500), at(1000));
  rig.settle(at(1000));
  rig.alloc(2, 3, secs(60), at(1001));
  rig.settle(at(1001));
  const auto before = rig.view(2).reason_pending;
  rig.free(5);
  rig.settle(at(1002));
  EXPECT_EQ(rig.view(2).reason_pending, before);
  EXPECT_EQ(rig.scheduler->next_wakeup(), at(1011));
  rig.settle(at(1011));
  EXPECT_NE(rig.view(2).reason_pending, before);
  EXPECT_EQ(rig.view(2).t_estimate, at(2000));
}

TEST(Annotation, ReasonsOfUnchangedDecisionsAreComputedOnceAnInterval) {
  Rig rig = busy({{"policy", "easy"}, {"annotate-interval", 10}});
  rig.alloc(2, 1, secs(60), at(1001));
  rig.settle(at(1001));
  const auto before = rig.scheduler->annotator().counters().explained;
  for (std::int64_t t = 1050; t < 1060; ++t) {
    rig.free(77);  // an event about nobody
    rig.scheduler->prioritize(PrioritizeRequest{{{JobId(2), Priority(16)}}});
    rig.settle(at(t));
  }
  EXPECT_EQ(rig.scheduler->annotator().counters().explained, before + 1);
}

TEST(Annotation, SentIsRecordedOnlyAfterSuccess) {  // B10
  Rig rig = busy();
  rig.peer.deaf = true;
  rig.alloc(2, 1, secs(60), at(1001));
  rig.settle(at(1001));
  EXPECT_EQ(rig.peer.attempts, 1u);
  EXPECT_EQ(rig.scheduler->next_wakeup(), at(1002));
  rig.settle(at(1001));
  EXPECT_EQ(rig.peer.attempts, 1u);  // not at once again
  rig.peer.deaf = false;
  rig.settle(at(1002));
  EXPECT_EQ(rig.peer.attempts, 2u);
  EXPECT_EQ(rig.view(2).t_estimate, at(2000));
  EXPECT_EQ(rig.view(2).selection_type, "reserved");
}

TEST(Annotation, WithoutAnIntervalAFailedAnnotationDoesNotSpin) {
  Rig rig = busy({{"policy", "easy"}, {"annotate-interval", 0}});
  rig.peer.deaf = true;
  rig.alloc(2, 1, secs(60), at(1001));
  rig.settle(at(1001));
  EXPECT_GT(rig.scheduler->next_wakeup(), at(1001));
}

TEST(Annotation, SuccessRemovesWhatWasSent) {
  Rig rig = busy();
  rig.alloc(2, 1, secs(60), at(1001));
  rig.settle(at(1001));
  rig.free(1);
  rig.settle(at(1050));
  ASSERT_EQ(rig.peer.successes.size(), 2u);
  const Annotations& last = rig.peer.successes[1].annotations;
  EXPECT_EQ(last.t_estimate, Change<Time>(std::in_place, std::nullopt));
  EXPECT_EQ(last.reason_pending, Change<std::string>(std::in_place, std::nullopt));
  EXPECT_EQ(last.resource_summary, "rank0/core[0-3]");
  ASSERT_TRUE(last.selection_type && *last.selection_type);
  const Annotations& first = rig.peer.successes[0].annotations;
  EXPECT_EQ(first.selection_type, "immediate");
  EXPECT_FALSE(first.t_estimate.has_value());  // nothing was sent, nothing to remove
  EXPECT_FALSE(first.reason_pending.has_value());
}

TEST(Annotation, ACanceledJobThatComesAgainIsAnnotatedAnew) {
  Rig rig = busy();
  rig.alloc(2, 1, secs(60), at(1001));
  rig.settle(at(1001));
  rig.scheduler->cancel(JobId(2));
  rig.alloc(2, 1, secs(90), at(1001));
  rig.settle(at(1001));
  EXPECT_EQ(sent_to(rig, 2), 2u);
  EXPECT_TRUE(rig.peer.sent.back().annotations.t_estimate.has_value());
}

TEST(Annotation, AFailedCommitKeepsWhatTheJobManagerHas) {
  Rig rig = busy();
  rig.alloc(2, 1, secs(60), at(1001));
  rig.settle(at(1001));
  rig.free(1);
  rig.scheduler->run_pass(at(1050));
  EXPECT_EQ(sent_to(rig, 2), 1u);  // a job that was started is not annotated
  rig.commit_next(failure(ErrorCode::io, "no"));
  rig.settle(at(1051));
  ASSERT_EQ(rig.peer.successes.size(), 2u);
  EXPECT_TRUE(rig.peer.successes[1].annotations.t_estimate.has_value());
}

TEST(Annotation, AfterAFailedCommitAnEstimateThatNoLongerHoldsIsRemoved) {
  Rig rig = busy({{"policy", "conservative"}, {"queue-depth", 1}});
  rig.alloc(2, 1, secs(60), at(1001), 5);
  rig.settle(at(1001));
  rig.free(1);
  rig.scheduler->run_pass(at(1050));  // job 2 is started
  rig.alloc(3, 1, secs(60), at(1050), 10);
  rig.commit_next(failure(ErrorCode::io, "no"));
  rig.alloc(4, 1, secs(60), at(1050), 9);
  rig.settle(at(1051));  // 3 runs, 4 is planned, 2 is beyond queue-depth
  EXPECT_EQ(rig.planned(4), at(1111));
  EXPECT_FALSE(rig.view(2).t_estimate.has_value());
}

TEST(Annotation, NoneIsComputedWhenNobodyLooks) {
  auto acquired =
      decode_acquire_initial(boost::json::object{{"resources", inventory(1)}, {"up", "0"}});
  RecordingPeer peer;
  SchedulerSettings settings;
  settings.annotate = SchedulerSettings::Annotate::no;
  Scheduler scheduler(*std::move(acquired), std::move(settings), peer);
  for (std::uint64_t id = 1; id <= 3; ++id) {
    scheduler.alloc({JobId(id), Priority(1), UserId(1), at(1000), Rig::whole(1, secs(60))},
                    at(1000));
  }
  scheduler.run_pass(at(1000));
  EXPECT_EQ(peer.attempts, 0u);
  EXPECT_EQ(scheduler.annotator().counters().explained, 0u);
  ASSERT_EQ(peer.commits.size(), 1u);
  EXPECT_TRUE(peer.commits[0].annotations.empty());
}

}  // namespace
}  // namespace tenure::sched
