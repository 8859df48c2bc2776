#include "emul/extend_rule.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace tenure::emul {
namespace {

constexpr std::uint32_t kMaxRequests = 1'000'000;
constexpr double kMaxPercent = 100'000;
constexpr std::int64_t kWhole = 100'000;  ///< 100 % in thousandths of a percent

constexpr std::string_view kForm = "parts such as lead=10m,amount=1h,max=3";

Result<Duration> parse_time(std::string_view part, std::string_view value) {
  auto duration = parse_fsd(value);
  if (!duration) return within(part, duration.error());
  if (duration->is_infinite()) {
    return failure(ErrorCode::invalid, "{}: '{}' is not a finite duration", part, value);
  }
  return *duration;
}

Result<std::int64_t> parse_percent(std::string_view value) {
  const auto percent = parse_number<double>(value.substr(0, value.size() - 1));
  if (!percent || !(*percent >= 0.001) || *percent > kMaxPercent) {
    return failure(ErrorCode::invalid, "amount: '{}' is not a percentage from 0.001% to {}%", value,
                   kMaxPercent);
  }
  return std::llround(*percent * 1000);
}

Result<void> set_amount(ExtendRule& rule, std::string_view value) {
  if (value.ends_with('%')) {
    const auto percent = parse_percent(value);
    if (!percent) return percent.error();
    rule.amount_millipercent = *percent;
    return {};
  }
  const auto amount = parse_time("amount", value);
  if (!amount) return amount.error();
  if (*amount == Duration::zero()) {
    return failure(ErrorCode::invalid, "amount: '{}' is not longer than 0", value);
  }
  rule.amount = *amount;
  return {};
}

Result<void> set_part(ExtendRule& rule, std::string_view name, std::string_view value) {
  if (name == "amount") return set_amount(rule, value);
  if (name == "lead") {
    const auto lead = parse_time("lead", value);
    if (!lead) return lead.error();
    rule.lead = *lead;
    return {};
  }
  if (name == "max") {
    const auto max = parse_number<std::uint32_t>(value);
    if (!max || *max < 1 || *max > kMaxRequests) {
      return failure(ErrorCode::invalid, "max: '{}' is not an integer from 1 to {}", value,
                     kMaxRequests);
    }
    rule.max = *max;
    return {};
  }
  return failure(ErrorCode::invalid, "unknown part '{}'; known are lead, amount and max", name);
}

}  // namespace

Duration ExtendRule::amount_for(Duration walltime) const {
  if (!amount_millipercent) return amount;
  const long double part = static_cast<long double>(walltime.count()) *
                           static_cast<long double>(*amount_millipercent) / kWhole;
  // 2^62 us are 146 000 years: saturating there keeps the conversion defined.
  const long double bounded = std::clamp(std::ceil(part), 1.0L, 4.6e18L);
  return Duration::microseconds(static_cast<std::int64_t>(bounded));
}

Result<ExtendRule> parse_extend_rule(std::string_view text) {
  ExtendRule rule;
  bool has_amount = false;
  std::string seen;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      return failure(ErrorCode::invalid, "'{}' is not NAME=VALUE; valid are {}", part, kForm);
    }
    const std::string_view name = part.substr(0, equals);
    if (auto set = set_part(rule, name, part.substr(equals + 1)); !set) return set.error();
    const std::string tag = fmt::format("{},", name);
    if (seen.find(tag) != std::string::npos) {
      return failure(ErrorCode::invalid, "'{}' is given twice", name);
    }
    seen += tag;
    has_amount = has_amount || name == "amount";
  }
  if (!has_amount) {
    return failure(ErrorCode::invalid, "'{}' says no amount; valid are {}", text, kForm);
  }
  return rule;
}

std::string describe(const ExtendRule& rule) {
  const std::string amount =
      rule.amount_millipercent ? fmt::format("{}% of the walltime",
                                             static_cast<double>(*rule.amount_millipercent) / 1000)
                               : format_fsd(rule.amount);
  return fmt::format("{} more, {} before the end, at most {} {}", amount, format_fsd(rule.lead),
                     rule.max, rule.max == 1 ? "time" : "times");
}

}  // namespace tenure::emul
