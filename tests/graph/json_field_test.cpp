#include "graph/formats/json_field.hpp"

#include <gtest/gtest.h>

namespace tenure::graph {
namespace {

namespace json = boost::json;

TEST(JsonField, SecondsAreIntegersWhenWholeAndZeroWhenUnset) {
  EXPECT_EQ(json::serialize(write_time(Time::seconds(1000))), "1000");
  EXPECT_EQ(write_time(Time::microseconds(1'000'500'000)).as_double(), 1000.5);
  EXPECT_EQ(json::serialize(write_time(Time::never())), "0");
  EXPECT_EQ(json::serialize(write_duration(Duration::seconds(-60))), "-60");
  EXPECT_EQ(write_duration(Duration::microseconds(250'000)).as_double(), 0.25);
  EXPECT_EQ(json::serialize(write_duration(Duration::infinite())), "0");
}

TEST(JsonField, TextFromOutsideStaysOneShortLine) {
  EXPECT_EQ(show_text("two\nlines"), "'two\\x0alines'");
  EXPECT_EQ(show_text("two\nlines"), in_quotes("two\nlines"));
  EXPECT_LT(show(json::value(json::string(100'000, 'a'))).size(), kMaxShownBytes + 10);
}

}  // namespace
}  // namespace tenure::graph
