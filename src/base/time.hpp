// Time and Duration: integer microseconds that saturate.
//
// Invariants
//  1. Time is microseconds since the Unix epoch (UTC); daylight saving does not exist here.
//  2. Spans are half open, [start, end).
//  3. Arithmetic saturates at the infinities and infinity absorbs: t + infinite == never().
//  4. Conversion of a positive number of seconds to a Duration rounds up to the next
//     microsecond, so that 1e-9 s is 1 us and nothing is planned shorter than asked.
//  5. Conversion of an epoch time rounds to the nearest microsecond: a double near
//     2e9 cannot hold more.
//
// All operations are O(1). Sources: RFC 20 (times), RFC 23 (durations).
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tenure {

class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration microseconds(std::int64_t us) { return Duration(us); }
  static constexpr Duration seconds(std::int64_t s);
  static constexpr Duration zero() { return Duration(0); }
  static constexpr Duration infinite() { return Duration(kInfinity); }

  /// From seconds, rounded up to a microsecond; beyond the range it is infinite.
  /// Errors: `invalid` for NaN and for negative values, the text holds the value.
  static Result<Duration> from_seconds(double seconds);

  constexpr std::int64_t count() const { return us_; }
  constexpr bool is_infinite() const { return us_ == kInfinity; }
  double to_seconds() const;  ///< infinity becomes the floating-point infinity

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b);
  friend constexpr Duration operator-(Duration a, Duration b);

 private:
  friend class Time;
  static constexpr std::int64_t kInfinity = std::numeric_limits<std::int64_t>::max();
  constexpr explicit Duration(std::int64_t us) : us_(us) {}

  std::int64_t us_ = 0;
};

class Time {
 public:
  constexpr Time() = default;  ///< the epoch, which Flux reads as "unset"
  static constexpr Time microseconds(std::int64_t us) { return Time(us); }
  static constexpr Time seconds(std::int64_t s) { return Time() + Duration::seconds(s); }
  static constexpr Time never() { return Time(kInfinity); }

  /// From seconds since the epoch, to the nearest microsecond; beyond the range: never().
  /// Errors: `invalid` for NaN, infinities and negative values, the text holds the value.
  static Result<Time> from_seconds(double seconds);

  constexpr std::int64_t count() const { return us_; }
  constexpr bool is_never() const { return us_ == kInfinity; }
  double to_seconds() const;

  friend constexpr auto operator<=>(Time, Time) = default;
  friend constexpr Time operator+(Time t, Duration d);
  friend constexpr Time operator-(Time t, Duration d);
  /// Exact difference; infinite when `a` is never().
  friend constexpr Duration operator-(Time a, Time b);

 private:
  static constexpr std::int64_t kInfinity = std::numeric_limits<std::int64_t>::max();
  constexpr explicit Time(std::int64_t us) : us_(us) {}

  std::int64_t us_ = 0;
};

/// A half-open span of time [start, end); empty when end <= start.
struct Span {
  Time start;
  Time end;

  constexpr bool empty() const { return end <= start; }
  constexpr bool contains(Time t) const { return start <= t && t < end; }
  constexpr bool overlaps(Span other) const {
    return start < other.end && other.start < end && !empty() && !other.empty();
  }
  friend constexpr bool operator==(Span, Span) = default;
};

/// Parses a Flux Standard Duration (RFC 23): "30", "1.5h", "250ms", "inf". The number is in
/// any form of C99 strtod, but without a sign: + and - in front of a duration mean "relative"
/// and belong to the caller. A plain decimal is read exactly ("1.1h" is 66 minutes to the
/// microsecond), other forms as a double; both round up to a microsecond.
/// Errors: `invalid` with the text and the accepted suffixes. O(length).
Result<Duration> parse_fsd(std::string_view text);

/// The exact FSD in the largest unit that needs at most one decimal (milliseconds only below a
/// second), else in seconds: "1.5h",
/// 90 s -> "1.5m", "61.25s", "inf". parse_fsd(format_fsd(d)) == d for every d >= 0.
std::string format_fsd(Duration duration);

/// The seconds since the epoch in decimals, exactly and without an exponent or trailing zeros:
/// "1000001000", "1000.25"; "never" for never().
std::string format_seconds(Time time);

namespace detail {

constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  if (a == kMax || b == kMax) return kMax;
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? kMax : kMin;
  return sum;
}

/// Infinity minus anything is infinity, as for saturating_add.
constexpr std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  if (a == kMax) return kMax;
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) return b < 0 ? kMax : kMin;
  return difference;
}

}  // namespace detail

constexpr Duration Duration::seconds(std::int64_t s) {
  std::int64_t us = 0;
  if (__builtin_mul_overflow(s, std::int64_t{1000000}, &us)) {
    return s > 0 ? infinite() : Duration(std::numeric_limits<std::int64_t>::min());
  }
  return Duration(us);
}

constexpr Duration operator+(Duration a, Duration b) {
  return Duration(detail::saturating_add(a.us_, b.us_));
}

constexpr Duration operator-(Duration a, Duration b) {
  return Duration(detail::saturating_subtract(a.us_, b.us_));
}

constexpr Time operator+(Time t, Duration d) {
  return Time(detail::saturating_add(t.us_, d.count()));
}

constexpr Time operator-(Time t, Duration d) {
  return Time(detail::saturating_subtract(t.us_, d.count()));
}

constexpr Duration operator-(Time a, Time b) {
  if (b.is_never() && !a.is_never()) {
    return Duration::microseconds(std::numeric_limits<std::int64_t>::min());
  }
  return Duration::microseconds(detail::saturating_subtract(a.us_, b.us_));
}

}  // namespace tenure
