#include "report/series.hpp"

#include <algorithm>
#include <cmath>

#include "report/result.hpp"

namespace tenure::report {
namespace {

namespace json = boost::json;

json::array rounded(const std::vector<double>& values) {
  json::array array;
  array.reserve(values.size());
  for (const double value : values) array.push_back(std::round(value * 1000) / 1000 + 0.0);
  return array;
}

}  // namespace

BinnedSum::BinnedSum(Span span) : span_(span) {
  if (span_.empty()) return;
  parts_.resize(kSeriesBins);
  steps_.resize(kSeriesBins + 1);
}

double BinnedSum::place(Time time) const {
  const double part = (time - span_.start).to_seconds() / (span_.end - span_.start).to_seconds();
  return part * static_cast<double>(kSeriesBins);
}

void BinnedSum::add(Span when, double weight) {
  when.start = std::max(when.start, span_.start);
  when.end = std::min(when.end, span_.end);
  if (parts_.empty() || when.empty()) return;
  const double from = place(when.start);
  const double to = place(when.end);
  const auto first = std::min(static_cast<std::size_t>(from), kSeriesBins - 1);
  const auto last = std::min(static_cast<std::size_t>(to), kSeriesBins - 1);
  if (first == last) {
    parts_[first] += weight * (to - from);
    return;
  }
  parts_[first] += weight * (static_cast<double>(first + 1) - from);
  parts_[last] += weight * (to - static_cast<double>(last));
  steps_[first + 1] += weight;
  steps_[last] -= weight;
}

std::vector<double> BinnedSum::means() const {
  std::vector<double> means(parts_.size());
  double level = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    level += steps_[i];
    means[i] = std::max(0.0, level + parts_[i]);
  }
  return means;
}

json::object series_of(std::span<const emul::JobRecord> jobs, Span span, Time origin) {
  BinnedSum busy(span);
  BinnedSum waiting(span);
  BinnedSum waiting_units(span);
  for (const emul::JobRecord& job : jobs) {
    const auto units = static_cast<double>(job.units);
    if (job.start) busy.add({*job.start, job.finish.value_or(span.end)}, units);
    if (!job.start && job.outcome != emul::Outcome::waiting) continue;
    const Span wait{job.submit, job.start.value_or(span.end)};
    waiting.add(wait, 1);
    waiting_units.add(wait, units);
  }
  const double step = span.empty() ? 0 : (span.end - span.start).to_seconds() / kSeriesBins;
  return json::object{{"begin", seconds_of(span.start, origin)},
                      {"step", step},
                      {"busy_units", rounded(busy.means())},
                      {"waiting_jobs", rounded(waiting.means())},
                      {"waiting_units", rounded(waiting_units.means())}};
}

}  // namespace tenure::report
