#include "base/text.hpp"

#include <gtest/gtest.h>

namespace tenure {
namespace {

TEST(Plural, OnlyOneIsSingular) {
  EXPECT_EQ(plural(0, "node"), "0 nodes");
  EXPECT_EQ(plural(1, "node"), "1 node");
  EXPECT_EQ(plural(2, "slot"), "2 slots");
}

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(parse_number<std::int64_t>("-3"), -3);
  EXPECT_EQ(parse_number<double>("99.25"), 99.25);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "-1", "18446744073709551616"}) {
    EXPECT_FALSE(parse_number<std::uint64_t>(text)) << text;
  }
}

}  // namespace
}  // namespace tenure
