#include "emul/metrics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace tenure::emul {
namespace {

Time at(std::int64_t s) { return Time::seconds(1000 + s); }
Duration secs(std::int64_t s) { return Duration::seconds(s); }

struct Times {
  std::int64_t submit = 0;
  std::int64_t start = 0;
  std::int64_t finish = 0;
  std::int64_t walltime = 1000;
  std::uint64_t units = 1;
};

JobRecord done(const Times& times) {
  JobRecord job;
  job.submit = at(times.submit);
  job.start = at(times.start);
  job.finish = at(times.finish);
  job.walltime = secs(times.walltime);
  job.runtime = secs(times.finish - times.start);
  job.units = times.units;
  job.outcome = Outcome::done;
  return job;
}

JobRecord killed(Times times) {
  JobRecord job = done(times);
  job.outcome = Outcome::killed;
  job.runtime = job.runtime + secs(1);
  return job;
}

JobRecord waiting(std::int64_t submit) {
  JobRecord job;
  job.submit = at(submit);
  job.outcome = Outcome::waiting;
  return job;
}

TEST(Distribution, of_nothing_is_zero) {
  const Distribution d = distribution_of({});
  EXPECT_EQ(d.count, 0U);
  EXPECT_EQ(d.mean, 0);
  EXPECT_EQ(d.p95, 0);
}

TEST(Distribution, quantiles_are_nearest_ranks) {
  EXPECT_EQ(distribution_of({7}).median, 7);
  EXPECT_EQ(distribution_of({7}).p95, 7);
  EXPECT_EQ(distribution_of({4, 1, 3, 2}).median, 2);  // ceil(0.5 * 4) = 2
  EXPECT_EQ(distribution_of({5, 4, 1, 3, 2}).median, 3);
  EXPECT_EQ(distribution_of({4, 1, 3, 2}).p95, 4);
  std::vector<double> hundred;
  for (int i = 100; i >= 1; --i) hundred.push_back(i);
  EXPECT_EQ(distribution_of(hundred).p95, 95);
  EXPECT_EQ(distribution_of(hundred).median, 50);
  EXPECT_EQ(distribution_of(hundred).mean, 50.5);
  EXPECT_EQ(distribution_of(hundred).max, 100);
  hundred.resize(20);                           // 100 … 81
  EXPECT_EQ(distribution_of(hundred).p95, 99);  // ceil(0.95 * 20) = 19
}

RC_GTEST_PROP(DistributionProperty, at_least_the_share_lies_at_or_below_the_quantile,
              (std::vector<int> values)) {
  RC_PRE(!values.empty());
  const Distribution d = distribution_of({values.begin(), values.end()});
  const auto below = [&](double q) {
    return std::ranges::count_if(values, [&](int v) { return v <= q; });
  };
  const auto less = [&](double q) {
    return std::ranges::count_if(values, [&](int v) { return v < q; });
  };
  const auto n = static_cast<double>(values.size());
  RC_ASSERT(static_cast<double>(below(d.median)) >= 0.5 * n);
  RC_ASSERT(static_cast<double>(less(d.median)) < 0.5 * n);
  RC_ASSERT(static_cast<double>(below(d.p95)) >= 0.95 * n);
  RC_ASSERT(static_cast<double>(less(d.p95)) < 0.95 * n);
}

TEST(Summary, of_no_job_is_zero) {
  const Summary s = summarise({}, {4, at(0)});
  EXPECT_EQ(s.jobs.submitted, 0U);
  EXPECT_EQ(s.utilisation, 0);
  EXPECT_EQ(s.makespan, Duration::zero());
}

TEST(Summary, by_hand) {
  // Four nodes. A 2 nodes 0-100, B 4 nodes waits 10-100, runs 100-150, C 1 node 20-24 ahead.
  JobRecord c = done({.submit = 20, .start = 20, .finish = 24});
  c.selection = plan::Selection::backfilled;
  const std::vector<JobRecord> jobs{done({.submit = 0, .start = 0, .finish = 100, .units = 2}),
                                    done({.submit = 10, .start = 100, .finish = 150, .units = 4}),
                                    c};
  const Summary s = summarise(jobs, {4, at(150)});
  EXPECT_EQ(s.jobs.submitted, 3U);
  EXPECT_EQ(s.jobs.started, 3U);
  EXPECT_EQ(s.jobs.done, 3U);
  EXPECT_DOUBLE_EQ(s.wait.mean, 30);  // 0, 90, 0
  EXPECT_EQ(s.wait.median, 0);
  EXPECT_EQ(s.wait.p95, 90);
  // 100/100, 140/50, max(1, 4/10)
  EXPECT_DOUBLE_EQ(s.bounded_slowdown.mean, (1 + 2.8 + 1) / 3);
  EXPECT_DOUBLE_EQ(s.bounded_slowdown.max, 2.8);
  EXPECT_EQ(s.makespan, secs(150));
  EXPECT_DOUBLE_EQ(s.utilisation, (200.0 + 200 + 4) / 600);
  EXPECT_DOUBLE_EQ(s.held.value, 404.0 / 3600);
  EXPECT_DOUBLE_EQ(s.backfilled_share, 1.0 / 3);
}

TEST(Summary, slowdown_of_short_runs_is_bounded_by_ten_seconds) {
  // Waits 95 s, runs 5 s: 100/10, not 100/5; a run of zero is no division by zero.
  const std::vector<JobRecord> jobs{done({.submit = 0, .start = 95, .finish = 100}),
                                    done({.submit = 0, .start = 30, .finish = 30})};
  const Summary s = summarise(jobs, {1, at(100)});
  EXPECT_DOUBLE_EQ(s.bounded_slowdown.max, 10);
  EXPECT_DOUBLE_EQ(s.bounded_slowdown.median, 3);
}

TEST(Summary, unfinished_jobs_count_up_to_the_stop) {
  JobRecord running = done({.submit = 10, .start = 20, .finish = 0, .units = 2});
  running.finish.reset();
  running.outcome = Outcome::running;
  const std::vector<JobRecord> jobs{done({.submit = 0, .start = 0, .finish = 10}), running,
                                    waiting(30), JobRecord{}};
  const Summary s = summarise(jobs, {2, at(60)});
  EXPECT_EQ(s.jobs.submitted, 3U);
  EXPECT_EQ(s.jobs.started, 2U);
  EXPECT_EQ(s.jobs.running, 1U);
  EXPECT_EQ(s.jobs.waiting, 1U);
  EXPECT_EQ(s.wait.count, 2U);
  EXPECT_EQ(s.bounded_slowdown.count, 1U);
  EXPECT_EQ(s.makespan, secs(60));
  EXPECT_DOUBLE_EQ(s.utilisation, (10.0 + 80) / 120);
}

TEST(Summary, killed_jobs_count_as_lost_work) {
  const std::vector<JobRecord> jobs{
      killed({.submit = 0, .start = 0, .finish = 3600, .walltime = 3600, .units = 3})};
  const Summary s = summarise(jobs, {3, at(3600)});
  EXPECT_EQ(s.jobs.killed, 1U);
  EXPECT_DOUBLE_EQ(s.killed.value, 3);
  EXPECT_DOUBLE_EQ(s.held.value, 3);
}

TEST(Summary, refused_jobs_have_neither_wait_nor_makespan_beyond_their_submission) {
  JobRecord refused = waiting(500);
  refused.outcome = Outcome::refused;
  const std::vector<JobRecord> jobs{done({.submit = 0, .start = 0, .finish = 10}), refused};
  const Summary s = summarise(jobs, {1, at(500)});
  EXPECT_EQ(s.jobs.refused, 1U);
  EXPECT_EQ(s.wait.count, 1U);
  EXPECT_EQ(s.makespan, secs(10));
}

TEST(Effect, saved_work_is_what_the_job_held_up_to_its_first_limit) {
  JobRecord saved = done({.submit = 0, .start = 0, .finish = 5400, .walltime = 3600, .units = 2});
  saved.extensions = 1;
  JobRecord lost = killed({.submit = 0, .start = 0, .finish = 7200, .walltime = 3600});
  lost.extensions = 1;
  const JobRecord never_asked = killed({.submit = 0, .start = 0, .finish = 60, .walltime = 60});
  const JobRecord ordinary = done({.submit = 0, .start = 0, .finish = 10});
  const std::vector<JobRecord> jobs{saved, lost, never_asked, ordinary};
  const ExtensionEffect effect = effect_of(jobs);
  EXPECT_EQ(effect.outlasting, 3U);
  EXPECT_EQ(effect.extended, 2U);
  EXPECT_EQ(effect.saved, 1U);
  EXPECT_EQ(effect.killed, 1U);
  EXPECT_DOUBLE_EQ(effect.not_lost.value, 2);
  EXPECT_DOUBLE_EQ(effect.added.value, 2 * 0.5 + 1);
  EXPECT_DOUBLE_EQ(effect.lost_anyway.value, 2);
}

TEST(Shift, starts_are_compared_job_by_job) {
  const std::vector<JobRecord> with{
      done({.start = 0, .finish = 5}), done({.start = 50, .finish = 60}),
      done({.start = 40, .finish = 60}), waiting(0), done({.start = 9, .finish = 10})};
  const std::vector<JobRecord> without{
      done({.start = 0, .finish = 5}), done({.start = 20, .finish = 60}),
      done({.start = 41, .finish = 60}), done({.start = 7, .finish = 8}), waiting(0)};
  const StartShift shift = compare_starts(with, without);
  EXPECT_EQ(shift.same, 1U);
  EXPECT_EQ(shift.later, 1U);
  EXPECT_EQ(shift.earlier, 1U);
  EXPECT_EQ(shift.only_here, 1U);
  EXPECT_EQ(shift.only_there, 1U);
  EXPECT_EQ(shift.delay.max, 30);
  EXPECT_EQ(shift.advance.max, 1);
}

}  // namespace
}  // namespace tenure::emul
