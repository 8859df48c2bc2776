#include "emul/extend_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure::emul {
namespace {

using ::testing::HasSubstr;

Duration secs(std::int64_t s) { return Duration::seconds(s); }
std::string error_of(std::string_view text) {
  const auto rule = parse_extend_rule(text);
  return rule ? std::string("no error") : rule.error().message;
}

TEST(ExtendRule, all_parts_in_any_order) {
  const auto rule = parse_extend_rule("max=3,amount=1h,lead=10m");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->lead, secs(600));
  EXPECT_EQ(rule->amount, secs(3600));
  EXPECT_EQ(rule->max, 3U);
  EXPECT_EQ(rule->amount_for(secs(7)), secs(3600));
}

TEST(ExtendRule, lead_and_max_may_be_left_out) {
  const auto rule = parse_extend_rule("amount=90");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->lead, secs(600));
  EXPECT_EQ(rule->amount, secs(90));
  EXPECT_EQ(rule->max, 1U);
}

TEST(ExtendRule, a_percentage_is_of_the_walltime) {
  EXPECT_EQ(parse_extend_rule("amount=25%")->amount_for(secs(3600)), secs(900));
  EXPECT_EQ(parse_extend_rule("amount=12.5%")->amount_for(secs(80)), secs(10));
  EXPECT_EQ(parse_extend_rule("amount=200%")->amount_for(secs(5)), secs(10));
}

TEST(ExtendRule, a_percentage_is_never_nothing) {
  EXPECT_EQ(parse_extend_rule("amount=0.001%")->amount_for(Duration::microseconds(1)),
            Duration::microseconds(1));
}

TEST(ExtendRule, errors_name_part_and_value) {
  EXPECT_THAT(error_of(""), HasSubstr("no amount"));
  EXPECT_THAT(error_of("lead=10m"), HasSubstr("no amount"));
  EXPECT_THAT(error_of("10m"), HasSubstr("'10m' is not NAME=VALUE"));
  EXPECT_THAT(error_of("amount=1h,"), HasSubstr("no error"));
  EXPECT_THAT(error_of("amount=1h,,max=1"), HasSubstr("'' is not NAME=VALUE"));
  EXPECT_THAT(error_of("amont=1h"), HasSubstr("unknown part 'amont'; known are lead, amount"));
  EXPECT_THAT(error_of("amount=1h,amount=2h"), HasSubstr("'amount' is given twice"));
  EXPECT_THAT(error_of("amount=soon"), HasSubstr("soon"));
  EXPECT_THAT(error_of("amount=0"), HasSubstr("not longer than 0"));
  EXPECT_THAT(error_of("amount=inf"), HasSubstr("not a finite duration"));
  EXPECT_THAT(error_of("amount=%"), HasSubstr("'%' is not a percentage"));
  EXPECT_THAT(error_of("amount=-5%"), HasSubstr("'-5%' is not a percentage"));
  EXPECT_THAT(error_of("amount=nan%"), HasSubstr("'nan%' is not a percentage"));
  EXPECT_THAT(error_of("amount=1h,max=0"), HasSubstr("max: '0' is not"));
  EXPECT_THAT(error_of("amount=1h,max=1.5"), HasSubstr("max: '1.5' is not"));
  EXPECT_THAT(error_of("amount=1h,lead=-1"), HasSubstr("lead"));
}

TEST(ExtendRule, describes_itself) {
  EXPECT_EQ(describe(*parse_extend_rule("amount=1h,max=3")),
            "1h more, 10m before the end, at most 3 times");
  EXPECT_EQ(describe(*parse_extend_rule("amount=25%,lead=30")),
            "25% of the walltime more, 30s before the end, at most 1 time");
}

}  // namespace
}  // namespace tenure::emul
