// The command line as a person meets it: help, errors with their place, exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "command.hpp"

namespace {

using cli_testing::Outcome;
using cli_testing::tenure;
using ::testing::HasSubstr;

/// A scenario file that goes away with the test.
class File {
 public:
  explicit File(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("tenure-test-" + std::to_string(getpid()) + ".yaml")) {
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(CommandLine, HelpNamesTheSubcommandsAndTheirOptions) {
  EXPECT_EQ(tenure("--help").status, 0);
  EXPECT_THAT(tenure("--help").output, HasSubstr("run"));
  const Outcome help = tenure("run --help");
  EXPECT_EQ(help.status, 0);
  for (const char* part : {"--format", "--until", "--policy", "--queue-depth", "Exit status"}) {
    EXPECT_THAT(help.output, HasSubstr(part));
  }
  EXPECT_THAT(tenure("--version").output, HasSubstr("tenure "));
}

TEST(CommandLine, AnEmptyFileIsReadAndRefusedForWhatItLacks) {
  const File file("");
  const Outcome outcome = tenure("run " + file.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, HasSubstr("cluster and events"));
}

TEST(CommandLine, BadUseEndsWithStatus2) {
  EXPECT_EQ(tenure("").status, 2);
  EXPECT_EQ(tenure("fly").status, 2);
  EXPECT_EQ(tenure("run").status, 2);
  EXPECT_EQ(tenure("run no-such-file.yaml").status, 2);
  EXPECT_THAT(tenure("run no-such-file.yaml").output, HasSubstr("no-such-file.yaml"));
}

TEST(CommandLine, ABadConfigurationOptionIsNamedAsItWasGiven) {
  const File file("cluster: {nodes: 1}\nevents: []\n");
  const Outcome outcome = tenure("run " + file.path() + " --policy nope");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, HasSubstr("tenure: --policy: "));
  EXPECT_THAT(outcome.output, HasSubstr("conservative"));
}

TEST(CommandLine, AnErrorNamesFileLineKeyAndWhatWouldBeValid) {
  const File file(
      "cluster: {nodes: 2, cores: 2}\nevents:\n  - {at: 0, submit: {id: A, nods: 2}}\n");
  const Outcome outcome = tenure("run " + file.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, HasSubstr(file.path() + ":3"));
  EXPECT_THAT(outcome.output, HasSubstr("nods"));
  EXPECT_THAT(outcome.output, HasSubstr("nodes"));
}

TEST(CommandLine, ASecondDocumentInAScenarioIsRefusedWithItsLine) {
  const File file("cluster: {nodes: 1}\nevents: []\n---\nevents: []\n");
  const Outcome outcome = tenure("run " + file.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, HasSubstr(file.path() + ":4: a second document begins"));
}

TEST(CommandLine, AnOptionGoesOverTheFilesConfiguration) {
  const File file(
      "cluster: {nodes: 1, cores: 1}\nconfig: {policy: easy}\nevents:\n"
      "  - {at: 0, submit: {id: A, nodes: 1, duration: 60}}\n"
      "  - {at: 0, submit: {id: B, nodes: 1, duration: 60}}\n"
      "  - {at: 1, expect: {planned: {B: 60}}}\n");
  EXPECT_EQ(tenure("run " + file.path()).status, 0);
  EXPECT_EQ(tenure("run --policy fcfs " + file.path()).status, 1);
  const Outcome bad = tenure("run --policy fast " + file.path());
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.output, HasSubstr("fcfs, easy, hybrid, conservative"));
}

TEST(CommandLine, AMismatchShowsExpectedAndActual) {
  const File file(
      "cluster: {nodes: 1, cores: 1}\nevents:\n"
      "  - {at: 0, submit: {id: A, nodes: 1, duration: 60}}\n"
      "  - {at: 1, expect: {start: {A: 7}}}\n");
  const Outcome outcome = tenure("run " + file.path());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("expected 7, actual 0"));
}

TEST(CommandLine, UntilStopsTheRun) {
  const File file(
      "cluster: {nodes: 1, cores: 1}\nevents:\n"
      "  - {at: 0, submit: {id: A, nodes: 1, duration: 60}}\n");
  EXPECT_THAT(tenure("run " + file.path()).output, HasSubstr("\"finish\""));
  EXPECT_THAT(tenure("run --until 30 " + file.path()).output, Not(HasSubstr("\"finish\"")));
}

constexpr const char* kTwoJobs = R"(cluster: {nodes: 4, cores: 8}
config: {policy: conservative}
events:
  - {at: 0,  submit: {id: A, nodes: 4, duration: 60s}}
  - {at: 1,  submit: {id: "B:1", nodes: 4, duration: 60s}}
  - {at: 2,  submit: {id: C, nodes: 4}}
  - {at: 3,  submit: {id: D, nodes: 4, duration: 1m}}
  - {at: 10, update: {id: A, duration: +10m}}
)";

