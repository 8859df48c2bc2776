// The invariant checker catches seeded faults of a scheduler.
#include "emul/checker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/machine.hpp"

namespace tenure::emul {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A checker on two nodes, and what it complained about.
struct Watched {
  graph::ResourceGraph machine = testing::machine(2, 2);
  std::vector<std::string> faults;
  Checker checker{machine, Time::never(),
                  [this](std::string_view text) { faults.emplace_back(text); }};
  std::map<JobId, plan::Allocation> allocations;
  std::vector<plan::PlannedJob> planned;
  std::vector<JobId> pending;
  plan::Options options{.policy = plan::QueuePolicy::easy};

  std::shared_ptr<const jobspec::Jobspec> jobspec(std::uint64_t nodes) {
    auto spec = std::make_shared<jobspec::Jobspec>();
    spec->resources = {resource("node", nodes, {resource("slot", 1, {resource("core", 1)})})};
    spec->resources[0].exclusive = true;
    spec->duration = secs(60);
    return spec;
  }
  plan::QueueKey key(std::uint64_t id) const { return {Priority(16), at(1), JobId(id)}; }
  void alloc(std::uint64_t id, std::uint64_t nodes) {
    checker.alloc(key(id), jobspec(nodes));
    pending.push_back(JobId(id));
  }
  graph::ResourceSet nodes(std::uint32_t first, std::uint32_t last) const {
    return machine.whole_nodes(machine.nodes_with_ranks(ranks(first, last)));
  }
  void start(std::uint64_t id, std::uint32_t first, std::uint32_t last, Time now = at(10)) {
    const match::Placement placement{Span{now, now + secs(60)}, nodes(first, last)};
    checker.succeeded(JobId(id), placement, now);
    allocations[JobId(id)] = {
        JobId(id),         UserId(), placement.resources, placement.span, plan::EndOrigin::own,
        placement.span.end};
    std::erase(pending, JobId(id));
  }
  void reserve(std::uint64_t id, std::uint32_t first, std::uint32_t last, Time from) {
    plan::PlannedJob entry;
    entry.key = key(id);
    entry.outcome = plan::PlannedJob::Outcome::reserved;
    entry.placement = {Span{from, from + secs(60)}, nodes(first, last)};
    planned.push_back(std::move(entry));
  }
  void plan(Time now = at(10)) {
    checker.plan(PlanView{&machine, &allocations, planned, pending, options, Time::never()}, now);
  }
};

TEST(Checker, HasNothingToSayAboutARightRun) {
  Watched w;
  w.alloc(1, 1);
  w.alloc(2, 2);
  w.start(1, 0, 0);
  w.reserve(2, 0, 1, at(70));
  w.plan();
  EXPECT_THAT(w.faults, IsEmpty());
}

TEST(Checker, SeesAResourceGivenTwice) {
  Watched w;
  w.alloc(1, 1);
  w.alloc(2, 1);
  w.start(1, 0, 0);
  w.start(2, 0, 0);
  EXPECT_FALSE(w.faults.empty());
}

TEST(Checker, SeesAStartOnADownNode) {
  Watched w;
  w.machine.mark_down(ranks(0, 0));
  w.alloc(1, 1);
  w.start(1, 0, 0);
  EXPECT_FALSE(w.faults.empty());
}

TEST(Checker, SeesAnAllocationThatIsTooSmall) {
  Watched w;
  w.alloc(1, 2);
  w.start(1, 0, 0);
  EXPECT_FALSE(w.faults.empty());
}

TEST(Checker, SeesASecondAnswer) {
  Watched w;
  w.alloc(1, 1);
  w.checker.canceled(JobId(1));
  EXPECT_THAT(w.faults, IsEmpty());
  w.checker.canceled(JobId(1));
  EXPECT_FALSE(w.faults.empty());
}

TEST(Checker, SeesALostJob) {
  Watched w;
  w.alloc(1, 1);
  w.pending.clear();
  w.plan();
  EXPECT_FALSE(w.faults.empty());
}

TEST(Checker, SeesAnEndThatDidNotFollowTheExtension) {
  Watched w;
  w.alloc(1, 1);
  w.start(1, 0, 0);
  w.checker.expiration(JobId(1), at(500));
  w.plan();
  EXPECT_FALSE(w.faults.empty());
}

TEST(Checker, SeesAPromiseOnWhatIsNotFree) {
  Watched w;
  w.alloc(1, 2);
  w.alloc(2, 1);
  w.start(1, 0, 1);
  w.reserve(2, 0, 0, at(69));
  w.plan();
  EXPECT_FALSE(w.faults.empty());
}

TEST(Checker, SeesTwoPromisesOfOneNode) {
  Watched w;
  w.options.policy = plan::QueuePolicy::conservative;
  w.alloc(1, 2);
  w.alloc(2, 1);
  w.alloc(3, 1);
  w.start(1, 0, 1);
  w.reserve(2, 0, 0, at(70));
  w.reserve(3, 0, 0, at(100));
  w.plan();
  EXPECT_FALSE(w.faults.empty());
}

TEST(Checker, SeesMoreFutureStartsThanThePolicyAllows) {
  Watched w;
  w.alloc(1, 2);
  w.alloc(2, 1);
  w.alloc(3, 1);
  w.start(1, 0, 1);
  w.reserve(2, 0, 0, at(70));
  w.reserve(3, 1, 1, at(70));
  w.plan();
  ASSERT_FALSE(w.faults.empty());
  EXPECT_THAT(w.faults[0], HasSubstr("future starts"));
}

TEST(Checker, SeesTheHeadDelayedWithoutACause) {
  Watched w;
  w.alloc(1, 2);
  w.alloc(2, 1);
  w.start(1, 0, 1);
  w.reserve(2, 0, 0, at(70));
  w.plan(at(10));
  EXPECT_THAT(w.faults, IsEmpty());
  w.planned.clear();
  w.reserve(2, 0, 0, at(90));
  w.plan(at(11));
  EXPECT_FALSE(w.faults.empty());
}

}  // namespace
}  // namespace tenure::emul
