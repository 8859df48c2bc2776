#include "report/field_metrics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tenure::report {
namespace {

Time at(std::int64_t s) { return Time::seconds(1000 + s); }

emul::JobRecord job(std::int64_t submit, std::int64_t start, std::int64_t end,
                    std::uint64_t units) {
  emul::JobRecord record;
  record.submit = at(submit);
  record.start = at(start);
  record.finish = at(end);
  record.units = units;
  record.outcome = emul::Outcome::done;
  return record;
}

double number(const boost::json::value& value, std::initializer_list<std::string_view> path) {
  const boost::json::value* found = &value;
  for (const std::string_view key : path) found = &found->at(key);
  return found->to_number<double>();
}

TEST(LossOfCapacity, IdleUnitsCountWhileAJobWaitsThatWouldFit) {
  // 4 units, 2 held until 100; a job of 2 could start at 0 and starts at 50.
  const std::vector<emul::JobRecord> fits{job(0, 0, 100, 2), job(0, 50, 100, 2)};
  EXPECT_DOUBLE_EQ(loss_of_capacity(fits, {4, at(100)}), 2.0 * 50 / (4 * 100));
  // A job of 4 cannot use the two idle units.
  const std::vector<emul::JobRecord> larger{job(0, 0, 100, 2), job(0, 100, 200, 4)};
  EXPECT_DOUBLE_EQ(loss_of_capacity(larger, {4, at(200)}), 0);
  EXPECT_DOUBLE_EQ(loss_of_capacity({}, {4, at(0)}), 0);
}

/// The definition, second by second.
double naive_loss(const std::vector<emul::JobRecord>& jobs, std::uint64_t units) {
  std::int64_t first = 1'000'000;
  std::int64_t last = 0;
  const auto second = [](Time time) { return time.count() / 1'000'000; };
  for (const auto& entry : jobs) {
    first = std::min(first, second(entry.submit));
    last = std::max(last, second(*entry.finish));
  }
  double lost = 0;
  for (std::int64_t t = first; t < last; ++t) {
    const Time now = Time::seconds(t);
    std::uint64_t held = 0;
    std::uint64_t least = UINT64_MAX;
    for (const auto& entry : jobs) {
      if (*entry.start <= now && now < *entry.finish) held += entry.units;
      if (entry.submit <= now && now < *entry.start) least = std::min(least, entry.units);
    }
    if (held < units && least <= units - held) lost += static_cast<double>(units - held);
  }
  return last > first ? lost / static_cast<double>(units) / static_cast<double>(last - first) : 0;
}

RC_GTEST_PROP(LossOfCapacity, IsThatOfTheDefinitionSecondBySecond, ()) {
  std::vector<emul::JobRecord> jobs;
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
    const std::int64_t submit = *rc::gen::inRange(0, 60);
    const std::int64_t start = submit + *rc::gen::inRange(0, 40);
    const std::int64_t length = *rc::gen::inRange(0, 40);
    jobs.push_back(job(submit, start, start + length, *rc::gen::inRange<std::uint64_t>(1, 9)));
  }
  const std::uint64_t units = 100;  // enough for all at once
  Time stop;
  for (const auto& entry : jobs) stop = std::max(stop, *entry.finish);
  RC_ASSERT(std::abs(loss_of_capacity(jobs, {units, stop}) - naive_loss(jobs, units)) < 1e-9);
}

TEST(Predictions, AreMeasuredAtSubmissionAndOverTime) {
  // Told 100 at submission, 200 from 50 on; starts at 150. The second starts at once.
  const std::vector<emul::JobRecord> jobs{job(0, 150, 160, 1), job(0, 0, 10, 1)};
  emul::Announcements announcements;
  announcements.resize(2);
  announcements.note(0, {at(0), at(100)});
  announcements.note(0, {at(50), at(200)});
  const auto found = predictions_of(jobs, announcements);
  EXPECT_EQ(number(found, {"at_submission", "jobs_that_waited"}), 1);
  EXPECT_EQ(number(found, {"at_submission", "jobs"}), 1);
  EXPECT_EQ(number(found, {"at_submission", "later"}), 1);
  EXPECT_EQ(number(found, {"at_submission", "error_seconds", "mean"}), 50);
  EXPECT_EQ(number(found, {"over_time_seconds", "mean"}), 50);
}

TEST(Classes, AreBySizeAndLeaveNoStartedJobOut) {
  const std::vector<emul::JobRecord> jobs{job(0, 10, 110, 1), job(0, 0, 10, 4),
                                          job(0, 0, 10, 5000)};
  const auto classes = classes_of(jobs);
  ASSERT_EQ(classes.size(), 3U);
  EXPECT_EQ(classes[0].at("class"), "1");
  EXPECT_EQ(number(classes[0], {"wait_seconds", "mean"}), 10);
  EXPECT_EQ(number(classes[0], {"bounded_slowdown", "mean"}), 1.1);
  EXPECT_EQ(classes[1].at("class"), "2-4");
  EXPECT_EQ(classes[2].at("class"), "more");
}

}  // namespace
}  // namespace tenure::report
