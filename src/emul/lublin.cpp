#include "emul/lublin.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <numeric>
#include <utility>

namespace tenure::emul {
namespace {

constexpr std::size_t kHalfHours = 48;
constexpr double kSecondsInHalfHour = 1800;
/// The half hour of the day with which the daily distribution begins (05:30).
constexpr std::size_t kFirstHalfHour = 11;
/// Draws of one value after which its bound counts instead.
constexpr int kMaxDraws = 1000;

/// Walltimes are no longer than a trace may say.
constexpr double kLongestWalltime = 1e9;

class Model {
 public:
  explicit Model(const LublinOptions& options)
      : of_(options.parameters),
        random_(options.seed),
        u_high_(std::log2(static_cast<double>(options.machine.nodes) *
                          static_cast<double>(options.machine.cores_per_node))),
        weights_(daily_weights(options.parameters)) {}

  std::int64_t size() {
    if (uniform() < of_.serial || u_high_ <= of_.u_low) return 1;
    const double middle = std::max(of_.u_low, u_high_ - of_.u_med_below_high);
    const bool first = uniform() < of_.u_first;
    const double low = first ? of_.u_low : middle;
    const double high = first ? middle : u_high_;
    double u = low + (high - low) * uniform();
    // `power_of_two` counts all jobs; here only those that are not serial are left.
    if (uniform() < of_.power_of_two / (1.0 - of_.serial)) u = std::floor(u + 0.5);
    return static_cast<std::int64_t>(std::floor(std::exp2(std::min(u, u_high_)) + 0.5));
  }

  std::int64_t runtime(std::int64_t size) {
    const double p = std::clamp(of_.p_slope * static_cast<double>(size) + of_.p_base, 0.0, 1.0);
    const bool is_short = uniform() < p;
    const double log_runtime = is_short ? bounded_gamma({of_.a1, of_.b1}, of_.longest_log_runtime)
                                        : bounded_gamma({of_.a2, of_.b2}, of_.longest_log_runtime);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::exp(log_runtime)));
  }

  /// Seconds since the start of the trace, not descending.
  std::int64_t next_arrival() {
    const double gap = std::exp(
        bounded_gamma({of_.a_arrival * of_.rush_to_all, of_.b_arrival}, of_.longest_log_gap));
    work_ += gap / kSecondsInHalfHour;
    while (work_ > weights_[half_hour_ % kHalfHours]) {
      work_ -= weights_[half_hour_ % kHalfHours];
      ++half_hour_;
    }
    const double within = work_ / weights_[half_hour_ % kHalfHours];
    return static_cast<std::int64_t>((static_cast<double>(half_hour_) + within) *
                                     kSecondsInHalfHour);
  }

 private:
  struct Gamma {
    double shape;
    double scale;
  };

  /// Arrivals in each half hour of the day, relative to the mean of all.
  static std::array<double, kHalfHours> daily_weights(const LublinParameters& of) {
    std::array<double, kHalfHours> weights{};
    for (std::size_t i = kFirstHalfHour; i < kFirstHalfHour + kHalfHours; ++i) {
      const double middle = static_cast<double>(i);
      weights[i % kHalfHours] = boost::math::gamma_p(of.a_daily, (middle + 0.5) / of.b_daily) -
                                boost::math::gamma_p(of.a_daily, (middle - 0.5) / of.b_daily);
    }
    const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / kHalfHours;
    for (double& weight : weights) weight /= mean;
    return weights;
  }

  double uniform() { return uniform_(random_); }

  /// Drawn again while it exceeds the bound.
  double bounded_gamma(Gamma gamma, double bound) {
    boost::random::gamma_distribution<double> draw(gamma.shape, gamma.scale);
    for (int i = 0; i < kMaxDraws; ++i) {
      if (const double value = draw(random_); value <= bound) return value;
    }
    return bound;
  }

  LublinParameters of_;
  boost::random::mt19937_64 random_;
  boost::random::uniform_01<double> uniform_;
  double u_high_;
  std::array<double, kHalfHours> weights_;
  std::uint64_t half_hour_ = 0;  ///< since the start of the trace
  double work_ = 0;              ///< arrivals of the present half hour that have passed
};

/// Draws walltimes.
class Limits {
 public:
  explicit Limits(const LublinOptions& options) : of_(&options), random_(~options.seed) {}

  std::int64_t walltime(std::int64_t runtime) {
    const auto needed = static_cast<double>(runtime);
    if (uniform_(random_) < of_->too_short) {
      const double part = 0.5 + 0.5 * uniform_(random_);
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(needed * part));
    }
    const double asked = std::ceil(needed * of_->overestimate);
    return static_cast<std::int64_t>(std::min(asked, kLongestWalltime));
  }

 private:
  const LublinOptions* of_;
  boost::random::mt19937_64 random_;
  boost::random::uniform_01<double> uniform_;
};

Result<void> check(const LublinOptions& options) {
  if (options.jobs < 1 || options.jobs > kMaxWorkloadJobs) {
    return failure(ErrorCode::invalid, "jobs: {} is not from 1 to {}", options.jobs,
                   kMaxWorkloadJobs);
  }
  if (!std::isfinite(options.overestimate) || options.overestimate < 1) {
    return failure(ErrorCode::invalid, "overestimate: {} is not a factor of at least 1",
                   options.overestimate);
  }
  if (!(options.too_short >= 0 && options.too_short <= 1)) {
    return failure(ErrorCode::invalid, "too-short: {} is not a share from 0 to 1",
                   options.too_short);
  }
  return {};
}

}  // namespace

Result<Workload> generate_lublin(const LublinOptions& options) {
  if (auto checked = check(options); !checked) return checked.error();
  Model model(options);
  Limits limits(options);
  WorkloadBuilder builder;
  for (std::size_t i = 0; i < options.jobs; ++i) {
    SwfJob job;
    job.values.fill(-1);
    job[SwfField::number] = static_cast<std::int64_t>(i) + 1;
    job[SwfField::submit] = model.next_arrival();
    job[SwfField::requested_procs] = model.size();
    job[SwfField::runtime] = model.runtime(job[SwfField::requested_procs]);
    job[SwfField::requested_time] = limits.walltime(job[SwfField::runtime]);
    job[SwfField::status] = 1;
    builder.add(job);
  }
  return std::move(builder).build("lublin", SwfHeader{});
}

}  // namespace tenure::emul
