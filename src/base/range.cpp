#include "base/range.hpp"

#include <algorithm>
#include <charconv>

namespace tenure {

namespace {

using Operator = CountRange::Operator;

char symbol(Operator op) {
  switch (op) {
    case Operator::add:
      return '+';
    case Operator::multiply:
      return '*';
    case Operator::power:
      return '^';
  }
  return '?';
}

std::optional<Operator> to_operator(std::string_view text) {
  for (const Operator op : {Operator::add, Operator::multiply, Operator::power}) {
    if (text.size() == 1 && text.front() == symbol(op)) return op;
  }
  return std::nullopt;
}

/// count^exponent; nothing beyond kMaxCount.
std::optional<Count> power(Count count, Count exponent) {
  Count result = 1;
  for (; exponent > 0; --exponent) {  // count >= 2: at most 63 rounds before it overflows
    if (result > kMaxCount / count) return std::nullopt;
    result *= count;
  }
  return result;
}

/// The acceptable count after `count`; nothing beyond kMaxCount.
std::optional<Count> step(const CountRange::Members& members, Count count) {
  if (members.op == Operator::power) return power(count, members.operand);
  if (count > kMaxCount / members.operand) return std::nullopt;
  return count * members.operand;
}

/// A count at the front of `text`, which is shortened: decimal, no leading zeroes.
std::optional<Count> take_count(std::string_view& text) {
  Count count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const auto length = static_cast<std::size_t>(stop - text.data());
  if (error != std::errc() || count > kMaxCount || (length > 1 && text.front() == '0')) {
    return std::nullopt;
  }
  text.remove_prefix(length);
  return count;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

constexpr std::string_view kExpectedCount =
    "no count from 1 to 9223372036854775807 in decimal without leading zeroes";

}  // namespace

Result<CountRange> CountRange::create(Members members) {
  const auto refuse = [](std::string_view member, Count value, std::string_view valid) {
    return failure(ErrorCode::invalid, "{}: {} is not {}", member, value, valid);
  };
  const bool grows = members.op != Operator::add;
  const Count least_min = members.op == Operator::power ? 2 : 1;
  if (members.min < least_min || members.min > kMaxCount) {
    return refuse("min", members.min,
                  fmt::format("a count from {} to {} with operator {}", least_min, kMaxCount,
                              symbol(members.op)));
  }
  if (members.max && (*members.max < members.min || *members.max > kMaxCount)) {
    return refuse("max", *members.max,
                  fmt::format("a count from min ({}) to {}", members.min, kMaxCount));
  }
  if (members.operand < (grows ? 2 : 1) || members.operand > kMaxCount) {
    return refuse("operand", members.operand,
                  fmt::format("a number from {} to {} with operator {}", grows ? 2 : 1, kMaxCount,
                              symbol(members.op)));
  }
  return CountRange(members);
}

Result<CountRange> CountRange::parse(std::string_view text) {
  std::string_view rest = text;
  const auto refuse = [&](std::string_view what) {
    return failure(ErrorCode::invalid,
                   "{} is not a range like 1-8, 4+ or 2-16:2:*: {} at position {}", in_quotes(text),
                   what, rest.data() - text.data());
  };
  if (take(rest, '[')) {
    if (!rest.ends_with(']')) return refuse("no closing bracket");
    rest.remove_suffix(1);
  }
  Members members;
  const auto min = take_count(rest);
  if (!min) return refuse(kExpectedCount);
  members.min = *min;
  if (take(rest, '-')) {
    members.max = take_count(rest);
    if (!members.max) return refuse(kExpectedCount);
  } else if (!take(rest, '+')) {
    return refuse("neither - nor +");
  }
  if (take(rest, ':')) {
    const auto operand = take_count(rest);
    if (!operand) return refuse(kExpectedCount);
    members.operand = *operand;
    if (take(rest, ':')) {
      const auto op = to_operator(rest);
      if (!op) return refuse("no operator +, * or ^");
      members.op = *op;
      rest.remove_prefix(1);
    }
  }
  if (!rest.empty()) return refuse("an unexpected character");
  Result<CountRange> range = create(members);
  if (!range) return within(in_quotes(text), range.error());
  return range;
}

std::optional<Count> CountRange::at_most(Count limit) const {
  limit = std::min(limit, members_.max.value_or(kMaxCount));
  if (limit < min()) return std::nullopt;
  if (members_.op == Operator::add) {
    return limit - (limit - min()) % members_.operand;
  }
  Count count = min();
  for (auto next = step(members_, count); next && *next <= limit; next = step(members_, count)) {
    count = *next;
  }
  return count;
}

std::string CountRange::to_string() const {
  std::string text = members_.max ? fmt::format("{}-{}", members_.min, *members_.max)
                                  : fmt::format("{}+", members_.min);
  const bool plain = members_.op == Operator::add;
  if (!plain || members_.operand != 1) text += fmt::format(":{}", members_.operand);
  if (!plain) text += fmt::format(":{}", symbol(members_.op));
  return text;
}

CountSet CountSet::fixed(Count count) {
  const Result<CountRange> range = CountRange::create({.min = count, .max = count});
  CHECK(range.has_value());
  return CountSet(*range);
}

Result<CountSet> CountSet::parse(std::string_view text) {
  std::string_view number = text;
  if (number.starts_with('[') && number.ends_with(']')) {
    number = number.substr(1, number.size() - 2);
  }
  if (const auto count = take_count(number); count && number.empty() && *count > 0) {
    return fixed(*count);
  }
  if (text.find(',') == std::string_view::npos) {
    Result<CountRange> range = CountRange::parse(text);
    if (!range) return range.error();
    return CountSet(*range);
  }
  Result<Idset> counts = Idset::parse(text);
  if (!counts) return counts.error();
  if (counts->contains(0)) {
    return failure(ErrorCode::invalid, "{}: counts start at 1", in_quotes(text));
  }
  return CountSet(*std::move(counts));
}

Count CountSet::min() const {
  if (const auto* range = std::get_if<CountRange>(&form_)) return range->min();
  return std::get<Idset>(form_).ranges().front().first;
}

std::optional<Count> CountSet::at_most(Count limit) const {
  if (const auto* range = std::get_if<CountRange>(&form_)) return range->at_most(limit);
  const auto ranges = std::get<Idset>(form_).ranges();
  const auto past = std::ranges::upper_bound(ranges, limit, {}, &Idset::Range::first);
  if (past == ranges.begin()) return std::nullopt;
  return std::min<Count>(limit, std::prev(past)->last);
}

bool CountSet::is_fixed() const {
  const auto* range = std::get_if<CountRange>(&form_);
  return range != nullptr && range->members().max == range->min();
}

std::string CountSet::to_string() const {
  if (is_fixed()) return std::to_string(min());
  if (const auto* range = std::get_if<CountRange>(&form_)) return range->to_string();
  return std::get<Idset>(form_).to_string();
}

}  // namespace tenure
