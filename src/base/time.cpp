#include "base/time.hpp"

#include <array>
#include <cmath>
#include <cstdlib>

namespace tenure {

namespace {

constexpr double kMicrosecondsPerSecond = 1e6;
/// Doubles at and above this do not fit a count of microseconds.
constexpr double kMaxMicroseconds = 9.2e18;

struct Unit {
  std::string_view suffix;
  std::int64_t microseconds;
};

// Largest first: format_fsd takes the first that divides without loss.
constexpr std::array<Unit, 5> kUnits{{{"d", 86'400'000'000},
                                      {"h", 3'600'000'000},
                                      {"m", 60'000'000},
                                      {"s", 1'000'000},
                                      {"ms", 1'000}}};

const Unit* find_unit(std::string_view suffix) {
  for (const Unit& unit : kUnits) {
    if (unit.suffix == suffix) return &unit;
  }
  return nullptr;
}

}  // namespace

double Duration::to_seconds() const {
  if (is_infinite()) return std::numeric_limits<double>::infinity();
  return static_cast<double>(us_) / kMicrosecondsPerSecond;
}

double Time::to_seconds() const {
  if (is_never()) return std::numeric_limits<double>::infinity();
  return static_cast<double>(us_) / kMicrosecondsPerSecond;
}

Result<Duration> Duration::from_seconds(double seconds) {
  if (std::isnan(seconds) || seconds < 0) {
    return failure(ErrorCode::invalid, "{} is not a duration: 0 or more seconds", seconds);
  }
  const double scaled = seconds * kMicrosecondsPerSecond;
  if (scaled >= kMaxMicroseconds) return infinite();
  // The smallest count that is not shorter than asked, as a double sees it.
  auto count = static_cast<std::int64_t>(std::floor(scaled));
  if (count > 0) --count;
  while (static_cast<double>(count) / kMicrosecondsPerSecond < seconds) ++count;
  return Duration(count);
}

Result<Time> Time::from_seconds(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) {
    return failure(ErrorCode::invalid, "{} is not a time: 0 or more seconds since the epoch",
                   seconds);
  }
  const double scaled = seconds * kMicrosecondsPerSecond;
  if (scaled >= kMaxMicroseconds) return never();
  return Time(std::llround(scaled));
}

Result<Duration> parse_fsd(std::string_view text) {
  const std::string copy(text);
  const auto refuse = [&] {
    return failure(ErrorCode::invalid,
                   "'{}' is not a duration: a number with an optional ms, s, m, h or d", text);
  };
  if (copy.empty() || copy.front() == '-' || copy.front() == '+' ||
      std::isspace(static_cast<unsigned char>(copy.front())) != 0) {
    return refuse();
  }
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  const std::string_view suffix(end);
  const bool all_used = end + suffix.size() == copy.data() + copy.size();
  if (end == copy.c_str() || std::isnan(number) || !all_used) return refuse();
  if (std::isinf(number)) {
    // "inf" and its spellings take no suffix; a number too large for a double is infinite.
    const bool spelled = copy.front() == 'i' || copy.front() == 'I';
    if (spelled && !suffix.empty()) return refuse();
  }
  if (suffix.empty()) return Duration::from_seconds(number);
  const Unit* unit = find_unit(suffix);
  if (unit == nullptr) return refuse();
  return Duration::from_seconds(number * static_cast<double>(unit->microseconds) /
                                kMicrosecondsPerSecond);
}

std::string format_fsd(Duration duration) {
  if (duration.is_infinite()) return "inf";
  const std::int64_t count = duration.count();
  if (count == 0) return "0s";
  for (const Unit& unit : kUnits) {
    // A tenth of a unit is still shorter to read than the next smaller unit.
    if (count % (unit.microseconds / 10) != 0 || std::abs(count) < unit.microseconds) continue;
    const std::int64_t tenths = count / (unit.microseconds / 10);
    if (tenths % 10 == 0) return fmt::format("{}{}", tenths / 10, unit.suffix);
    return fmt::format("{}.{}{}", tenths / 10, std::abs(tenths % 10), unit.suffix);
  }
  return fmt::format("{}s", duration.to_seconds());
}

}  // namespace tenure
