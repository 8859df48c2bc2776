#include "report/field_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace tenure::report {
namespace {

namespace json = boost::json;

/// What happens to the queue and the machine at a time; a start comes behind its submission.
struct Change {
  enum class Kind : std::uint8_t { end, submit, start };
  Time at;
  Kind kind;
  std::uint64_t units;

  friend bool operator<(const Change& a, const Change& b) {
    return std::tie(a.at, a.kind) < std::tie(b.at, b.kind);
  }
};

std::vector<Change> changes_of(std::span<const emul::JobRecord> jobs) {
  std::vector<Change> changes;
  changes.reserve(jobs.size() * 3);
  for (const emul::JobRecord& job : jobs) {
    const bool was_queued = job.start || job.outcome == emul::Outcome::waiting;
    if (!was_queued) continue;
    changes.push_back({job.submit, Change::Kind::submit, job.units});
    if (job.start) changes.push_back({*job.start, Change::Kind::start, job.units});
    if (job.finish) changes.push_back({*job.finish, Change::Kind::end, job.units});
  }
  std::ranges::sort(changes, std::less<>{});
  return changes;
}

/// The order at one time does not matter: idle time is accounted for when time moves on.
struct Machine {
  std::int64_t idle = 0;
  std::multiset<std::uint64_t> waiting;

  void apply(const Change& change) {
    const auto units = static_cast<std::int64_t>(change.units);
    switch (change.kind) {
      case Change::Kind::submit:
        waiting.insert(change.units);
        break;
      case Change::Kind::start:
        if (const auto found = waiting.find(change.units); found != waiting.end()) {
          waiting.erase(found);
        }
        idle -= units;
        break;
      case Change::Kind::end:
        idle += units;
        break;
    }
  }
  bool wastes() const {
    return !waiting.empty() && idle > 0 && *waiting.begin() <= static_cast<std::uint64_t>(idle);
  }
};

double slowdown_of(const emul::JobRecord& job) {
  const Duration run = std::max(*job.finish - *job.start, emul::kSlowdownThreshold);
  return std::max(1.0, (*job.finish - job.submit).to_seconds() / run.to_seconds());
}

struct SizeClass {
  std::string_view name;
  std::uint64_t most;
};
constexpr std::array<SizeClass, 7> kSizes{SizeClass{"1", 1},
                                          SizeClass{"2-4", 4},
                                          SizeClass{"5-16", 16},
                                          SizeClass{"17-64", 64},
                                          SizeClass{"65-256", 256},
                                          SizeClass{"257-1024", 1024},
                                          SizeClass{"more", UINT64_MAX}};

/// Mean over the time from the first announcement to the start; requires a later start.
double error_over_time(std::span<const emul::Announcement> history, Time start) {
  long double sum = 0;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const Time until = i + 1 < history.size() ? history[i + 1].at : start;
    const long double error = std::abs((history[i].start - start).to_seconds());
    sum += error * static_cast<long double>((until - history[i].at).to_seconds());
  }
  return static_cast<double>(sum /
                             static_cast<long double>((start - history.front().at).to_seconds()));
}

json::object to_json(const emul::JobCounts& jobs) {
  return json::object{
      {"submitted", jobs.submitted}, {"started", jobs.started}, {"done", jobs.done},
      {"killed", jobs.killed},       {"refused", jobs.refused}, {"canceled", jobs.canceled},
      {"running", jobs.running},     {"waiting", jobs.waiting}, {"backfilled", jobs.backfilled}};
}

}  // namespace

json::object distribution_json(const emul::Distribution& of) {
  return json::object{{"mean", of.mean}, {"median", of.median}, {"p95", of.p95}, {"max", of.max}};
}

