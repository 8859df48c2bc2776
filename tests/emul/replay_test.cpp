#include "emul/replay.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "emul/traces.hpp"

namespace tenure::emul {
namespace {

Duration secs(std::int64_t s) { return Duration::seconds(s); }

struct Job {
  std::int64_t submit = 0;
  std::int64_t runtime = 60;
  std::int64_t walltime = 100;
  std::uint64_t procs = 1;
};

Workload workload_of(const std::vector<Job>& jobs) {
  Workload workload;
  workload.name = "t";
  workload.epoch = Time::seconds(5000);
  for (const Job& job : jobs) {
    workload.jobs.push_back({static_cast<std::int64_t>(workload.jobs.size()) + 1, secs(job.submit),
                             secs(job.runtime), secs(job.walltime), job.procs});
  }
  return workload;
}

ReplayOptions options_for(MachineShape machine, plan::QueuePolicy policy) {
  ReplayOptions options;
  options.machine = machine;
  options.config.options.policy = policy;
  return options;
}

ReplayOptions four_nodes() { return options_for({4, 1}, plan::QueuePolicy::easy); }

Replay play(const std::vector<Job>& jobs, const ReplayOptions& options) {
  auto result = replay(workload_of(jobs), options);
  EXPECT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->faults.empty());
  return *std::move(result);
}

/// Seconds since the epoch of the workload; -1: not yet.
std::int64_t second(const std::optional<Time>& time) {
  return time ? (*time - Time::seconds(5000)).count() / 1'000'000 : -1;
}
std::vector<std::int64_t> starts(const Replay& replay) {
  std::vector<std::int64_t> result;
  for (const JobRecord& job : replay.jobs) result.push_back(second(job.start));
  return result;
}

using Starts = std::vector<std::int64_t>;

TEST(Replay, a_job_ends_at_its_run_time_and_the_next_starts_then) {
  const Replay result = play({{0, 60, 100, 4}, {1, 10, 10, 4}}, four_nodes());
  EXPECT_EQ(starts(result), (Starts{0, 60}));
  EXPECT_EQ(second(result.jobs[0].finish), 60);
  EXPECT_EQ(result.jobs[0].outcome, Outcome::done);
  EXPECT_EQ(result.jobs[1].outcome, Outcome::done);
  EXPECT_EQ(second(result.horizon.stopped), 70);
  EXPECT_EQ(result.horizon.units, 4U);
}

TEST(Replay, a_job_longer_than_its_limit_is_killed_there) {
  const Replay result = play({{0, 101, 100, 4}}, four_nodes());
  EXPECT_EQ(result.jobs[0].outcome, Outcome::killed);
  EXPECT_EQ(second(result.jobs[0].finish), 100);
}

TEST(Replay, a_job_as_long_as_its_limit_is_not_killed) {
  EXPECT_EQ(play({{0, 100, 100, 4}}, four_nodes()).jobs[0].outcome, Outcome::done);
}

TEST(Replay, a_run_time_of_zero_ends_as_it_starts) {
  const Replay result = play({{3, 0, 1, 4}, {3, 5, 5, 4}}, four_nodes());
  EXPECT_EQ(starts(result), (Starts{3, 3}));
  EXPECT_EQ(second(result.jobs[0].finish), 3);
  EXPECT_EQ(result.jobs[0].outcome, Outcome::done);
}

TEST(Replay, a_small_job_is_backfilled_under_easy_and_not_under_fcfs) {
  const std::vector<Job> jobs{{0, 100, 100, 3}, {1, 10, 10, 4}, {2, 50, 50, 1}};
  const Replay easy = play(jobs, four_nodes());
  EXPECT_EQ(starts(easy), (Starts{0, 100, 2}));
  EXPECT_EQ(easy.jobs[2].selection, plan::Selection::backfilled);
  const Replay fcfs = play(jobs, options_for({4, 1}, plan::QueuePolicy::fcfs));
  EXPECT_EQ(starts(fcfs), (Starts{0, 100, 110}));
}

TEST(Replay, a_job_larger_than_the_machine_is_refused_and_counted) {
  const Replay result = play({{0, 10, 10, 5}, {1, 10, 10, 4}}, four_nodes());
  EXPECT_EQ(result.jobs[0].outcome, Outcome::refused);
  EXPECT_EQ(result.larger_than_machine, 1U);
  EXPECT_EQ(starts(result), (Starts{-1, 1}));
}

TEST(Replay, processors_become_whole_nodes) {
  EXPECT_EQ(units_for(1, {4, 8}, Sharing::nodes), 1U);
  EXPECT_EQ(units_for(8, {4, 8}, Sharing::nodes), 1U);
  EXPECT_EQ(units_for(9, {4, 8}, Sharing::nodes), 2U);
  EXPECT_EQ(units_for(9, {4, 8}, Sharing::cores), 9U);
}

TEST(Replay, shared_nodes_hold_several_jobs) {
  const std::vector<Job> jobs{{0, 60, 60, 3}, {0, 60, 60, 3}, {0, 60, 60, 2}};
  ReplayOptions options = options_for({2, 4}, plan::QueuePolicy::easy);
  EXPECT_EQ(starts(play(jobs, options)), (Starts{0, 0, 60}));
  options.sharing = Sharing::cores;
  const Replay shared = play(jobs, options);
  EXPECT_EQ(starts(shared), (Starts{0, 0, 0}));
  EXPECT_EQ(shared.horizon.units, 8U);
}

TEST(Replay, ranks_are_kept_when_asked_for) {
  ReplayOptions options = four_nodes();
  const std::vector<Job> jobs{{0, 60, 60, 3}, {0, 60, 60, 1}};
  EXPECT_TRUE(play(jobs, options).jobs[0].ranks.empty());
  options.keep_ranks = KeepRanks::yes;
  const Replay result = play(jobs, options);
  EXPECT_EQ(result.jobs[0].ranks.to_string(), "0-2");
  EXPECT_EQ(result.jobs[1].ranks.to_string(), "3");
}

TEST(Replay, stops_at_until_counted_from_the_first_submission) {
  ReplayOptions options = four_nodes();
  options.until = secs(50);
  const Replay result =
      play({{100, 20, 20, 4}, {101, 90, 90, 4}, {102, 90, 90, 4}, {160, 1, 1, 1}}, options);
  EXPECT_EQ(starts(result), (Starts{100, 120, -1, -1}));
  EXPECT_EQ(result.jobs[0].outcome, Outcome::done);
  EXPECT_EQ(result.jobs[1].outcome, Outcome::running);
  EXPECT_EQ(result.jobs[2].outcome, Outcome::waiting);
  EXPECT_EQ(result.jobs[3].outcome, Outcome::unsubmitted);
  EXPECT_EQ(second(result.horizon.stopped), 150);
}

TEST(Replay, what_happens_at_until_still_happens) {
  ReplayOptions options = four_nodes();
  options.until = secs(50);
  const Replay result = play({{0, 50, 50, 4}, {50, 9, 9, 4}}, options);
  EXPECT_EQ(result.jobs[0].outcome, Outcome::done);
  EXPECT_EQ(result.jobs[1].outcome, Outcome::running);
}

TEST(Replay, only_the_first_jobs_when_asked_for) {
  ReplayOptions options = four_nodes();
  options.jobs = 2;
  EXPECT_EQ(play({{0}, {1}, {2}}, options).jobs.size(), 2U);
}

// ---- extensions ------------------------------------------------------------------------

ReplayOptions extending(std::string_view rule) {
  ReplayOptions options = four_nodes();
  options.extend = *parse_extend_rule(rule);
  return options;
}

TEST(Extension, a_job_that_its_limit_would_kill_gets_more_and_the_next_waits) {
  const std::vector<Job> jobs{{0, 90, 60, 4}, {1, 10, 10, 4}};
  const Replay without = play(jobs, four_nodes());
  EXPECT_EQ(starts(without), (Starts{0, 60}));
  EXPECT_EQ(without.jobs[0].outcome, Outcome::killed);

  const Replay with = play(jobs, extending("lead=10,amount=60"));
  EXPECT_EQ(starts(with), (Starts{0, 90}));
  EXPECT_EQ(with.jobs[0].outcome, Outcome::done);
  EXPECT_EQ(with.jobs[0].extensions, 1U);
  EXPECT_EQ(with.extensions.asked, 1U);
  EXPECT_EQ(with.extensions.granted, 1U);

  const ExtensionEffect effect = effect_of(with.jobs);
  EXPECT_DOUBLE_EQ(effect.not_lost.value, 4 * 60.0 / 3600);
  EXPECT_DOUBLE_EQ(effect.added.value, 4 * 30.0 / 3600);
  const StartShift shift = compare_starts(with.jobs, without.jobs);
  EXPECT_EQ(shift.later, 1U);
  EXPECT_EQ(shift.delay.max, 30);
}

TEST(Extension, a_job_that_fits_its_limit_never_asks) {
  const Replay result = play({{0, 60, 60, 4}}, extending("amount=60"));
  EXPECT_EQ(result.extensions.asked, 0U);
}

TEST(Extension, at_most_so_many_and_then_the_limit_kills) {
  const Replay result = play({{0, 1000, 60, 4}}, extending("lead=10,amount=60,max=2"));
  EXPECT_EQ(result.jobs[0].outcome, Outcome::killed);
  EXPECT_EQ(second(result.jobs[0].finish), 180);
  EXPECT_EQ(result.jobs[0].extensions, 2U);
  EXPECT_EQ(effect_of(result.jobs).killed, 1U);
}

TEST(Extension, no_more_than_needed_is_asked_for) {
  const Replay result = play({{0, 130, 60, 4}}, extending("lead=10,amount=60,max=9"));
  EXPECT_EQ(result.extensions.asked, 2U);
  EXPECT_EQ(second(result.jobs[0].finish), 130);
}

TEST(Extension, a_lead_longer_than_the_limit_asks_at_the_start) {
  // Asked at once, so the job behind is planned with the new end from the beginning.
  const Replay result =
      play({{0, 200, 60, 3}, {0, 30, 30, 4}, {1, 60, 100, 1}}, extending("lead=1h,amount=200"));
  EXPECT_EQ(result.jobs[0].outcome, Outcome::done);
  EXPECT_EQ(starts(result), (Starts{0, 200, 1}));
}

TEST(Extension, the_request_comes_lead_before_the_end) {
  // Until second 50 the planner believes that A ends at 60, so C (100 s) may not pass B.
  const Replay early =
      play({{0, 200, 60, 3}, {1, 30, 30, 4}, {49, 60, 100, 1}}, extending("lead=10,amount=200"));
  EXPECT_EQ(starts(early), (Starts{0, 200, 50}));
  const Replay later =
      play({{0, 200, 60, 3}, {1, 30, 30, 4}, {49, 60, 100, 1}}, extending("lead=1,amount=200"));
  EXPECT_EQ(starts(later), (Starts{0, 200, 59}));
}

TEST(Extension, a_percentage_is_of_the_first_walltime_each_time) {
  const Replay result = play({{0, 1000, 100, 4}}, extending("lead=1,amount=50%,max=2"));
  EXPECT_EQ(second(result.jobs[0].finish), 200);
}

// ---- properties ------------------------------------------------------------------------

std::vector<Job> any_jobs() {
  const auto job =
      rc::gen::build<Job>(rc::gen::set(&Job::submit, rc::gen::inRange(0, 200)),
                          rc::gen::set(&Job::runtime, rc::gen::inRange(0, 60)),
                          rc::gen::set(&Job::walltime, rc::gen::inRange(1, 70)),
                          rc::gen::set(&Job::procs, rc::gen::inRange<std::uint64_t>(1, 6)));
  auto jobs = *rc::gen::nonEmpty(rc::gen::container<std::vector<Job>>(job));
  std::ranges::stable_sort(jobs, {}, &Job::submit);
  return jobs;
}

/// First come, first served on a count of free nodes.
Starts naive_fcfs(const std::vector<Job>& jobs, std::uint64_t nodes) {
  Starts result;
  std::multimap<std::int64_t, std::uint64_t> ends;  // of what is held, by time
  std::uint64_t free = nodes;
  std::int64_t now = 0;
  for (const Job& job : jobs) {
    if (job.procs > nodes) {
      result.push_back(-1);
      continue;
    }
    now = std::max(now, job.submit);
    while (!ends.empty() && (ends.begin()->first <= now || free < job.procs)) {
      now = std::max(now, ends.begin()->first);
      free += ends.begin()->second;
      ends.erase(ends.begin());
    }
    result.push_back(now);
    free -= job.procs;
    ends.emplace(now + std::min(job.runtime, job.walltime), job.procs);
  }
  return result;
}

RC_GTEST_PROP(ReplayProperty, fcfs_equals_a_count_of_free_nodes, ()) {
  const std::vector<Job> jobs = any_jobs();
  const auto result = replay(workload_of(jobs), options_for({4, 1}, plan::QueuePolicy::fcfs));
  RC_ASSERT(result.has_value());
  RC_ASSERT(starts(*result) == naive_fcfs(jobs, 4));
}

RC_GTEST_PROP(ReplayProperty, no_policy_loses_a_job_or_gives_a_node_twice, ()) {
  const std::vector<Job> jobs = any_jobs();
  const auto policy = *rc::gen::element(plan::QueuePolicy::fcfs, plan::QueuePolicy::easy,
                                        plan::QueuePolicy::hybrid, plan::QueuePolicy::conservative);
  ReplayOptions options = options_for({4, 1}, policy);
  options.keep_ranks = KeepRanks::yes;
  if (*rc::gen::arbitrary<bool>()) options.extend = *parse_extend_rule("lead=5,amount=20%,max=3");
  const auto result = replay(workload_of(jobs), options);
  RC_ASSERT(result.has_value());
  RC_ASSERT(result->jobs.size() == jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobRecord& a = result->jobs[i];
    RC_ASSERT(a.outcome == Outcome::done || a.outcome == Outcome::killed ||
              a.outcome == Outcome::refused);
    RC_ASSERT((a.outcome == Outcome::refused) == (jobs[i].procs > 4U));
    if (!a.start) continue;
    RC_ASSERT(a.ranks.size() == jobs[i].procs);
    RC_ASSERT(*a.start >= a.submit);
    for (std::size_t k = 0; k < i; ++k) {
      const JobRecord& b = result->jobs[k];
      if (!b.start || !Span{*a.start, *a.finish}.overlaps(Span{*b.start, *b.finish})) continue;
      RC_ASSERT((a.ranks & b.ranks).empty());
    }
  }
}

RC_GTEST_PROP(ReplayProperty, two_replays_are_equal, ()) {
  const std::vector<Job> jobs = any_jobs();
  const ReplayOptions options = extending("lead=5,amount=10,max=2");
  const auto one = replay(workload_of(jobs), options);
  const auto two = replay(workload_of(jobs), options);
  RC_ASSERT(starts(*one) == starts(*two));
  RC_ASSERT(one->extensions.asked == two->extensions.asked);
}

// ---- the archive -----------------------------------------------------------------------

class ArchiveReplay : public ::testing::TestWithParam<std::string_view> {};

TEST_P(ArchiveReplay, every_job_of_the_first_500_ends_under_conservative) {
  const auto path = testing::find_trace(GetParam());
  if (!path) GTEST_SKIP() << GetParam() << " is not here";
  const auto workload = read_workload(*path);
  ASSERT_TRUE(workload) << workload.error().message;
  ReplayOptions options =
      options_for(*machine_of(workload->header, {}), plan::QueuePolicy::conservative);
  options.config.options.queue_depth = plan::kUnlimitedDepth;
  options.jobs = 500;
  options.extend = *parse_extend_rule("amount=25%");
  const auto result = replay(*workload, options);
  ASSERT_TRUE(result) << result.error().message;
  const Summary summary = summarise(result->jobs, result->horizon);
  EXPECT_EQ(summary.jobs.submitted, 500U);
  EXPECT_EQ(summary.jobs.done + summary.jobs.killed, 500U);
  EXPECT_GT(summary.utilisation, 0);
  EXPECT_LE(summary.utilisation, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Archive, ArchiveReplay,
    ::testing::Values("LLNL-Atlas-2006-2.1-cln.swf.gz", "KTH-SP2-unfiltered.swf",
                      "NASA-iPSC-1993-3.1-cln.swf.gz", "ALCF-Theta-2018-cqgym-train.swf.gz",
                      "gofree_sample.swf.gz", "lublin_256.swf.gz"),
    [](const auto& test) {
      return std::string(test.param.substr(0, test.param.find_first_of("-_.")));
    });

}  // namespace
}  // namespace tenure::emul
