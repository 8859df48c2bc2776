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

}  // namespace
}  // namespace tenure