TEST(PlanCommand, ShowsTheWholePlanOfAScenarioAtATime) {
  const File file(kTwoJobs);
  const Outcome before = tenure("plan " + file.path() + " --at 9 --format json");
  EXPECT_EQ(before.status, 0);
  EXPECT_THAT(before.output, HasSubstr(R"({"t":9,"origin":1000000000,"allocations":[{"id":"A")"));
  EXPECT_THAT(before.output, HasSubstr(R"({"id":"B:1","start":60,"end":120,"ranks":"0-3"})"));
  EXPECT_THAT(before.output, HasSubstr(R"("unplanned":[{"id":"D","reason":)"));
  // Without --at: at the last event.
  const Outcome after = tenure("plan " + file.path() + " --format json");
  EXPECT_THAT(after.output, HasSubstr(R"({"id":"B:1","start":660,"end":720,"ranks":"0-3"})"));
  const Outcome text = tenure("plan " + file.path() + " --format text");
  EXPECT_THAT(text.output, HasSubstr("plan: 1 running, 2 planned, 1 without a planned start"));
}

TEST(PlanCommand, MermaidHasALineAJobAndNoStrayColon) {
  const File file(kTwoJobs);
  const Outcome outcome = tenure("plan " + file.path() + " --format mermaid");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output.rfind("gantt\n  title Plan at 10 s\n  dateFormat x\n", 0), 0U);
  EXPECT_THAT(outcome.output, HasSubstr("  section running\n  job A on 0-3 :active, 0, 660000\n"));
  EXPECT_THAT(outcome.output, HasSubstr("  section planned\n  job B_1 on 0-3 :660000, 720000\n"));
  EXPECT_THAT(outcome.output, HasSubstr("  job C on 0-3 without end :720000, "));
  EXPECT_THAT(outcome.output, HasSubstr("  section waiting\n  job D needs 4 nodes"));
}

TEST(PlanCommand, ASnapshotOfARunHasThePlanOfTheRun) {
  const File file(kTwoJobs);
  const std::string state = file.path() + ".json";
  ASSERT_EQ(tenure("run " + file.path() + " --until 10 --snapshot " + state).status, 0);
  EXPECT_FALSE(std::filesystem::exists(state + ".part"));
  for (const char* format : {"json", "text", "mermaid"}) {
    const std::string options = std::string(" --format ") + format;
    EXPECT_EQ(tenure("plan " + state + options).output,
              tenure("plan " + file.path() + options).output);
  }
  const Outcome easy = tenure("plan " + state + " --policy fcfs --format json");
  EXPECT_THAT(easy.output, HasSubstr(R"("reservations":[],)"));
  const Outcome at = tenure("plan " + state + " --at 5");
  EXPECT_EQ(at.status, 2);
  EXPECT_THAT(at.output, HasSubstr("--at: "));
  std::filesystem::remove(state);
}

TEST(PlanCommand, ErrorsNameFileAndField) {
  const File version(R"({"tenure-snapshot": 7})");
  const Outcome outcome = tenure("plan " + version.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, HasSubstr(version.path() + ": tenure-snapshot: 7 is not a version"));
  EXPECT_EQ(tenure("plan no-such-file").status, 2);
  EXPECT_EQ(tenure("plan").status, 2);
  const File file(kTwoJobs);
  const Outcome unwritable = tenure("run " + file.path() + " --snapshot /no/such/folder/x.json");
  EXPECT_EQ(unwritable.status, 2);
  EXPECT_THAT(unwritable.output,
              HasSubstr("--snapshot: /no/such/folder/x.json: cannot be written"));
  EXPECT_THAT(tenure("plan --help").output, HasSubstr("mermaid"));
}

TEST(CommandLine, ImpactAnswersInOneScreenAndAsJson) {
  const File scenario(
      "cluster: {nodes: 1}\nconfig: {policy: conservative}\nevents:\n"
      "  - {at: 0, submit: {id: A, nodes: 1, duration: 60}}\n"
      "  - {at: 1, submit: {id: B, nodes: 1, duration: 60}}\n");
  const std::string snapshot = scenario.path() + ".json";
  ASSERT_EQ(tenure("run " + scenario.path() + " --until 2 --snapshot " + snapshot).status, 0);
  const Outcome text = tenure("impact " + snapshot + " A +1h");
  EXPECT_EQ(text.status, 0);
  for (const char* part : {"accepted until 3660", "60 -> 3660", "free until 60", "+2h"}) {
    EXPECT_THAT(text.output, HasSubstr(part));
  }
  const Outcome json = tenure("impact " + snapshot + " A +1h --json");
  EXPECT_THAT(json.output, HasSubstr(R"("free_until":60)"));
  EXPECT_THAT(json.output, HasSubstr(R"("delayed":[{"id":"B","from":60,"to":3660,"delay":3600}])"));
  EXPECT_THAT(tenure("impact " + snapshot + " B +1h").output, HasSubstr("is pending"));
  EXPECT_EQ(tenure("impact " + snapshot + " A never").status, 2);
  std::filesystem::remove(snapshot);
}

}  // namespace
