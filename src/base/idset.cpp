#include "base/idset.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tenure {

namespace {

constexpr std::string_view kExpectedId =
    "no id from 0 to 4294967294 in decimal without leading zeroes";

/// One id at the front of `text`, which is shortened; RFC 22: decimal, no leading zeroes.
std::optional<Idset::Id> take_id(std::string_view& text) {
  Idset::Id id = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  const auto length = static_cast<std::size_t>(stop - text.data());
  if (error != std::errc() || id > Idset::kMaxId) return std::nullopt;
  if (length > 1 && text.front() == '0') return std::nullopt;
  text.remove_prefix(length);
  return id;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

Idset Idset::range(Id first, Id last) {
  CHECK(first <= last && last <= kMaxId);
  Idset set;
  set.ranges_.push_back({first, last});
  return set;
}

Idset Idset::of(std::span<const Id> ids) {
  std::vector<Id> sorted(ids.begin(), ids.end());
  if (!std::ranges::is_sorted(sorted)) std::ranges::sort(sorted);
  CHECK(sorted.empty() || sorted.back() <= kMaxId);
  Idset set;
  for (const Id id : sorted) {
    if (!set.ranges_.empty() && id <= set.ranges_.back().last + 1) {
      set.ranges_.back().last = std::max(set.ranges_.back().last, id);
    } else {
      set.ranges_.push_back({id, id});
    }
  }
  return set;
}

Result<Idset> Idset::parse(std::string_view text) {
  std::string_view rest = text;
  const auto refuse = [&](std::string_view at, std::string_view what) {
    return failure(ErrorCode::invalid, "{} is not an idset: {} at position {}", in_quotes(text),
                   what, at.data() - text.data());
  };
  if (take(rest, '[')) {
    if (!rest.ends_with(']')) return refuse(rest.substr(rest.size()), "no closing bracket");
    rest.remove_suffix(1);
  }
  Idset set;
  if (rest.empty()) return set;
  do {
    const std::string_view element = rest;
    const auto first = take_id(rest);
    if (!first) return refuse(rest, kExpectedId);
    auto last = first;
    if (take(rest, '-')) {
      last = take_id(rest);
      if (!last) return refuse(rest, kExpectedId);
      if (*last < *first) return refuse(element, "a range that goes backwards");
    }
    if (!set.ranges_.empty() && *first <= set.ranges_.back().last) {
      return refuse(element, "ids that do not ascend");
    }
    if (!set.ranges_.empty() && *first == set.ranges_.back().last + 1) {
      set.ranges_.back().last = *last;
    } else {
      set.ranges_.push_back({*first, *last});
    }
  } while (take(rest, ','));
  if (!rest.empty()) return refuse(rest, "an unexpected character");
  return set;
}

std::uint64_t Idset::size() const {
  std::uint64_t size = 0;
  for (const Range& range : ranges_) size += std::uint64_t{range.last} - range.first + 1;
  return size;
}

bool Idset::contains(Id id) const {
  const auto found = std::ranges::lower_bound(ranges_, id, {}, &Range::last);
  return found != ranges_.end() && found->first <= id;
}

void Idset::insert(Range range) {
  CHECK(range.first <= range.last && range.last <= kMaxId);
  // All ranges that touch the new one, adjacent ones included, melt into it.
  const Id touched = range.first == 0 ? 0 : range.first - 1;
  const auto first = std::ranges::lower_bound(ranges_, touched, {}, &Range::last);
  auto past = first;
  while (past != ranges_.end() && past->first <= range.last + 1) {
    range.first = std::min(range.first, past->first);
    range.last = std::max(range.last, past->last);
    ++past;
  }
  ranges_.insert(ranges_.erase(first, past), range);
}

Idset operator|(const Idset& a, const Idset& b) {
  Idset result;
  std::vector<Idset::Range> all(a.ranges_);
  all.insert(all.end(), b.ranges_.begin(), b.ranges_.end());
  std::ranges::sort(all, {}, &Idset::Range::first);
  for (const Idset::Range& range : all) {
    auto& ranges = result.ranges_;
    if (!ranges.empty() && range.first <= ranges.back().last + 1) {
      ranges.back().last = std::max(ranges.back().last, range.last);
    } else {
      ranges.push_back(range);
    }
  }
  return result;
}

Idset operator&(const Idset& a, const Idset& b) {
  Idset result;
  auto left = a.ranges_.begin();
  auto right = b.ranges_.begin();
  while (left != a.ranges_.end() && right != b.ranges_.end()) {
    const Idset::Id first = std::max(left->first, right->first);
    const Idset::Id last = std::min(left->last, right->last);
    if (first <= last) result.ranges_.push_back({first, last});
    if (left->last < right->last) {
      ++left;
    } else {
      ++right;
    }
  }
  return result;
}

Idset operator-(const Idset& a, const Idset& b) {
  Idset result;
  auto cut = b.ranges_.begin();
  for (Idset::Range range : a.ranges_) {
    while (cut != b.ranges_.end() && cut->last < range.first) ++cut;
    bool rest = true;
    for (auto other = cut; rest && other != b.ranges_.end() && other->first <= range.last;
         ++other) {
      if (range.first < other->first) result.ranges_.push_back({range.first, other->first - 1});
      rest = other->last < range.last;
      if (rest) range.first = other->last + 1;
    }
    if (rest) result.ranges_.push_back(range);
  }
  return result;
}

std::string Idset::to_string() const {
  std::string text;
  for (const Range& range : ranges_) {
    if (!text.empty()) text += ',';
    text += range.first == range.last ? fmt::format("{}", range.first)
                                      : fmt::format("{}-{}", range.first, range.last);
  }
  return text;
}

}  // namespace tenure
