#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

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

constexpr Unit kSecond{"s", 1'000'000};

const Unit* find_unit(std::string_view suffix) {
  for (const Unit& unit : kUnits) {
    if (unit.suffix == suffix) return &unit;
  }
  return nullptr;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "inf" and "infinity" in any case: the only words that strtod reads as a number.
bool is_infinity(std::string_view text) { return text.front() == 'i' || text.front() == 'I'; }

/// Microseconds as seconds, without trailing zeros.
std::string decimal_seconds(std::int64_t count) {
  std::string text =
      fmt::format("{}{}.{:06}", count < 0 ? "-" : "", std::abs(count / kSecond.microseconds),
                  std::abs(count % kSecond.microseconds));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

__extension__ using Wide = unsigned __int128;

/// DIGITS[.DIGITS] units in microseconds, rounded up, without passing through a double: in
/// doubles, 1.1 * 3600 is more than 3960. Nothing for other forms and more than 19 digits.
std::optional<std::int64_t> exact_decimal(std::string_view digits, std::int64_t unit) {
  std::uint64_t mantissa = 0;
  std::uint64_t divisor = 1;
  bool after_point = false;
  for (const char c : digits) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!is_digit(c)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (__builtin_mul_overflow(mantissa, std::uint64_t{10}, &mantissa) ||
        __builtin_add_overflow(mantissa, digit, &mantissa) ||
        (after_point && __builtin_mul_overflow(divisor, std::uint64_t{10}, &divisor))) {
      return std::nullopt;
    }
  }
  const Wide scaled = Wide{mantissa} * static_cast<Wide>(unit);
  const Wide count = (scaled + divisor - 1) / divisor;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  return count > static_cast<Wide>(kMax) ? kMax : static_cast<std::int64_t>(count);
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
  // The smallest count that is not shorter than asked, as a double sees it. The product is
  // off by less than one in 2^52 of itself, so the count lies between these two.
  const double slack = scaled * 0x1p-51 + 2;
  auto low = static_cast<std::int64_t>(std::max(0.0, scaled - slack));
  auto high = static_cast<std::int64_t>(scaled + slack);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (static_cast<double>(middle) / kMicrosecondsPerSecond < seconds) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return Duration(low);
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
  const auto refuse = [&] {
    return failure(ErrorCode::invalid,
                   "{} is not a duration: a number with an optional ms, s, m, h or d",
                   in_quotes(text));
  };
  const bool starts_a_number =
      !text.empty() && (is_digit(text.front()) || text.front() == '.' || is_infinity(text));
  if (!starts_a_number) return refuse();
  const std::string copy(text);  // strtod wants a terminator
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - copy.c_str()));
  const std::string_view suffix = text.substr(digits.size());
  if (digits.empty() || std::isnan(number)) return refuse();
  const Unit* unit = suffix.empty() ? &kSecond : find_unit(suffix);
  if (unit == nullptr || (is_infinity(digits) && !suffix.empty())) return refuse();
  if (const auto exact = exact_decimal(digits, unit->microseconds)) {
    return Duration::microseconds(*exact);
  }
  return Duration::from_seconds(number * static_cast<double>(unit->microseconds) /
                                kMicrosecondsPerSecond);
}

std::string format_fsd(Duration duration) {
  if (duration.is_infinite()) return "inf";
  const std::int64_t count = duration.count();
  if (count == 0) return "0s";
  for (const Unit& unit : kUnits) {
    // One decimal is still shorter to read than the next smaller unit.
    if (count % (unit.microseconds / 10) != 0 || count / unit.microseconds == 0) continue;
    if (unit.microseconds < kSecond.microseconds && count / kSecond.microseconds != 0) break;
    const std::int64_t tenths = count / (unit.microseconds / 10);
    if (tenths % 10 == 0) return fmt::format("{}{}", tenths / 10, unit.suffix);
    return fmt::format("{}.{}{}", tenths / 10, std::abs(tenths % 10), unit.suffix);
  }
  return decimal_seconds(count) + "s";
}

std::string format_seconds(Time time) {
  return time.is_never() ? "never" : decimal_seconds(time.count());
}

}  // namespace tenure
