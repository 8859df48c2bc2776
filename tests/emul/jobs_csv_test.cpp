#include "emul/jobs_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tenure::emul {
namespace {

using ::testing::HasSubstr;

Duration secs(std::int64_t s) { return Duration::seconds(s); }

const JobsCsvOptions kOptions{"trace", Time::seconds(1000)};

constexpr std::string_view kHeader =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
    "success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
    "stretch,allocated_resources,consumed_energy,metadata\n";

JobRecord ended() {
  JobRecord job;
  job.number = 7;
  job.submit = Time::seconds(1010);
  job.walltime = secs(100);
  job.runtime = secs(40);
  job.units = 5;
  job.outcome = Outcome::done;
  job.start = Time::seconds(1030);
  job.finish = Time::seconds(1070);
  job.ranks = *Idset::parse("0-3,9");
  return job;
}

TEST(JobsCsv, a_job_that_ended_has_every_column) {
  EXPECT_EQ(format_jobs_csv(std::vector{ended()}, kOptions),
            std::string(kHeader) +
                "7,trace,40,10,5,100,1,COMPLETED_SUCCESSFULLY,30,40,70,20,60,1.5,0-3 9,-1,"
                "selection=immediate\n");
}

TEST(JobsCsv, a_killed_job_is_no_success_and_extensions_are_in_the_metadata) {
  JobRecord job = ended();
  job.outcome = Outcome::killed;
  job.extensions = 2;
  job.selection = plan::Selection::backfilled;
  const std::string text = format_jobs_csv(std::vector{job}, kOptions);
  EXPECT_THAT(text, HasSubstr(",0,COMPLETED_WALLTIME_REACHED,"));
  EXPECT_THAT(text, HasSubstr("selection=backfilled;extensions=2"));
}

TEST(JobsCsv, what_has_not_happened_is_empty) {
  JobRecord job = ended();
  job.start.reset();
  job.finish.reset();
  job.ranks = {};
  for (const auto& [outcome, word] :
       {std::pair{Outcome::waiting, "SUBMITTED"}, std::pair{Outcome::refused, "REJECTED"},
        std::pair{Outcome::unsubmitted, "NOT_SUBMITTED"}}) {
    job.outcome = outcome;
    EXPECT_EQ(format_jobs_csv(std::vector{job}, kOptions),
              fmt::format("{}7,trace,40,10,5,100,0,{},,,,,,,,-1,\n", kHeader, word));
  }
}

TEST(JobsCsv, a_job_without_duration_has_no_stretch) {
  JobRecord job = ended();
  job.finish = job.start;
  EXPECT_THAT(format_jobs_csv(std::vector{job}, kOptions), HasSubstr(",30,0,30,20,20,,0-3 9,"));
}

TEST(JobsCsv, fractions_of_seconds_keep_their_microseconds) {
  JobRecord job = ended();
  job.start = *job.start + Duration::microseconds(250'000);
  EXPECT_THAT(format_jobs_csv(std::vector{job}, kOptions), HasSubstr(",30.25,39.75,70,20.25,"));
}

TEST(JobsCsv, names_with_commas_are_quoted) {
  const std::string text = format_jobs_csv(std::vector{ended()}, {"a,\"b\"", Time()});
  EXPECT_THAT(text, HasSubstr("7,\"a,\"\"b\"\"\",40,"));
}

TEST(JobsCsv, the_file_is_whole_and_no_temporary_one_is_left) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "tenure_jobs.csv";
  ASSERT_TRUE(write_jobs_csv(path.string(), std::vector{ended()}, kOptions));
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), format_jobs_csv(std::vector{ended()}, kOptions));
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".part"));
  std::filesystem::remove(path);
}

TEST(JobsCsv, a_folder_that_does_not_exist_is_an_io_error) {
  const auto written = write_jobs_csv("/nonexistent/jobs.csv", {}, kOptions);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::io);
  EXPECT_THAT(written.error().message, HasSubstr("/nonexistent/jobs.csv"));
}

TEST(JobsCsv, a_path_that_cannot_be_replaced_is_an_io_error_and_leaves_nothing) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "tenure_jobs_folder";
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "inside") << "x";
  const auto written = write_jobs_csv(folder.string(), {}, kOptions);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::io);
  EXPECT_FALSE(std::filesystem::exists(folder.string() + ".part"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tenure::emul
