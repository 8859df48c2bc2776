#include "base/text.hpp"

#include <gtest/gtest.h>

namespace tenure {
namespace {

TEST(Plural, OnlyOneIsSingular) {
  EXPECT_EQ(plural(0, "node"), "0 nodes");
  EXPECT_EQ(plural(1, "node"), "1 node");
  EXPECT_EQ(plural(2, "slot"), "2 slots");
}

}  // namespace
}  // namespace tenure
