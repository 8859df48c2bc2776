// Durations (RFC 23) and saturating time beyond the vectors of the RFC.
#include "base/time.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace tenure {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST(Fsd, ReadsDecimalsExactly) {
  // 1.1 * 3600 is 3960.0000000000005 in doubles.
  EXPECT_EQ(*parse_fsd("1.1h"), Duration::seconds(3960));
  EXPECT_EQ(*parse_fsd("0.7d"), Duration::seconds(60'480));
  EXPECT_EQ(*parse_fsd("9007199254.740993"), Duration::microseconds(9'007'199'254'740'993));
  EXPECT_EQ(*parse_fsd("0.0000001s"), Duration::microseconds(1));
  EXPECT_EQ(*parse_fsd("1.0000001ms"), Duration::microseconds(1001));
}

TEST(Fsd, ReadsEveryFormOfStrtod) {
  EXPECT_EQ(*parse_fsd("1e3"), Duration::seconds(1000));
  EXPECT_EQ(*parse_fsd("1.5E-3s"), Duration::microseconds(1500));
  EXPECT_EQ(*parse_fsd("0x10"), Duration::seconds(16));
  EXPECT_EQ(*parse_fsd("0x1p-1m"), Duration::seconds(30));
  EXPECT_EQ(*parse_fsd(".5h"), Duration::seconds(1800));
  EXPECT_EQ(*parse_fsd("5."), Duration::seconds(5));
  EXPECT_EQ(*parse_fsd("1e-9"), Duration::microseconds(1));
  EXPECT_EQ(*parse_fsd("0.00000000000000000000001"), Duration::microseconds(1));
  EXPECT_TRUE(parse_fsd("iNfInItY")->is_infinite());
  EXPECT_TRUE(parse_fsd("1e400d")->is_infinite());
  EXPECT_TRUE(parse_fsd("999999999999999999d")->is_infinite());
}

TEST(Fsd, RefusesSignsSuffixesOfInfinityAndRests) {
  using std::string_view_literals::operator""sv;
  for (const auto text :
       {"-0"sv, "+5"sv, "\t5"sv, "5 "sv, "infd"sv, "infinit"sv, "i"sv, "NAN"sv, "nan(1)"sv, "."sv,
        "1.2.3"sv, "1,5"sv, "1H"sv, "1min"sv, "5s\0"sv, "1\0s"sv, "e5"sv, "--5"sv}) {
    EXPECT_FALSE(parse_fsd(text)) << text;
  }
  EXPECT_EQ(parse_fsd("2w").error(),
            (Error{ErrorCode::invalid,
                   "'2w' is not a duration: a number with an optional ms, s, m, h or d"}));
}

TEST(Fsd, IsWrittenInTheLargestUnitOfOneDecimal) {
  EXPECT_EQ(format_fsd(Duration::seconds(5400)), "1.5h");
  EXPECT_EQ(format_fsd(Duration::seconds(90)), "1.5m");
  EXPECT_EQ(format_fsd(Duration::seconds(61)), "61s");
  EXPECT_EQ(format_fsd(Duration::seconds(172'800)), "2d");
  EXPECT_EQ(format_fsd(Duration::microseconds(250'000)), "250ms");
  EXPECT_EQ(format_fsd(Duration::microseconds(61'250'000)), "61.25s");
  EXPECT_EQ(format_fsd(Duration::microseconds(5)), "0.000005s");
  EXPECT_EQ(format_fsd(Duration::microseconds(-1'250'000)), "-1.25s");
  EXPECT_EQ(format_fsd(Duration::microseconds(-5)), "-0.000005s");
  EXPECT_EQ(format_fsd(Duration::zero()), "0s");
  EXPECT_EQ(format_fsd(Duration::infinite()), "inf");
}

TEST(Time, IsWrittenInSecondsWithNothingLostAndNothingAdded) {
  EXPECT_EQ(format_seconds(Time::seconds(1'000'001'000)), "1000001000");
  EXPECT_EQ(format_seconds(Time::microseconds(1'000'250'000)), "1000.25");
  EXPECT_EQ(format_seconds(Time::microseconds(9'007'199'254'740'993)), "9007199254.740993");
  EXPECT_EQ(format_seconds(Time()), "0");
  EXPECT_EQ(format_seconds(Time::never()), "never");
}

RC_GTEST_PROP(Fsd, ReadsBackWhatItWrites, ()) {
  const auto unit = *rc::gen::element<std::int64_t>(1, 1000, 100'000, 1'000'000, 6'000'000,
                                                    360'000'000, 86'400'000'000);
  const auto number = *rc::gen::inRange<std::int64_t>(0, kMax / unit);
  const auto duration = Duration::microseconds(number * unit);
  const auto read = parse_fsd(format_fsd(duration));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == duration);
}

RC_GTEST_PROP(Duration, IsTheSmallestThatIsNotShorterThanAsked, ()) {
  const auto exponent = *rc::gen::inRange(-40, 43);
  const auto mantissa = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 52);
  const double seconds = std::ldexp(static_cast<double>(mantissa), exponent - 52);
  const auto duration = Duration::from_seconds(seconds);
  RC_ASSERT(duration.has_value());
  RC_ASSERT(duration->to_seconds() >= seconds);
  RC_ASSERT(duration->count() > 0);
  RC_ASSERT(static_cast<double>(duration->count() - 1) / 1e6 < seconds);
}

TEST(Duration, RefusesWhatIsNoNumberOfSeconds) {
  for (const double seconds : {-1.0, -1e-300, std::nan(""), -HUGE_VAL}) {
    const auto duration = Duration::from_seconds(seconds);
    ASSERT_FALSE(duration);
    EXPECT_EQ(duration.error().code, ErrorCode::invalid);
  }
  EXPECT_EQ(Duration::from_seconds(-1).error().message, "-1 is not a duration: 0 or more seconds");
  EXPECT_EQ(Duration::from_seconds(-0.0)->count(), 0);
  EXPECT_TRUE(Duration::from_seconds(HUGE_VAL)->is_infinite());
}

TEST(Time, RoundsToTheNearestMicrosecond) {
  EXPECT_EQ(Time::from_seconds(1'700'000'000.25)->count(), 1'700'000'000'250'000);
  EXPECT_EQ(Time::from_seconds(1'700'000'000.1)->count(), 1'700'000'000'100'000);
  EXPECT_EQ(Time::from_seconds(4e-7)->count(), 0);
  EXPECT_EQ(Time::from_seconds(6e-7)->count(), 1);
  for (const double seconds : {-1.0, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_FALSE(Time::from_seconds(seconds)) << seconds;
  }
}

RC_GTEST_PROP(Time, ArithmeticIsThatOfWideIntegersClampedToTheRange,
              (std::int64_t a, std::int64_t b)) {
  // Half of the samples near the ends of the range, where overflow is.
  if (*rc::gen::arbitrary<bool>()) a = kMax - std::abs(a % 1000);
  if (*rc::gen::arbitrary<bool>()) b = kMin + std::abs(b % 1000);
  __extension__ using Wide = __int128;
  const auto clamped = [](Wide wide) {
    return static_cast<std::int64_t>(std::clamp<Wide>(wide, kMin, kMax));
  };
  const Time t = Time::microseconds(a);
  const Duration d = Duration::microseconds(b);
  RC_ASSERT((t + d).count() == (a == kMax || b == kMax ? kMax : clamped(Wide{a} + b)));
  RC_ASSERT((t - d).count() == (a == kMax ? kMax : clamped(Wide{a} - b)));
  RC_ASSERT((Duration::microseconds(a) - d).count() == (t - d).count());
  const std::int64_t difference = a == kMax ? kMax : b == kMax ? kMin : clamped(Wide{a} - b);
  RC_ASSERT((t - Time::microseconds(b)).count() == difference);
}

TEST(Span, IsHalfOpen) {
  const Span first{Time::seconds(0), Time::seconds(10)};
  EXPECT_TRUE(first.contains(Time::seconds(0)));
  EXPECT_FALSE(first.contains(Time::seconds(10)));
  EXPECT_FALSE(first.overlaps({Time::seconds(10), Time::seconds(20)}));
  EXPECT_TRUE(first.overlaps({Time::seconds(9), Time::seconds(20)}));
  EXPECT_FALSE(first.overlaps({Time::seconds(5), Time::seconds(5)}));
}

}  // namespace
}  // namespace tenure
