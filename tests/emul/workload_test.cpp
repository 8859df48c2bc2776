#include "emul/workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "emul/traces.hpp"

namespace tenure::emul {
namespace {

using ::testing::HasSubstr;

Duration secs(std::int64_t s) { return Duration::seconds(s); }

/// number submit - runtime allocated - - requested walltime, the rest unknown.
struct Line {
  std::int64_t number = 1;
  std::int64_t submit = 0;
  std::int64_t runtime = 60;
  std::int64_t allocated = 2;
  std::int64_t requested = 2;
  std::int64_t walltime = 100;
};

SwfJob job_of(const Line& line) {
  SwfJob job;
  job.values.fill(-1);
  job[SwfField::number] = line.number;
  job[SwfField::submit] = line.submit;
  job[SwfField::runtime] = line.runtime;
  job[SwfField::allocated_procs] = line.allocated;
  job[SwfField::requested_procs] = line.requested;
  job[SwfField::requested_time] = line.walltime;
  return job;
}

Result<Workload> build(std::initializer_list<Line> lines, SwfHeader header = {}) {
  WorkloadBuilder builder;
  for (const Line& line : lines) builder.add(job_of(line));
  return std::move(builder).build("t", std::move(header));
}

SwfHeader header_of(std::initializer_list<std::pair<std::string, std::string>> labels) {
  SwfHeader header;
  header.labels.assign(labels);
  return header;
}

TEST(Workload, an_ordinary_job_has_no_oddity) {
  const auto workload = build({Line{.number = 9, .submit = 5}});
  ASSERT_TRUE(workload);
  const TraceJob& job = workload->jobs.at(0);
  EXPECT_EQ(job.number, 9);
  EXPECT_EQ(job.submit, secs(5));
  EXPECT_EQ(job.runtime, secs(60));
  EXPECT_EQ(job.walltime, secs(100));
  EXPECT_EQ(job.procs, 2U);
  workload->oddities.for_each(
      [](Oddity oddity, std::uint64_t) { ADD_FAILURE() << key_of(oddity); });
}

TEST(Workload, requested_processors_win_over_allocated_ones) {
  const auto workload = build({Line{.allocated = 8, .requested = 3}});
  EXPECT_EQ(workload->jobs[0].procs, 3U);
}

TEST(Workload, allocated_processors_stand_in_and_are_counted) {
  const auto workload = build({Line{.allocated = 8, .requested = -1}});
  EXPECT_EQ(workload->jobs[0].procs, 8U);
  EXPECT_EQ(workload->oddities.of(Oddity::no_requested_procs), 1U);
}

TEST(Workload, a_job_without_any_size_asks_for_one_processor) {
  const auto workload = build({Line{.allocated = -1, .requested = 0}});
  EXPECT_EQ(workload->jobs[0].procs, 1U);
  EXPECT_EQ(workload->oddities.of(Oddity::no_procs), 1U);
  EXPECT_EQ(workload->oddities.of(Oddity::no_requested_procs), 0U);
}

TEST(Workload, without_a_requested_time_the_run_time_is_the_limit) {
  const auto workload =
      build({Line{.walltime = -1}, Line{.number = 2, .runtime = 0, .walltime = 0}});
  EXPECT_EQ(workload->jobs[0].walltime, secs(60));
  EXPECT_EQ(workload->jobs[1].walltime, secs(1));
  EXPECT_EQ(workload->jobs[1].runtime, secs(0));
  EXPECT_EQ(workload->oddities.of(Oddity::no_requested_time), 2U);
  EXPECT_EQ(workload->oddities.of(Oddity::zero_runtime), 1U);
  EXPECT_EQ(workload->oddities.of(Oddity::over_limit), 0U);
}

TEST(Workload, without_a_run_time_a_job_runs_until_its_limit) {
  const auto workload =
      build({Line{.runtime = -1}, Line{.number = 2, .runtime = -1, .walltime = -1}});
  EXPECT_EQ(workload->jobs[0].runtime, secs(100));
  EXPECT_EQ(workload->jobs[1].runtime, secs(0));
  EXPECT_EQ(workload->oddities.of(Oddity::no_runtime), 2U);
}

TEST(Workload, jobs_longer_than_their_limit_are_counted_and_kept) {
  const auto workload = build({Line{.runtime = 101}});
  EXPECT_EQ(workload->jobs[0].runtime, secs(101));
  EXPECT_EQ(workload->oddities.of(Oddity::over_limit), 1U);
}

TEST(Workload, unsorted_jobs_are_sorted_stably_and_counted) {
  const auto workload = build({Line{.number = 1, .submit = 10}, Line{.number = 2, .submit = 5},
                               Line{.number = 3, .submit = 10}, Line{.number = 4, .submit = 5}});
  std::vector<std::int64_t> numbers;
  for (const TraceJob& job : workload->jobs) numbers.push_back(job.number);
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{2, 4, 1, 3}));
  EXPECT_EQ(workload->oddities.of(Oddity::unsorted), 2U);
}

