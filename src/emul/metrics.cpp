#include "emul/metrics.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace tenure::emul {
namespace {

/// Microseconds times units. 64 bits of mantissa hold every sum that occurs exactly, where
/// long double has them; elsewhere the error is far below what is printed.
using Work = long double;

constexpr long double kMicrosecondsInHour = 3.6e9L;

Work work_of(std::uint64_t units, Duration held) {
  return static_cast<Work>(units) * static_cast<Work>(held.count());
}

UnitHours hours(Work work) { return {static_cast<double>(work / kMicrosecondsInHour)}; }

double nearest_rank(const std::vector<double>& ascending, double quantile) {
  const auto n = static_cast<double>(ascending.size());
  const auto rank = static_cast<std::size_t>(std::ceil(quantile * n));
  return ascending[std::clamp<std::size_t>(rank, 1, ascending.size()) - 1];
}

/// How long a started job has held its resources.
Duration held_time(const JobRecord& job, Time stopped) {
  return job.finish.value_or(stopped) - *job.start;
}

double bounded_slowdown(const JobRecord& job) {
  const Duration run = *job.finish - *job.start;
  const double turnaround = (*job.finish - job.submit).to_seconds();
  return std::max(1.0, turnaround / std::max(run, kSlowdownThreshold).to_seconds());
}

JobCounts count_jobs(std::span<const JobRecord> jobs) {
  JobCounts counts;
  for (const JobRecord& job : jobs) {
    if (job.outcome != Outcome::unsubmitted) ++counts.submitted;
    if (job.outcome == Outcome::done) ++counts.done;
    if (job.outcome == Outcome::killed) ++counts.killed;
    if (job.outcome == Outcome::refused) ++counts.refused;
    if (job.outcome == Outcome::canceled) ++counts.canceled;
    if (job.outcome == Outcome::running) ++counts.running;
    if (job.outcome == Outcome::waiting) ++counts.waiting;
    if (!job.start) continue;
    ++counts.started;
    if (job.selection == plan::Selection::backfilled) ++counts.backfilled;
  }
  return counts;
}

/// From the first submission to the end of the last job, or to the stop if jobs still run
/// or wait.
Duration makespan_of(std::span<const JobRecord> jobs, const Horizon& horizon) {
  Time first = Time::never();
  Time last;
  for (const JobRecord& job : jobs) {
    if (job.outcome == Outcome::unsubmitted) continue;
    first = std::min(first, job.submit);
    if (job.finish) last = std::max(last, *job.finish);
    const bool goes_on = job.outcome == Outcome::running || job.outcome == Outcome::waiting;
    if (goes_on) last = std::max(last, horizon.stopped);
  }
  return first < last ? last - first : Duration::zero();
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::unsubmitted:
      return "unsubmitted";
    case Outcome::waiting:
      return "waiting";
    case Outcome::running:
      return "running";
    case Outcome::done:
      return "done";
    case Outcome::killed:
      return "killed";
    case Outcome::refused:
      return "refused";
    case Outcome::canceled:
      return "canceled";
  }
  CHECK(false, "no such outcome");
}

Distribution distribution_of(std::vector<double> sample) {
  Distribution result;
  result.count = sample.size();
  if (sample.empty()) return result;
  std::ranges::sort(sample);
  long double sum = 0;
  for (const double value : sample) sum += value;
  result.mean = static_cast<double>(sum / static_cast<long double>(sample.size()));
  result.median = nearest_rank(sample, 0.5);
  result.p95 = nearest_rank(sample, 0.95);
  result.max = sample.back();
  return result;
}

Summary summarise(std::span<const JobRecord> jobs, const Horizon& horizon) {
  Summary summary;
  summary.jobs = count_jobs(jobs);
  summary.makespan = makespan_of(jobs, horizon);
  std::vector<double> waits;
  std::vector<double> turnarounds;
  std::vector<double> plain_slowdowns;
  std::vector<double> slowdowns;
  Work held = 0;
  Work lost = 0;
  for (const JobRecord& job : jobs) {
    if (!job.start) continue;
    waits.push_back((*job.start - job.submit).to_seconds());
    const Work work = work_of(job.units, held_time(job, horizon.stopped));
    held += work;
    if (job.outcome == Outcome::killed) lost += work;
    if (!job.finish) continue;
    slowdowns.push_back(bounded_slowdown(job));
    const double turnaround = (*job.finish - job.submit).to_seconds();
    turnarounds.push_back(turnaround);
    const double run = (*job.finish - *job.start).to_seconds();
    if (run > 0) plain_slowdowns.push_back(turnaround / run);
  }
  summary.wait = distribution_of(std::move(waits));
  summary.turnaround = distribution_of(std::move(turnarounds));
  summary.slowdown = distribution_of(std::move(plain_slowdowns));
  summary.bounded_slowdown = distribution_of(std::move(slowdowns));
  summary.held = hours(held);
  summary.killed = hours(lost);
  const Work offered = work_of(horizon.units, summary.makespan);
  if (offered > 0) summary.utilisation = static_cast<double>(held / offered);
  if (summary.jobs.started > 0) {
    summary.backfilled_share =
        static_cast<double>(summary.jobs.backfilled) / static_cast<double>(summary.jobs.started);
  }
  return summary;
}

ExtensionEffect effect_of(std::span<const JobRecord> jobs) {
  ExtensionEffect effect;
  Work not_lost = 0;
  Work added = 0;
  Work lost = 0;
  for (const JobRecord& job : jobs) {
    if (!job.start) continue;
    if (job.outlasts_limit()) ++effect.outlasting;
    if (job.extensions == 0) continue;
    ++effect.extended;
    if (!job.finish) continue;
    const Duration held = *job.finish - *job.start;
    if (held > job.walltime) added += work_of(job.units, held - job.walltime);
    if (job.outcome == Outcome::killed) {
      ++effect.killed;
      lost += work_of(job.units, held);
    } else if (held > job.walltime) {
      ++effect.saved;
      not_lost += work_of(job.units, job.walltime);
    }
  }
  effect.not_lost = hours(not_lost);
  effect.added = hours(added);
  effect.lost_anyway = hours(lost);
  return effect;
}

StartShift compare_starts(std::span<const JobRecord> jobs, std::span<const JobRecord> baseline) {
  CHECK(jobs.size() == baseline.size(), "{} jobs against {}", jobs.size(), baseline.size());
  StartShift shift;
  std::vector<double> delays;
  std::vector<double> advances;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto here = jobs[i].start;
    const auto there = baseline[i].start;
    if (here && !there) ++shift.only_here;
    if (there && !here) ++shift.only_there;
    if (!here || !there) continue;
    if (*here > *there) delays.push_back((*here - *there).to_seconds());
    if (*here < *there) advances.push_back((*there - *here).to_seconds());
    if (*here == *there) ++shift.same;
  }
  shift.later = delays.size();
  shift.earlier = advances.size();
  shift.delay = distribution_of(std::move(delays));
  shift.advance = distribution_of(std::move(advances));
  return shift;
}

}  // namespace tenure::emul
