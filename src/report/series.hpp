// Series: use of the machine and length of the queue over time, for charts.
//
// The span is cut into at most kSeriesBins equal bins; a value is the exact mean over its bin,
// so that nothing that happened between two points is lost from the sums.
//
// O(1) a job, O(bins) at the end.
#pragma once

#include <boost/json.hpp>

#include <cstddef>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "emul/job_record.hpp"

namespace tenure::report {

inline constexpr std::size_t kSeriesBins = 1000;

/// Means of a sum of weights over the bins of a span.
class BinnedSum {
 public:
  explicit BinnedSum(Span span);
  /// `weight` holds throughout `when`; what lies outside of the span is left out.
  void add(Span when, double weight);
  std::vector<double> means() const;

 private:
  double place(Time time) const;

  Span span_;
  std::vector<double> parts_;  ///< in a bin alone, in bins
  std::vector<double> steps_;  ///< from this bin on
};

/// {"begin", "step", "busy_units", "waiting_jobs", "waiting_units"}; times from `origin`.
boost::json::object series_of(std::span<const emul::JobRecord> jobs, Span span, Time origin);

}  // namespace tenure::report
