#include "emul/lublin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "emul/traces.hpp"

namespace tenure::emul {
namespace {

using ::testing::HasSubstr;

Workload generate(LublinOptions options) { return *generate_lublin(options); }

/// What the model was fitted to.
struct Moments {
  double log2_size = 0;
  double size = 0;
  double serial = 0;
  double power_of_two = 0;
  double runtime = 0;
  double log_runtime = 0;
  double gap = 0;
  double log_gap = 0;
  double by_day = 0;  ///< share of arrivals in the ten busiest hours in a row
};

/// A sample does not say at what time of day it begins, so the busy hours are searched.
double share_of_busy_hours(const std::array<double, 24>& by_hour) {
  double most = 0;
  for (std::size_t first = 0; first < 24; ++first) {
    double sum = 0;
    for (std::size_t i = 0; i < 10; ++i) sum += by_hour[(first + i) % 24];
    most = std::max(most, sum);
  }
  return most;
}

Moments moments_of(const Workload& workload) {
  Moments sum;
  std::array<double, 24> by_hour{};
  const auto n = static_cast<double>(workload.jobs.size());
  const auto seconds = [](Duration d) { return std::max(1.0, d.to_seconds()); };
  Duration last = workload.jobs.front().submit;
  for (const TraceJob& job : workload.jobs) {
    sum.size += static_cast<double>(job.procs) / n;
    sum.log2_size += std::log2(static_cast<double>(job.procs)) / n;
    sum.serial += (job.procs == 1 ? 1 : 0) / n;
    sum.power_of_two += (std::has_single_bit(job.procs) ? 1 : 0) / n;
    sum.runtime += seconds(job.runtime) / n;
    sum.log_runtime += std::log(seconds(job.runtime)) / n;
    sum.gap += (job.submit - last).to_seconds() / n;
    sum.log_gap += std::log(seconds(job.submit - last)) / n;
    by_hour[static_cast<std::size_t>(job.submit.to_seconds() / 3600) % 24] += 1 / n;
    last = job.submit;
  }
  sum.by_day = share_of_busy_hours(by_hour);
  return sum;
}

void expect_similar(const Moments& ours, const Moments& theirs) {
  EXPECT_NEAR(ours.log2_size, theirs.log2_size, 0.1);
  EXPECT_NEAR(ours.size / theirs.size, 1, 0.05);
  EXPECT_NEAR(ours.serial, theirs.serial, 0.02);
  EXPECT_NEAR(ours.power_of_two, theirs.power_of_two, 0.02);
  EXPECT_NEAR(ours.runtime / theirs.runtime, 1, 0.06);
  EXPECT_NEAR(ours.log_runtime, theirs.log_runtime, 0.12);
  // The time between arrivals has a heavy tail: its logarithm says more than its mean.
  EXPECT_NEAR(ours.gap / theirs.gap, 1, 0.25);
  EXPECT_NEAR(ours.log_gap, theirs.log_gap, 0.1);
  EXPECT_NEAR(ours.by_day, theirs.by_day, 0.03);
}

TEST(Lublin, moments_are_those_of_the_published_sample) {
  // Computed once from the 10 000 jobs for 256 processors that are in wide use.
  const Moments published{2.7205, 22.101, 0.2493, 0.8613, 4862.8, 5.6834, 770.7, 4.8938, 0.6653};
  expect_similar(moments_of(generate({.jobs = 50'000, .seed = 1})), published);
}

TEST(Lublin, moments_are_those_of_the_sample_file) {
  const auto path = testing::find_trace("lublin_256.swf.gz");
  if (!path) GTEST_SKIP() << "lublin_256.swf.gz is not here";
  const auto sample = read_workload(*path);
  ASSERT_TRUE(sample) << sample.error().message;
  expect_similar(moments_of(generate({.jobs = 50'000, .seed = 2})), moments_of(*sample));
}

TEST(Lublin, a_seed_gives_the_same_jobs_every_time) {
  const Workload one = generate({.jobs = 300, .seed = 7});
  const Workload two = generate({.jobs = 300, .seed = 7});
  for (std::size_t i = 0; i < one.jobs.size(); ++i) {
    EXPECT_EQ(one.jobs[i].submit, two.jobs[i].submit);
    EXPECT_EQ(one.jobs[i].runtime, two.jobs[i].runtime);
    EXPECT_EQ(one.jobs[i].procs, two.jobs[i].procs);
  }
}

TEST(Lublin, more_jobs_continue_fewer) {
  const Workload few = generate({.jobs = 50, .seed = 3});
  const Workload many = generate({.jobs = 200, .seed = 3});
  for (std::size_t i = 0; i < few.jobs.size(); ++i) {
    EXPECT_EQ(few.jobs[i].submit, many.jobs[i].submit);
    EXPECT_EQ(few.jobs[i].procs, many.jobs[i].procs);
  }
}

TEST(Lublin, seeds_differ) {
  const Workload one = generate({.jobs = 50, .seed = 1});
  const Workload two = generate({.jobs = 50, .seed = 2});
  EXPECT_FALSE(std::ranges::equal(one.jobs, two.jobs, {}, &TraceJob::runtime, &TraceJob::runtime));
}

TEST(Lublin, sizes_fit_the_machine_whatever_its_size) {
  for (const MachineShape machine : {MachineShape{1, 1}, MachineShape{2, 1}, MachineShape{3, 1},
                                     MachineShape{100, 1}, MachineShape{1152, 8}}) {
    const std::uint64_t most = std::uint64_t{machine.nodes} * machine.cores_per_node;
    const Workload workload = generate({.jobs = 2000, .machine = machine});
    for (const TraceJob& job : workload.jobs) ASSERT_LE(job.procs, most);
  }
}

TEST(Lublin, times_ascend_and_run_times_are_bounded) {
  const Workload workload = generate({.jobs = 20'000});
  EXPECT_TRUE(std::ranges::is_sorted(workload.jobs, {}, &TraceJob::submit));
  for (const TraceJob& job : workload.jobs) {
    ASSERT_GE(job.runtime, Duration::seconds(1));
    ASSERT_LE(job.runtime, Duration::seconds(162'754));  // e^12
  }
}

TEST(Lublin, limits_are_exact_or_overestimated_by_the_factor) {
  for (const TraceJob& job : generate({.jobs = 200}).jobs) ASSERT_EQ(job.walltime, job.runtime);
  for (const TraceJob& job : generate({.jobs = 200, .overestimate = 2.5}).jobs) {
    ASSERT_EQ(job.walltime.to_seconds(), std::ceil(job.runtime.to_seconds() * 2.5));
  }
}

TEST(Lublin, a_share_of_jobs_asks_for_too_little_and_the_jobs_are_the_same) {
  const Workload exact = generate({.jobs = 5000});
  const Workload careless = generate({.jobs = 5000, .overestimate = 2, .too_short = 0.1});
  std::size_t outlasting = 0;
  for (std::size_t i = 0; i < exact.jobs.size(); ++i) {
    const TraceJob& job = careless.jobs[i];
    ASSERT_EQ(job.runtime, exact.jobs[i].runtime);
    ASSERT_EQ(job.submit, exact.jobs[i].submit);
    if (job.runtime <= job.walltime) continue;
    ++outlasting;
    ASSERT_GE(job.walltime.to_seconds(), std::floor(job.runtime.to_seconds() / 2));
  }
  // A run time of 1 s cannot be cut, so a little less than a tenth.
  EXPECT_NEAR(static_cast<double>(outlasting) / 5000, 0.1, 0.015);
  EXPECT_EQ(careless.oddities.of(Oddity::over_limit), outlasting);
}

TEST(Lublin, impossible_options_are_errors) {
  EXPECT_THAT(generate_lublin({.jobs = 0}).error().message, HasSubstr("jobs: 0"));
  EXPECT_THAT(generate_lublin({.overestimate = 0.5}).error().message, HasSubstr("0.5"));
  EXPECT_FALSE(generate_lublin({.overestimate = std::nan("")}));
  EXPECT_THAT(generate_lublin({.too_short = 1.5}).error().message, HasSubstr("too-short: 1.5"));
}

}  // namespace
}  // namespace tenure::emul