double loss_of_capacity(std::span<const emul::JobRecord> jobs, const emul::Horizon& horizon) {
  const std::vector<Change> changes = changes_of(jobs);
  if (changes.empty()) return 0;
  Machine machine{.idle = static_cast<std::int64_t>(horizon.units), .waiting = {}};
  long double lost = 0;
  Time last = changes.front().at;
  const auto account = [&](Time now) {
    if (machine.wastes()) {
      lost += static_cast<long double>(machine.idle) *
              static_cast<long double>((now - last).to_seconds());
    }
    last = now;
  };
  for (const Change& change : changes) {
    if (change.at > last) account(change.at);
    machine.apply(change);
  }
  if (horizon.stopped > last && !machine.waiting.empty()) account(horizon.stopped);
  const double length = (last - changes.front().at).to_seconds();
  const double offered = static_cast<double>(horizon.units) * length;
  return offered > 0 ? static_cast<double>(lost) / offered : 0;
}

json::array classes_of(std::span<const emul::JobRecord> jobs) {
  std::array<std::vector<double>, kSizes.size()> waits;
  std::array<std::vector<double>, kSizes.size()> slowdowns;
  for (const emul::JobRecord& job : jobs) {
    if (!job.start) continue;
    const auto size = std::ranges::find_if(
        kSizes, [&](const SizeClass& entry) { return job.units <= entry.most; });
    const auto place = static_cast<std::size_t>(size - kSizes.begin());
    waits[place].push_back((*job.start - job.submit).to_seconds());
    if (job.finish) slowdowns[place].push_back(slowdown_of(job));
  }
  json::array classes;
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    if (waits[i].empty()) continue;
    const std::size_t count = waits[i].size();
    classes.push_back(json::object{
        {"class", json::string(kSizes[i].name)},
        {"jobs", count},
        {"wait_seconds", distribution_json(emul::distribution_of(std::move(waits[i])))},
        {"bounded_slowdown", distribution_json(emul::distribution_of(std::move(slowdowns[i])))}});
  }
  return classes;
}

json::object predictions_of(std::span<const emul::JobRecord> jobs,
                            const emul::Announcements& announcements) {
  std::vector<double> at_submission;
  std::vector<double> over_time;
  std::uint64_t waited = 0;
  std::uint64_t early = 0;
  std::uint64_t late = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const emul::JobRecord& job = jobs[i];
    if (!job.start || *job.start == job.submit) continue;
    ++waited;
    const auto history = announcements.of(i);
    if (history.empty()) continue;
    if (history.front().at < *job.start) over_time.push_back(error_over_time(history, *job.start));
    if (history.front().at != job.submit) continue;
    at_submission.push_back(std::abs((*job.start - history.front().start).to_seconds()));
    if (*job.start < history.front().start) ++early;
    if (*job.start > history.front().start) ++late;
  }
  const std::size_t count = at_submission.size();
  json::object first{
      {"jobs_that_waited", waited},
      {"jobs", count},
      {"earlier", early},
      {"later", late},
      {"error_seconds", distribution_json(emul::distribution_of(std::move(at_submission)))}};
  return json::object{
      {"at_submission", std::move(first)},
      {"over_time_seconds", distribution_json(emul::distribution_of(std::move(over_time)))},
      {"thinned", announcements.thinned()}};
}

void add_summary(json::object& object, const emul::Summary& summary, std::string_view unit) {
  object["jobs"] = to_json(summary.jobs);
  object["wait_seconds"] = distribution_json(summary.wait);
  object["turnaround_seconds"] = distribution_json(summary.turnaround);
  object["slowdown"] = distribution_json(summary.slowdown);
  object["bounded_slowdown"] = distribution_json(summary.bounded_slowdown);
  object["utilisation"] = summary.utilisation;
  object["makespan_seconds"] = summary.makespan.to_seconds();
  object["backfilled_share"] = summary.backfilled_share;
  object[fmt::format("{}_hours_held", unit)] = summary.held.value;
  object[fmt::format("{}_hours_killed", unit)] = summary.killed.value;
}

void add_record_metrics(json::object& object, std::span<const emul::JobRecord> jobs,
                        const emul::Horizon& horizon, const emul::Announcements& announcements,
                        std::string_view unit) {
  add_summary(object, emul::summarise(jobs, horizon), unit);
  object["loss_of_capacity"] = loss_of_capacity(jobs, horizon);
  object["classes"] = classes_of(jobs);
  if (!announcements.empty()) object["prediction"] = predictions_of(jobs, announcements);
}

}  // namespace tenure::report
