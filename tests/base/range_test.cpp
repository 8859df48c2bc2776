// Ranges (RFC 45) and counts (RFC 14): the forms of the RFC, and a naive list of counts.
#include "base/range.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace tenure {
namespace {

using Operator = CountRange::Operator;

/// The acceptable counts up to `limit`, one by one, as RFC 14 defines them.
std::vector<Count> list(const CountRange::Members& members, Count limit) {
  std::vector<Count> counts;
  for (Count count = members.min; count <= std::min(limit, members.max.value_or(limit));) {
    counts.push_back(count);
    Count next = count + members.operand;
    if (members.op == Operator::multiply) next = count * members.operand;
    if (members.op == Operator::power) {
      next = 1;
      for (Count i = 0; i < members.operand && next <= limit; ++i) next *= count;
    }
    count = next;
  }
  return counts;
}

std::vector<Count> read(std::string_view text, Count limit = 300) {
  const auto range = CountRange::parse(text);
  std::vector<Count> counts;
  for (Count count = 0; range && count <= limit; ++count) {
    if (range->contains(count)) counts.push_back(count);
  }
  return counts;
}

TEST(CountRange, ReadsTheFormsOfRfc45) {
  EXPECT_EQ(*CountRange::parse("1-5:2:+"), *CountRange::parse("1-5:2"));
  EXPECT_EQ(*CountRange::parse("1-4:1:+"), *CountRange::parse("1-4"));
  EXPECT_EQ(*CountRange::parse("[1-4:2:*]"), *CountRange::parse("1-4:2:*"));
  EXPECT_EQ(CountRange::parse("[100+]")->members(), (CountRange::Members{.min = 100}));
  EXPECT_EQ(CountRange::parse("3+:2:^")->members(),
            (CountRange::Members{.min = 3, .op = Operator::power, .operand = 2}));
  EXPECT_EQ(read("1-5:2"), (std::vector<Count>{1, 3, 5}));
  EXPECT_EQ(read("2-16:2:*"), (std::vector<Count>{2, 4, 8, 16}));
  EXPECT_EQ(read("2+:2:^"), (std::vector<Count>{2, 4, 16, 256}));
}

TEST(CountRange, MinAloneIsUnboundedInSteps) {  // M6
  const auto range = CountRange::create({.min = 1});
  EXPECT_EQ(range->members(), (CountRange::Members{1, std::nullopt, Operator::add, 1}));
  EXPECT_EQ(range->at_most(kMaxCount), kMaxCount);
  EXPECT_EQ(range->to_string(), "1+");
}

TEST(CountRange, RefusesOtherTexts) {
  for (const auto* text : {"",
                           "-",
                           "1",
                           "a+",
                           "0-4",
                           "01-4",
                           "1-04",
                           "4-1",
                           "1-4:",
                           "1-4:0",
                           "1-4:2:",
                           "1-4:2:/",
                           "1-4:2:++",
                           "1-4:1:*",
                           "1-4:2:^",
                           "2-4:1:^",
                           "[1-4",
                           "1-4]",
                           "[[1-4]]",
                           "1-4 ",
                           "1+4",
                           "1-4:2:'+'",
                           "9223372036854775808+",
                           "1-9223372036854775808",
                           "1-4:-2",
                           "+"}) {
    EXPECT_FALSE(CountRange::parse(text)) << text;
  }
  EXPECT_EQ(CountRange::parse("1-4:x").error().message,
            "'1-4:x' is not a range like 1-8, 4+ or 2-16:2:*: no count from 1 to "
            "9223372036854775807 in decimal without leading zeroes at position 4");
  EXPECT_EQ(CountRange::parse("4-1").error().message,
            "'4-1': max: 1 is not a count from min (4) to 9223372036854775807");
}

TEST(CountRange, StepsEndAtTheLargestCount) {
  EXPECT_EQ(CountRange::parse("1+:2:*")->at_most(kMaxCount), Count{1} << 62U);
  EXPECT_EQ(CountRange::parse("2+:2:^")->at_most(kMaxCount), Count{1} << 32U);
  EXPECT_EQ(CountRange::parse("2+:9223372036854775807:^")->at_most(kMaxCount), 2U);
  EXPECT_EQ(CountRange::parse("5+")->at_most(4), std::nullopt);
}

RC_GTEST_PROP(CountRange, AcceptsTheCountsThatItsStepsReach, ()) {
  CountRange::Members members;
  members.op = *rc::gen::element(Operator::add, Operator::multiply, Operator::power);
  members.min = *rc::gen::inRange<Count>(1, 20);
  members.operand = *rc::gen::inRange<Count>(1, 6);
  if (*rc::gen::arbitrary<bool>()) members.max = *rc::gen::inRange<Count>(1, 400);
  const auto range = CountRange::create(members);
  const Count least = members.op == Operator::add ? 1 : 2;
  const bool valid = members.operand >= least && members.max.value_or(500) >= members.min &&
                     (members.op != Operator::power || members.min >= 2);
  RC_ASSERT(range.has_value() == valid);
  if (!valid) return;
  RC_ASSERT(*CountRange::parse(range->to_string()) == *range);
  const auto counts = list(members, 500);
  for (Count limit = 0; limit <= 500; ++limit) {
    const auto past = std::ranges::upper_bound(counts, limit);
    const auto expected = past == counts.begin() ? std::nullopt : std::optional(*std::prev(past));
    RC_ASSERT(range->at_most(limit) == expected);
    RC_ASSERT(range->contains(limit) == (limit > 0 && expected == limit));
  }
}

TEST(CountSet, ReadsNumbersRangesAndIdsets) {
  EXPECT_EQ(*CountSet::parse("4"), CountSet::fixed(4));
  EXPECT_EQ(*CountSet::parse("[4]"), CountSet::fixed(4));
  EXPECT_EQ(CountSet::parse("9223372036854775807")->min(), kMaxCount);  // S3
  EXPECT_TRUE(CountSet::parse("7-7")->is_fixed());
  const auto counts = CountSet::parse("2,4-5,9");
  EXPECT_EQ(counts->min(), 2U);
  EXPECT_FALSE(counts->is_fixed());
  for (const Count count : {2U, 4U, 5U, 9U}) EXPECT_TRUE(counts->contains(count)) << count;
  for (const Count count : {0U, 1U, 3U, 6U, 8U, 10U}) EXPECT_FALSE(counts->contains(count));
  EXPECT_EQ(counts->at_most(8), 5U);
  EXPECT_EQ(counts->at_most(1), std::nullopt);
  EXPECT_EQ(counts->at_most(kMaxCount), 9U);
  for (const auto* text : {"4", "1-8:3", "2+:2:*", "2,4-5,9"}) {
    EXPECT_EQ(CountSet::parse(text)->to_string(), text);
  }
}

TEST(CountSet, RefusesZeroAndOtherTexts) {
  for (const auto* text : {"", "0", "[0]", "0,2", "0-2", "2,1", "04", "4,", "4,5+", "-4", "x"}) {
    EXPECT_FALSE(CountSet::parse(text)) << text;
  }
}

}  // namespace
}  // namespace tenure
