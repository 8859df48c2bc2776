// The two formats of a run: goldens of the text, details of the numbers.
#include "emul/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "emul/scenario.hpp"
#include "emul/scenario_runner.hpp"

namespace tenure::emul {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const std::string& scenario_text, TextStyle style) {
  const auto scenario = read_scenario_text(scenario_text, "s.yaml");
  CHECK(scenario.has_value(), "{}", scenario.error().message);
  std::ostringstream stream;
  const auto outcome = run_scenario(*scenario, {}, *text_output(stream, style));
  CHECK(outcome.has_value(), "{}", outcome.error().message);
  return stream.str();
}

/// Code points: every character here is one column wide.
std::ptrdiff_t columns(const std::string& line) {
  return std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

constexpr const char* kExtension = R"(
cluster: {nodes: 4, cores: 8}
config: {policy: conservative}
events:
  - {at: 0,  submit: {id: A, nodes: 4, duration: 60}}
  - {at: 1,  submit: {id: B, nodes: 3, duration: 60}}
  - {at: 10, update: {id: A, duration: +60}}
  - {at: 10, plan: {}}
)";

TEST(TextOutput, IsALineAnEventAndAChartForAPlan) {
  const std::string expected =
      "        0  A is submitted\n"
      "        0  A starts on ranks 0-3, until 60\n"
      "        1  B is submitted\n"
      "       10  A now ends at 120\n"
      "       10  plan: 1 running, 1 planned, 0 without a planned start\n"
      // 42 columns for 180 s: 60 is at column 14, 120 at 28.
      "     0             60            120           180\n"
      "     ┴─▼───────────┴─────────────┴─────────────┴\n"
      "  A  ████████████████████████████                 0-3  0 – 120\n"
      "  B                              ░░░░░░░░░░░░░░   0-2  120 – 180\n"
      "      120  A ends at its time limit\n"
      "      120  A frees ranks 0-3\n"
      "      120  B starts on ranks 0-2, until 180\n";
  std::string actual;
  std::istringstream lines(text_of(kExtension, {TextStyle::Colour::no, 64}));
  for (std::string line; std::getline(lines, line);) {
    // What the scheduler writes into reasons is its own affair.
    if (line.find("B is expected") == std::string::npos) actual += line + "\n";
  }
  EXPECT_EQ(actual.substr(0, expected.size()), expected);
}

TEST(TextOutput, ChartsKeepToTheWidthAskedFor) {
  for (const int width : {60, 80, 132}) {
    std::istringstream lines(text_of(kExtension, {TextStyle::Colour::no, width}));
    std::ptrdiff_t widest = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.find("█") == std::string::npos && line.find("░") == std::string::npos) continue;
      widest = std::max(widest, columns(line));
    }
    EXPECT_EQ(widest, width);
  }
}

TEST(TextOutput, UsesColourOnlyWhenAskedTo) {
  EXPECT_THAT(text_of(kExtension, {TextStyle::Colour::no, 80}), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(text_of(kExtension, {TextStyle::Colour::yes, 80}), HasSubstr("\x1b[32m"));
}

TEST(Gantt, ShowsAnOverrunUpToThePresentAndNoInventedEnd) {
  const auto plan = boost::json::parse(R"({"t": 90, "event": "plan",
    "allocations": [{"id": "A", "start": 0, "end": 60, "ranks": "0", "overrun": true},
                    {"id": "U", "start": 0, "end": null, "ranks": "1"}],
    "reservations": [], "unplanned": [{"id": "W", "reason": "waits behind U"}]})");
  const std::string chart = gantt(plan.as_object(), {TextStyle::Colour::no, 60});
  std::istringstream lines(chart);
  std::string title;
  std::getline(lines, title);  // a sentence
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), 60) << line;
  EXPECT_THAT(chart, HasSubstr("▒▒▒▒▒"));
  EXPECT_THAT(chart, HasSubstr("0 – 60 overrun"));
  EXPECT_THAT(chart, HasSubstr("▶"));
  EXPECT_THAT(chart, HasSubstr("0 – ∞"));
  EXPECT_THAT(chart, HasSubstr("  W  waits behind U\n"));
}

TEST(JsonText, WritesNumbersWithoutAnExponentWhereThatIsExact) {
  EXPECT_EQ(json_text(99.25), "99.25");
  EXPECT_EQ(json_text(1e-6), "0.000001");
  EXPECT_EQ(json_text(0.1), "0.1");
  EXPECT_EQ(json_text(60.0), "60");
  EXPECT_EQ(boost::json::parse(json_text(1e-9)).to_number<double>(), 1e-9);
  EXPECT_EQ(json_text(boost::json::array{1, nullptr, "ä\"", true}), "[1,null,\"ä\\\"\",true]");
}

}  // namespace
}  // namespace tenure::emul
