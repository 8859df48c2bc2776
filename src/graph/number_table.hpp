// NumberTable: rows of numbers that are mostly regular, such as the uniq_ids of the
// vertices of each node.
//
// Generators number by rule, so row k is usually `base + k * stride` in every column, with
// few different (base, stride) pairs for a whole machine. The table finds such rules by
// itself as rows are added and keeps a row in full only when no rule fits.
//
// Invariants
//  1. get(row, column) is what was added.
//  2. A row that follows a rule costs 12 bytes, whatever its width; a rule costs two
//     numbers a column.
//
// Adding is O(width x rules tried), of which there are at most kRulesTried; get is O(1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tenure::graph {

class NumberTable {
 public:
  std::size_t rows() const { return rows_.size(); }
  void add_row(std::span<const std::int64_t> numbers);
  std::int64_t get(std::size_t row, std::size_t column) const {
    const Row& r = rows_[row];
    const Rule& rule = rules_[r.rule];
    return rule.base[column] + r.step * (rule.stride.empty() ? 0 : rule.stride[column]);
  }
  std::size_t width(std::size_t row) const { return rules_[rows_[row].rule].base.size(); }
  std::size_t rules() const { return rules_.size(); }

 private:
  static constexpr std::size_t kRulesTried = 8;

  struct Rule {
    std::vector<std::int64_t> base;    ///< the row that made the rule
    std::vector<std::int64_t> stride;  ///< set by the second row; empty before
  };
  struct Row {
    std::int64_t step = 0;
    std::uint32_t rule = 0;
  };
  /// True when the row follows the rule, which a second row may complete.
  static bool follow(Rule& rule, std::span<const std::int64_t> numbers, std::int64_t& step);

  std::vector<Row> rows_;
  std::vector<Rule> rules_;
};

}  // namespace tenure::graph
