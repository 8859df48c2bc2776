#include "graph/number_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tenure::graph {
namespace {

using Row = std::vector<std::int64_t>;

TEST(NumberTable, RowsInPreorderFollowOneRule) {
  NumberTable table;
  for (std::int64_t k = 0; k < 1000; ++k) table.add_row(Row{53 * k, 53 * k + 1, 53 * k + 2});
  EXPECT_EQ(table.rules(), 1U);
  EXPECT_EQ(table.get(999, 2), 53 * 999 + 2);
}

TEST(NumberTable, ColumnsMayHaveStridesOfTheirOwn) {
  NumberTable table;
  for (std::int64_t k = 0; k < 100; ++k) table.add_row(Row{3 + k, 9 + 2 * k, 21 + 8 * k});
  EXPECT_EQ(table.rules(), 1U);
  EXPECT_EQ(table.get(7, 1), 23);
}

TEST(NumberTable, RowsBetweenTheFirstTwoOfARuleFollowIt) {
  NumberTable table;
  table.add_row(Row{0, 10});
  table.add_row(Row{6, 16});
  table.add_row(Row{2, 12});
  EXPECT_EQ(table.rules(), 1U);
  EXPECT_EQ(table.get(2, 1), 12);
}

TEST(NumberTable, WidthsMayAlternate) {
  NumberTable table;
  std::int64_t next = 0;
  for (int k = 0; k < 50; ++k) {
    table.add_row(Row{next, next + 1, next + 2});
    next += 3;
    table.add_row(Row{next, next + 1});
    next += 2;
  }
  EXPECT_EQ(table.rules(), 2U);
  EXPECT_EQ(table.get(99, 1), 249);
  EXPECT_EQ(table.width(99), 2U);
}

RC_GTEST_PROP(NumberTable, GivesBackWhatWasAdded, ()) {
  const auto widths = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 4));
  NumberTable table;
  std::vector<Row> rows;
  for (const int width : widths) {
    rows.push_back(*rc::gen::container<Row>(static_cast<std::size_t>(width),
                                            rc::gen::inRange<std::int64_t>(-5, 20)));
    table.add_row(rows.back());
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) RC_ASSERT(table.get(r, c) == rows[r][c]);
  }
}

}  // namespace
}  // namespace tenure::graph
