// The test vectors of RFC 22, 23 and 29, as they stand in their texts, and RFC 19 job ids.
#include <gtest/gtest.h>

#include "base/hostlist.hpp"
#include "base/ids.hpp"
#include "base/idset.hpp"
#include "base/time.hpp"

namespace tenure {
namespace {

using Hosts = std::vector<std::string>;

TEST(Fsd, ReadsTheVectorsOfRfc23) {
  EXPECT_EQ(*parse_fsd("2ms"), Duration::microseconds(2000));
  EXPECT_EQ(*parse_fsd("0.1s"), Duration::microseconds(100'000));
  EXPECT_EQ(*parse_fsd("30"), Duration::seconds(30));
  EXPECT_EQ(*parse_fsd("1.2h"), Duration::seconds(4320));
  EXPECT_EQ(*parse_fsd("5m"), Duration::seconds(300));
  EXPECT_EQ(*parse_fsd("0s"), Duration::zero());
  EXPECT_EQ(*parse_fsd("5d"), Duration::seconds(432'000));
  for (const auto* text : {"inf", "INF", "infinity"}) {
    EXPECT_TRUE(parse_fsd(text)->is_infinite());
  }
}

TEST(Fsd, RefusesWhatIsNoDuration) {
  for (const auto* text : {"", "-1", "+1", "1x", "1 s", " 1", "nan", "infs", "s", "1h30m", "1S"}) {
    EXPECT_FALSE(parse_fsd(text)) << text;
  }
}

TEST(Duration, IsNeverShorterThanAskedAndNeverRoundedToZero) {  // T1
  for (const double seconds : {0.1, 1.0, 1.9, 1e-9, 59.999, 1e-6, 123456.789012}) {
    const auto duration = Duration::from_seconds(seconds);
    ASSERT_TRUE(duration);
    EXPECT_GE(duration->to_seconds(), seconds);
    EXPECT_LT(duration->to_seconds() - 1.1e-6, seconds);
  }
  EXPECT_EQ(Duration::from_seconds(0.1)->count(), 100'000);
  EXPECT_EQ(Duration::from_seconds(59.999)->count(), 59'999'000);
  EXPECT_TRUE(Duration::from_seconds(1e18)->is_infinite());
}

TEST(Time, ArithmeticSaturatesAtNever) {
  EXPECT_TRUE((Time::seconds(5) + Duration::infinite()).is_never());
  EXPECT_TRUE((Time::never() - Duration::seconds(5)).is_never());
  EXPECT_TRUE((Time::never() - Time::seconds(5)).is_infinite());
  EXPECT_TRUE(Time::from_seconds(1e18)->is_never());
}

TEST(Idset, ReadsAndWritesRfc22) {
  for (const auto* text : {"", "1", "1-2", "1-3,5-6,42", "0-4294967294"}) {
    EXPECT_EQ(Idset::parse(text)->to_string(), text);
  }
  EXPECT_EQ(Idset::parse("[1,2,3,5,6,42]")->to_string(), "1-3,5-6,42");
  for (const auto* text : {"2,1", "1,1", "01", "1-", "-1", "3-1", "1,", "[1", "1]", "a", "1 2",
                           "4294967295", "99999999999999999999"}) {
    EXPECT_FALSE(Idset::parse(text)) << text;
  }
}

TEST(Hostlist, ExpandsTheVectorsOfRfc29) {
  EXPECT_EQ(*parse_hostlist(""), Hosts{});
  EXPECT_EQ(*parse_hostlist("foox,fooy,fooz"), (Hosts{"foox", "fooy", "fooz"}));
  EXPECT_EQ(*parse_hostlist("[1-3,5-6]"), (Hosts{"1", "2", "3", "5", "6"}));
  EXPECT_EQ(*parse_hostlist("foo[1-5]"), (Hosts{"foo1", "foo2", "foo3", "foo4", "foo5"}));
  EXPECT_EQ(*parse_hostlist("foo[0-1]-eth2"), (Hosts{"foo0-eth2", "foo1-eth2"}));
  EXPECT_EQ(*parse_hostlist("foo1,foo1,foo1"), (Hosts{"foo1", "foo1", "foo1"}));
  EXPECT_EQ(*parse_hostlist("[00-02]"), (Hosts{"00", "01", "02"}));
  EXPECT_EQ(*parse_hostlist("[00-2]"), (Hosts{"00", "01", "02"}));
  EXPECT_EQ(*parse_hostlist("foo[1,1,2,1]"), (Hosts{"foo1", "foo1", "foo2", "foo1"}));
  EXPECT_EQ(*parse_hostlist("[005,4,11-13]"), (Hosts{"005", "004", "011", "012", "013"}));
}

TEST(Hostlist, KeepsWhatItCannotCompress) {  // S2
  for (const Hosts& hosts :
       {Hosts{"h4294967297", "h4294967298"}, Hosts{"ip-192-168-32-123.domain"},
        Hosts{"a01", "a02", "a3", "b", "b"}, Hosts{"x99999999999999999999999"}, Hosts{"9", "10"}}) {
    EXPECT_EQ(*parse_hostlist(format_hostlist(hosts)), hosts);
  }
  EXPECT_EQ(format_hostlist(Hosts{"n0", "n1", "n2", "n7"}), "n[0-2,7]");
}

TEST(Hostlist, RefusesBadAndHugeInput) {
  for (const auto* text :
       {"a[", "a]", "a[1-0]", "a[]", "a[x]", "a[1,]", "a[1]b[2]", "a b", "a\tb"}) {
    EXPECT_EQ(parse_hostlist(text).error().code, ErrorCode::invalid) << text;
  }
  EXPECT_EQ(parse_hostlist("a[0-99999999999]").error().code, ErrorCode::limit);
}

TEST(JobId, RoundTripsThroughEveryForm) {
  for (const std::uint64_t value : {0ULL, 1ULL, 57ULL, 58ULL, (1ULL << 53) + 1, (1ULL << 63) - 1}) {
    EXPECT_EQ(parse_job_id(format_f58(JobId(value)))->value(), value);
    EXPECT_EQ(parse_job_id(fmt::format("{}", value))->value(), value);
    EXPECT_EQ(parse_job_id(fmt::format("0x{:x}", value))->value(), value);
  }
  for (const auto* text : {"", "ƒ", "f0", "12x", "-1", "0x", "1.2"}) {
    EXPECT_FALSE(parse_job_id(text)) << text;
  }
}

}  // namespace
}  // namespace tenure
