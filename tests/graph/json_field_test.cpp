#include "graph/formats/json_field.hpp"

#include <gtest/gtest.h>

namespace tenure::graph {
namespace {

namespace json = boost::json;

TEST(JsonField, TextFromOutsideStaysOneShortLine) {
  EXPECT_EQ(show_text("two\nlines"), "'two\\x0alines'");
  EXPECT_EQ(show_text("two\nlines"), in_quotes("two\nlines"));
  EXPECT_LT(show(json::value(json::string(100'000, 'a'))).size(), kMaxShownBytes + 10);
}

}  // namespace
}  // namespace tenure::graph