TEST(Workload, many_jobs_of_one_time_keep_the_order_of_the_file) {
  WorkloadBuilder builder;
  for (int i = 0; i < 1000; ++i) builder.add(job_of({.number = i, .submit = 9 - i % 10}));
  const auto workload = std::move(builder).build("t", {});
  for (std::size_t i = 1; i < 1000; ++i) {
    const TraceJob& before = workload->jobs[i - 1];
    const TraceJob& job = workload->jobs[i];
    ASSERT_TRUE(before.submit < job.submit || before.number < job.number);
  }
}

TEST(Workload, an_unknown_submit_time_is_that_of_the_line_above) {
  const auto workload = build({Line{.submit = 7}, Line{.number = 2, .submit = -1}});
  EXPECT_EQ(workload->jobs[1].submit, secs(7));
  EXPECT_EQ(workload->oddities.of(Oddity::no_submit_time), 1U);
}

TEST(Workload, numbers_given_again_are_counted) {
  const auto workload = build({Line{}, Line{}, Line{}, Line{.number = 2}});
  EXPECT_EQ(workload->jobs.size(), 4U);
  EXPECT_EQ(workload->oddities.of(Oddity::duplicate_number), 2U);
}

TEST(Workload, a_trace_without_a_job_is_an_error) {
  const auto workload = build({});
  ASSERT_FALSE(workload);
  EXPECT_THAT(workload.error().message, HasSubstr("no job"));
}

// A start in microseconds once put every job at the end of time: none was replayed, and the
// exit status was 0.
TEST(Workload, a_start_that_is_no_time_is_counted_and_replaced) {
  const auto ordinary = build({Line{}});
  for (const char* start :
       {"1163199901000000", "100000000001", "99999999999999999999", "0", "-1"}) {
    const auto workload = build({Line{}}, header_of({{"UnixStartTime", start}}));
    EXPECT_EQ(workload->epoch, ordinary->epoch) << start;
    EXPECT_EQ(workload->oddities.of(Oddity::bad_start_time), 1U) << start;
  }
  const auto largest = build({Line{}}, header_of({{"UnixStartTime", "100000000000"}}));
  EXPECT_EQ(largest->epoch, Time::seconds(kMaxSwfSeconds));
  EXPECT_EQ(largest->oddities.of(Oddity::bad_start_time), 0U);
  EXPECT_EQ(ordinary->oddities.of(Oddity::bad_start_time), 0U);
}

