#include "base/result.hpp"

#include <gtest/gtest.h>

namespace tenure {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return failure(ErrorCode::invalid, "value: {} is odd", value);
  return value / 2;
}

TEST(Result, HoldsTheValueOrTheErrorWithItsPlace) {
  EXPECT_EQ(*half(4), 2);
  const auto bad = half(3);
  ASSERT_FALSE(bad);
  EXPECT_EQ(within("file:2", bad.error()), (Error{ErrorCode::invalid, "file:2: value: 3 is odd"}));
}

TEST(Result, EveryCodeHasItsWord) {
  EXPECT_EQ(to_string(ErrorCode::not_found), "not-found");
  EXPECT_EQ(to_string(ErrorCode::io), "io");
}

TEST(InQuotes, StaysOneShortLine) {
  EXPECT_EQ(in_quotes("a b"), "'a b'");
  EXPECT_EQ(in_quotes("a\n\x1b"), "'a\\x0a\\x1b'");
  EXPECT_EQ(in_quotes(std::string(kMaxQuoted, 'a')), "'" + std::string(kMaxQuoted, 'a') + "'");
  EXPECT_EQ(in_quotes(std::string(5000, 'a')), "'" + std::string(kMaxQuoted, 'a') + "…'");
  // A character of two bytes at the cut is left out as a whole.
  const std::string start(kMaxQuoted - 1, 'a');
  EXPECT_EQ(in_quotes(start + "ƒƒ"), "'" + start + "…'");
}

TEST(CheckDeathTest, PrintsExpressionPlaceAndText) {
  EXPECT_DEATH(CHECK(1 > 2, "one is {}", 1), "1 > 2 at .*result_test.cpp:[0-9]+: one is 1");
}

}  // namespace
}  // namespace tenure
