// tenure sim as a person meets it: what it prints, what it writes, how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "command.hpp"

namespace {

using cli_testing::Outcome;
using cli_testing::tenure;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Two nodes of four cores. The second job outlasts its limit by a minute, the third waits.
constexpr const char* kTrace =
    "; UnixStartTime: 1000000000\n; MaxNodes: 2\n; MaxProcs: 8\n"
    "1 0 -1 100 4 -1 -1 4 200 -1 1 1 1 -1 -1 -1 -1 -1\n"
    "2 0 -1 660 4 -1 -1 4 600 -1 1 1 1 -1 -1 -1 -1 -1\n"
    "3 10 -1 50 8 -1 -1 8 60 -1 1 1 1 -1 -1 -1 -1 -1\n";

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// A folder with a trace that goes away with the test.
class Sim : public ::testing::Test {
 protected:
  Sim()
      : folder_(std::filesystem::temp_directory_path() /
                ("tenure-sim-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder_);
    write("t.swf", kTrace);
  }
  ~Sim() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Outcome sim(const std::string& arguments) const { return tenure("sim " + arguments); }

 private:
  std::filesystem::path folder_;
};

TEST_F(Sim, the_summary_has_every_metric_and_no_progress_when_piped) {
  const Outcome run = sim(path("t.swf"));
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.output, StartsWith("workload     t: 3 jobs\nmachine      2 nodes of 4 cores\n"));
  EXPECT_THAT(run.output, HasSubstr("3 submitted, 2 ended by themselves, 1 killed"));
  EXPECT_THAT(run.output, HasSubstr("wait         mean 3.28 min, median 0 s, p95 9.83 min"));
  EXPECT_THAT(run.output, HasSubstr("makespan     10.8 min"));
  for (const char* line : {"\nslowdown ", "\nutilisation  61.5 %", "\nbackfilled ", "\npasses ",
                           "\ntook ", "1 longer than the time asked for"}) {
    EXPECT_THAT(run.output, HasSubstr(line));
  }
}

TEST_F(Sim, extensions_say_what_they_saved_and_cost) {
  const std::string rule = path("t.swf") + " --extend lead=1m,amount=5m,max=1";
  const Outcome run = sim(rule);
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.output, HasSubstr("3 ended by themselves, 0 killed"));
  EXPECT_THAT(run.output, HasSubstr("1 asked for, 1 granted, 0 refused"));
  EXPECT_THAT(run.output, HasSubstr("1 jobs start later (mean 60 s"));
  const Outcome alone = sim(rule + " --no-baseline");
  EXPECT_EQ(alone.status, 0);
  EXPECT_THAT(alone.output, Not(HasSubstr("start later")));
}

TEST_F(Sim, the_result_file_has_rows_events_and_the_starts_without_extensions) {
  const std::string file = path("r.json");
  const Outcome run =
      sim(path("t.swf") + " --extend lead=1m,amount=5m,max=1 --policy conservative -o " + file);
  EXPECT_EQ(run.status, 0) << run.output;
  const std::string text = text_of(file);
  EXPECT_THAT(text.substr(0, 20), StartsWith("{\"tenure-result\":1,"));
  EXPECT_THAT(text, HasSubstr("{\"t\":540,\"event\":\"extend\",\"id\":\"2\",\"from\":600,"
                              "\"to\":900}"));
  // Promised 600 at its submission, 900 after the extension, started at 660 in the end.
  EXPECT_THAT(text, HasSubstr("[\"3\",\"1\",null,10,660,710,60,720,50,8,2,\"0-1\",\"done\","
                              "\"immediate\",0,[[10,600],[540,900]],null,600]"));
  const Outcome nowhere = sim(path("t.swf") + " -o " + path("missing/r.json"));
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.output, HasSubstr("--output: "));
}

TEST_F(Sim, json_has_plain_numbers) {
  const Outcome run = sim(path("t.swf") + " --format json");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.output, StartsWith("{\"workload\":{\"name\":\"t\",\"jobs\":3}"));
  EXPECT_THAT(run.output, HasSubstr("\"makespan_seconds\":650,"));
  EXPECT_THAT(run.output, HasSubstr("\"wait_seconds\":{\"mean\":196.66666666666666,\"median\":0,"
                                    "\"p95\":590,\"max\":590}"));
  // 800 node-seconds of 2 nodes for 650 s.
  EXPECT_THAT(run.output, HasSubstr("\"utilisation\":0.6153846153846154,"));
}

TEST_F(Sim, one_row_a_job_under_the_names_of_batsim) {
  const Outcome run = sim(path("t.swf") + " --jobs-csv " + path("jobs.csv"));
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(
      text_of(path("jobs.csv")),
      "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
      "success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
      "stretch,allocated_resources,consumed_energy,metadata\n"
      "1,t,100,0,1,200,1,COMPLETED_SUCCESSFULLY,0,100,100,0,100,1,0,-1,selection=immediate\n"
      "2,t,660,0,1,600,0,COMPLETED_WALLTIME_REACHED,0,600,600,0,600,1,1,-1,selection=immediate\n"
      "3,t,50,10,2,60,1,COMPLETED_SUCCESSFULLY,600,50,650,590,640,12.8,0-1,-1,selection="
      "reserved\n");
  EXPECT_FALSE(std::filesystem::exists(path("jobs.csv.part")));
}

TEST_F(Sim, bad_input_ends_with_status_2_and_names_the_place) {
  write("bad.swf", "; MaxNodes: 2\n1 0 -1 soon 4 -1 -1 4 200 -1 1 1 1 -1 -1 -1 -1 -1\n");
  const Outcome bad = sim(path("bad.swf"));
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.output, HasSubstr("bad.swf:2: field 4 (run time): 'soon' is not"));
  for (const std::string& arguments :
       {std::string(), path("none.swf"), path("t.swf") + " --model lublin",
        path("t.swf") + " --seed 2", path("t.swf") + " --no-baseline",
        path("t.swf") + " --extend amount=x", path("t.swf") + " --policy best",
        path("t.swf") + " --jobs-csv " + path("no/jobs.csv"), std::string("--model other")}) {
    EXPECT_EQ(sim(arguments).status, 2) << arguments;
  }
}

TEST_F(Sim, a_seed_of_the_model_gives_the_same_replay) {
  const auto rows = [this](const std::string& seed) {
    const Outcome run =
        sim("--model lublin --jobs 300 --seed " + seed + " --jobs-csv " + path("m.csv"));
    EXPECT_EQ(run.status, 0) << run.output;
    return text_of(path("m.csv"));
  };
  const std::string first = rows("7");
  EXPECT_EQ(first, rows("7"));
  EXPECT_NE(first, rows("8"));
}

}  // namespace
