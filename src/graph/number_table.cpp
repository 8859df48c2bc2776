#include "graph/number_table.hpp"

#include <algorithm>
#include <numeric>

namespace tenure::graph {

bool NumberTable::follow(Rule& rule, std::span<const std::int64_t> numbers, std::int64_t& step) {
  const std::size_t width = rule.base.size();
  if (numbers.size() != width) return false;
  if (std::equal(numbers.begin(), numbers.end(), rule.base.begin())) {
    step = 0;
    return true;
  }
  if (rule.stride.empty()) {
    // In lowest terms, so that rows between these two can follow as well.
    rule.stride.resize(width);
    step = 0;
    for (std::size_t i = 0; i < width; ++i) {
      rule.stride[i] = numbers[i] - rule.base[i];
      step = std::gcd(step, rule.stride[i]);
    }
    for (std::int64_t& stride : rule.stride) stride /= step;
    return true;
  }
  const auto moving = std::find_if(rule.stride.begin(), rule.stride.end(),
                                   [](std::int64_t stride) { return stride != 0; });
  const auto column = static_cast<std::size_t>(moving - rule.stride.begin());
  const std::int64_t distance = numbers[column] - rule.base[column];
  if (distance % *moving != 0) return false;
  step = distance / *moving;
  for (std::size_t i = 0; i < width; ++i) {
    if (numbers[i] - rule.base[i] != rule.stride[i] * step) return false;
  }
  return true;
}

void NumberTable::add_row(std::span<const std::int64_t> numbers) {
  Row row;
  const std::size_t tried = std::min(rules_.size(), kRulesTried);
  for (std::size_t i = 0; i < tried; ++i) {
    const std::size_t rule = rules_.size() - 1 - i;
    if (!follow(rules_[rule], numbers, row.step)) continue;
    row.rule = static_cast<std::uint32_t>(rule);
    rows_.push_back(row);
    return;
  }
  row = Row{0, static_cast<std::uint32_t>(rules_.size())};
  rules_.push_back(Rule{{numbers.begin(), numbers.end()}, {}});
  rows_.push_back(row);
}

}  // namespace tenure::graph
