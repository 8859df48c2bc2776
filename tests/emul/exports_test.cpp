// The replay in the forms of others: Batsim's _schedule.csv, and SWF that can be replayed again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emul/lublin.hpp"
#include "emul/replay.hpp"
#include "emul/schedule_csv.hpp"
#include "emul/swf_writer.hpp"

namespace tenure::emul {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTrace = R"(; UnixStartTime: 1000000000
; Computer: A machine
; MaxNodes: 2
; maxprocs: 8
; MaxJobs: 99
1 0 -1 100 4 -1 -1 4 200 -1 1 7 1 -1 3 -1 -1 -1
2 0 -1 660 4 -1 -1 4 600 -1 1 -1 1 -1 -1 -1 -1 -1
3 10 -1 50 8 -1 -1 8 60 -1 1 1 1 -1 -1 -1 -1 -1
4 20 -1 50 9 -1 -1 9 60 -1 1 1 1 -1 -1 -1 -1 -1
)";

Workload workload_of(std::string_view text) {
  WorkloadBuilder builder;
  auto header = parse_swf(
      text, "t.swf", [&](const SwfJob& job) { builder.add(job); }, builder.oddities());
  EXPECT_TRUE(header) << header.error().message;
  return *std::move(builder).build("t", *std::move(header));
}

Replay replay_of(const Workload& workload, MachineShape machine) {
  ReplayOptions options;
  options.machine = machine;
  return *replay(workload, options);
}

SwfOptions options_of(const Workload& workload, MachineShape machine) {
  return {.header = &workload.header,
          .epoch = workload.epoch,
          .machine = machine,
          .procs_per_unit = machine.cores_per_node,
          .note = "a test"};
}

TEST(SwfWriter, HasTheReplaysHeaderTheTracesCommentsAndALineAJob) {
  const Workload workload = workload_of(kTrace);
  const MachineShape machine{2, 4};
  EXPECT_EQ(format_swf(replay_of(workload, machine).jobs, options_of(workload, machine)),
            R"(; Version: 2.2
; Note: a test
; MaxJobs: 4
; MaxRecords: 4
; UnixStartTime: 1000000000
; MaxNodes: 2
; MaxProcs: 8
; Computer: A machine
1 0 0 100 4 -1 -1 4 200 -1 1 7 -1 -1 3 -1 -1 -1
2 0 0 600 4 -1 -1 4 600 -1 0 -1 -1 -1 -1 -1 -1 -1
3 10 590 50 8 -1 -1 8 60 -1 1 1 -1 -1 -1 -1 -1 -1
4 20 -1 -1 -1 -1 -1 9 60 -1 5 1 -1 -1 -1 -1 -1 -1
)");
}

TEST(SwfWriter, StartAndEndAreRoundedEachByItself) {
  JobRecord job;
  job.submit = Time::seconds(100);
  job.walltime = Duration::infinite();
  job.start = Time::microseconds(100'600'000);
  job.finish = Time::microseconds(102'400'000);
  job.outcome = Outcome::canceled;
  const SwfOptions options{
      .header = nullptr, .epoch = Time::seconds(90), .machine = {}, .note = ""};
  EXPECT_THAT(format_swf(std::vector{job}, options),
              HasSubstr("\n0 10 1 1 1 -1 -1 1 -1 -1 5 -1 -1 -1 -1 -1 -1 -1\n"));
}

TEST(SwfWriter, AReplayOfWhatIsWrittenHasTheSameStarts) {
  LublinOptions model;
  model.machine = {32, 2};
  model.jobs = 400;
  model.too_short = 0.1;
  const Workload workload = *generate_lublin(model);
  const Replay first = replay_of(workload, model.machine);
  const Workload again = workload_of(format_swf(first.jobs, options_of(workload, model.machine)));
  const Replay second = replay_of(again, model.machine);
  ASSERT_EQ(second.jobs.size(), first.jobs.size());
  for (std::size_t i = 0; i < first.jobs.size(); ++i) {
    EXPECT_EQ(second.jobs[i].start, first.jobs[i].start) << i;
    EXPECT_EQ(second.jobs[i].finish, first.jobs[i].finish) << i;
  }
}

TEST(ScheduleCsv, OneRowUnderTheNamesOfBatsim) {
  const Workload workload = workload_of(kTrace);
  const Replay replay = replay_of(workload, {2, 4});
  EXPECT_EQ(format_schedule_csv(replay.jobs, {.horizon = replay.horizon,
                                              .version = "tenure x",
                                              .scheduling_seconds = 0.5,
                                              .simulation_seconds = 1}),
            "batsim_version,consumed_joules,makespan,max_slowdown,max_turnaround_time,"
            "max_waiting_time,mean_slowdown,mean_turnaround_time,mean_waiting_time,"
            "nb_computing_machines,nb_grouped_switches,nb_jobs,nb_jobs_finished,nb_jobs_killed,"
            "nb_jobs_rejected,nb_jobs_success,nb_machine_switches,scheduling_time,"
            "simulation_time,success_rate,time_computing,time_idle,time_sleeping,"
            "time_switching_off,time_switching_on\n"
            "tenure x,0,650,12.8,640,590,4.933333333333334,446.6666666666667,"
            "196.66666666666666,2,0,4,4,1,1,2,0,0.5,1,0.5,800,500,0,0,0\n");
}

}  // namespace
}  // namespace tenure::emul