TEST(Workload, time_zero_is_the_start_of_the_trace) {
  EXPECT_EQ(build({Line{}}, header_of({{"UnixStartTime", "1163199901"}}))->epoch,
            Time::seconds(1163199901));
  EXPECT_EQ(build({Line{}}, header_of({{"UnixStartTime", "-1"}}))->epoch,
            Time::seconds(1'000'000'000));
}

TEST(Machine, cores_a_node_are_processors_by_nodes_rounded_up) {
  EXPECT_EQ(*machine_of(header_of({{"MaxNodes", "1152"}, {"MaxProcs", "9216"}}), {}),
            (MachineShape{1152, 8}));
  EXPECT_EQ(*machine_of(header_of({{"MaxNodes", "29"}, {"MaxProcs", "352"}}), {}),
            (MachineShape{29, 13}));
  EXPECT_EQ(*machine_of(header_of({{"MaxNodes", "100"}, {"MaxProcs", "50"}}), {}),
            (MachineShape{100, 1}));
}

TEST(Machine, with_one_number_only_nodes_have_one_core) {
  EXPECT_EQ(*machine_of(header_of({{"MaxNodes", "12"}}), {}), (MachineShape{12, 1}));
  EXPECT_EQ(*machine_of(header_of({{"MaxProcs", "34"}}), {}), (MachineShape{34, 1}));
}

TEST(Machine, a_wish_takes_precedence) {
  const SwfHeader header = header_of({{"MaxNodes", "10"}, {"MaxProcs", "40"}});
  EXPECT_EQ(*machine_of(header, {5U, std::nullopt}), (MachineShape{5, 4}));
  EXPECT_EQ(*machine_of(header, {std::nullopt, 2U}), (MachineShape{10, 2}));
}

TEST(Machine, nothing_known_and_impossible_numbers_are_errors) {
  EXPECT_THAT(machine_of({}, {}).error().message, HasSubstr("give --nodes"));
  EXPECT_THAT(machine_of({}, {0U, std::nullopt}).error().message, HasSubstr("nodes: 0 is not"));
  EXPECT_THAT(machine_of({}, {1U, 0U}).error().message, HasSubstr("cores a node: 0 is not"));
  EXPECT_THAT(machine_of({}, {4'000'000'000U, 1U}).error().message, HasSubstr("4000000000"));
}

struct KnownTrace {
  std::string_view file;
  std::string_view name;
  std::size_t jobs;
  MachineShape machine;
  std::uint64_t over_limit;
};

class KnownTraces : public ::testing::TestWithParam<KnownTrace> {};

TEST_P(KnownTraces, every_job_is_read) {
  const auto path = testing::find_trace(GetParam().file);
  if (!path) GTEST_SKIP() << GetParam().file << " is not here";
  const auto workload = read_workload(*path);
  ASSERT_TRUE(workload) << workload.error().message;
  EXPECT_EQ(workload->name, GetParam().name);
  EXPECT_EQ(workload->jobs.size(), GetParam().jobs);
  EXPECT_EQ(*machine_of(workload->header, {}), GetParam().machine);
  EXPECT_EQ(workload->oddities.of(Oddity::over_limit), GetParam().over_limit);
}

INSTANTIATE_TEST_SUITE_P(
    Archive, KnownTraces,
    ::testing::Values(
        KnownTrace{
            "LLNL-Atlas-2006-2.1-cln.swf.gz", "LLNL-Atlas-2006-2.1-cln", 43778, {1152, 8}, 3351},
        KnownTrace{"KTH-SP2-unfiltered.swf", "KTH-SP2-unfiltered", 28489, {100, 1}, 475},
        KnownTrace{"NASA-iPSC-1993-3.1-cln.swf.gz", "NASA-iPSC-1993-3.1-cln", 18239, {128, 1}, 0},
        KnownTrace{"ALCF-Theta-2018-cqgym-train.swf.gz",
                   "ALCF-Theta-2018-cqgym-train",
                   3000,
                   {4360, 1},
                   620},
        KnownTrace{"gofree_sample.swf.gz", "gofree_sample", 1448, {29, 13}, 102},
        KnownTrace{"lublin_256.swf.gz", "lublin_256", 10000, {256, 1}, 0}),
    [](const auto& test) {
      std::string name(test.param.name.substr(0, test.param.name.find_first_of("-_.")));
      return name;
    });

}  // namespace
}  // namespace tenure::emul
