#include "report/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "emul/output.hpp"
#include "report/series.hpp"

namespace tenure::report {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

Time at(std::int64_t s) { return Time::seconds(1000 + s); }

emul::JobRecord record_of(std::int64_t submit, std::optional<std::int64_t> start,
                          std::optional<std::int64_t> end, std::uint64_t units) {
  emul::JobRecord job;
  job.number = 1;
  job.submit = at(submit);
  job.walltime = Duration::seconds(60);
  job.units = units;
  job.outcome = end ? emul::Outcome::done : start ? emul::Outcome::running : emul::Outcome::waiting;
  if (start) job.start = at(*start);
  if (end) job.finish = at(*end);
  return job;
}

std::string written(std::span<const JobRow> rows) {
  const std::string path = ::testing::TempDir() + "tenure-result-test.json";
  ResultHead head;
  head.producer = "tenure test";
  head.command = "sim";
  head.name = "t";
  head.origin = at(0);
  head.span = {at(0), at(100)};
  head.cluster = {.nodes = 4, .cores_per_node = 1, .unit = "node", .units = 4};
  auto writer = ResultWriter::open(path, head);
  EXPECT_TRUE(writer);
  for (const JobRow& row : rows) writer->add(row);
  EXPECT_TRUE(writer->finish());
  return *read_file(path);
}

std::string good() {
  emul::JobRecord ran = record_of(0, 5, 15, 2);
  ran.finish = Time::microseconds(at(15).count() + 250'000);
  ran.ranks = Idset::range(0, 1);
  const std::vector<emul::Announcement> announced{{at(0), at(9)}, {at(2), at(5)}};
  const std::vector<JobRow> rows{
      {.id = "a \"b\"", .user = "u", .queue = "", .record = &ran, .announced = announced}};
  return written(rows);
}

/// `good()` with one piece of its text replaced.
std::string with(std::string_view from, std::string_view to) {
  std::string text = good();
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from << " in " << text;
  return text.replace(place, from.size(), to);
}

TEST(Result, WhatIsWrittenIsReadBack) {
  const std::string text = good();
  EXPECT_TRUE(is_result(text));
  const auto value = parse_result(text);
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(value->at("end").to_number<double>(), 100);
  const json::array& rows = value->at("jobs").at("rows").as_array();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(emul::json_text(rows[0]),
            "[\"a \\\"b\\\"\",\"u\",null,0,5,15.25,60,null,0,1,2,\"0-1\",\"done\",\"immediate\",0,"
            "[[0,9],[2,5]],null,null]");
}

TEST(Result, WithoutJobsIsAResultToo) { EXPECT_TRUE(parse_result(written({}))); }

TEST(Result, WhatIsWrongIsNamedWithItsPlaceAndWhatWouldBeValid) {
  const auto message = [](const std::string& text) {
    const auto value = parse_result(text);
    return value ? std::string("no error") : value.error().message;
  };
  EXPECT_THAT(message("{"), HasSubstr("is no JSON"));
  EXPECT_THAT(message("{}"), HasSubstr("tenure sim -o FILE"));
  EXPECT_THAT(message(with(":1,\"producer\"", ":2,\"producer\"")), HasSubstr("version 2 is not 1"));
  EXPECT_THAT(message(with("\"nodes\":4", "\"nodes\":\"x\"")),
              HasSubstr("cluster.nodes: 'x' is not a number"));
  EXPECT_THAT(message(with("\"0-1\"", "\"1-0\"")),
              HasSubstr("jobs.rows[0].ranks: '1-0' is not an idset"));
  EXPECT_THAT(message(with("15.25", "\"soon\"")),
              HasSubstr("jobs.rows[0].end: 'soon' is not a number of seconds or null"));
  EXPECT_THAT(message(with("\"done\"", "\"gone\"")), HasSubstr("jobs.rows[0].outcome"));
  EXPECT_THAT(message(with("[2,5]", "[2]")), HasSubstr("[time, start] pairs"));
  EXPECT_THAT(message(with("\"submit\"", "\"sent\"")), HasSubstr("jobs.columns: must be id, user"));
  EXPECT_THAT(message(with(",null,null]", "]")), HasSubstr("an array of 18, one a column"));
  EXPECT_FALSE(is_result("{\"tenure-snapshot\": 1}"));
}

RC_GTEST_PROP(Series, TheBinsHoldExactlyTheWorkOfTheJobs, ()) {
  const Span span{at(0), at(*rc::gen::inRange(1, 5000))};
  BinnedSum sum(span);
  double work = 0;
  for (int i = *rc::gen::inRange(0, 20); i > 0; --i) {
    const std::int64_t start = *rc::gen::inRange(-100, 6000);
    const std::int64_t length = *rc::gen::inRange(0, 3000);
    const double weight = *rc::gen::inRange(1, 50);
    sum.add({at(start), at(start + length)}, weight);
    const Time from = std::max(at(start), span.start);
    const Time to = std::min(at(start + length), span.end);
    if (from < to) work += (to - from).to_seconds() * weight;
  }
  const auto means = sum.means();
  const double step = (span.end - span.start).to_seconds() / kSeriesBins;
  const double total = std::accumulate(means.begin(), means.end(), 0.0) * step;
  RC_ASSERT(std::abs(total - work) <= 1e-6 * std::max(1.0, work));
}

TEST(Series, AWaitingJobIsInTheQueueUntilItStarts) {
  const std::vector<emul::JobRecord> jobs{record_of(0, 50, 100, 4), record_of(0, {}, {}, 2)};
  const json::object series = series_of(jobs, {at(0), at(100)}, at(0));
  const auto value = [&](std::string_view key, std::size_t bin) {
    return series.at(key).at(bin).to_number<double>();
  };
  EXPECT_EQ(value("waiting_jobs", 0), 2);
  EXPECT_EQ(value("waiting_jobs", 999), 1);
  EXPECT_EQ(value("waiting_units", 0), 6);
  EXPECT_EQ(value("busy_units", 0), 0);
  EXPECT_EQ(value("busy_units", 999), 4);
}

TEST(Announcements, AFullHistoryKeepsItsFirstAndCountsWhatItLeavesOut) {
  emul::Announcements announcements;
  announcements.resize(1);
  for (std::int64_t i = 0; i <= 64; ++i) announcements.note(0, {at(i), at(100 + i)});
  announcements.note(0, {at(65), at(164)});  // the same start: nothing new
  EXPECT_EQ(announcements.of(0).size(), 33U);
  EXPECT_EQ(announcements.of(0).front().at, at(0));
  EXPECT_EQ(announcements.of(0).back().at, at(64));
  EXPECT_EQ(announcements.thinned(), 32U);
}

}  // namespace
}  // namespace tenure::report
