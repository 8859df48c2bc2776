#include "graph/shape.hpp"

#include <algorithm>

#include "graph/node_set.hpp"

namespace tenure::graph {

UnitMask UnitMask::full(std::uint32_t units) {
  UnitMask mask(units);
  for (Word& word : mask.words_) word = ~Word{0};
  if (units % 64 != 0) mask.words_.back() = (Word{1} << (units % 64)) - 1;
  return mask;
}

bool UnitMask::none() const {
  return std::all_of(words_.begin(), words_.end(), [](Word word) { return word == 0; });
}

std::uint32_t UnitMask::count() const {
  std::uint32_t count = 0;
  for (const Word word : words_) count += count_bits(word);
  return count;
}

std::uint32_t UnitMask::count(std::uint32_t first, std::uint32_t length) const {
  if (length == 0) return 0;
  const std::uint32_t last = first + length - 1;
  std::uint32_t count = 0;
  for (std::uint32_t i = first / 64; i <= last / 64; ++i) {
    Word word = words_[i];
    if (i == first / 64) word &= ~Word{0} << (first % 64);
    if (i == last / 64) word &= ~Word{0} >> (63 - last % 64);
    count += count_bits(word);
  }
  return count;
}

bool UnitMask::intersects(const UnitMask& other) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((words_[i] & other.words_[i]) != 0) return true;
  }
  return false;
}

bool UnitMask::contains(const UnitMask& other) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((other.words_[i] & ~words_[i]) != 0) return false;
  }
  return true;
}

UnitMask& UnitMask::operator&=(const UnitMask& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  return *this;
}

UnitMask& UnitMask::operator|=(const UnitMask& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

UnitMask& UnitMask::operator-=(const UnitMask& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  return *this;
}

const Pool* Shape::pool(std::string_view type) const {
  for (const Pool& pool : pools) {
    if (pool.type == type) return &pool;
  }
  return nullptr;
}

std::uint32_t Shape::count(std::string_view type) const {
  const Pool* found = pool(type);
  return found == nullptr ? 0 : found->count();
}

Idset Shape::ids(const Pool& pool, const UnitMask& mask) {
  std::vector<Idset::Id> ids;
  for (std::uint32_t i = 0; i < pool.count(); ++i) {
    if (mask.test(pool.first_unit + i)) ids.push_back(pool.ids[i]);
  }
  return Idset::of(ids);
}

}  // namespace tenure::graph
