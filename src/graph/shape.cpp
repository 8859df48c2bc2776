#include "graph/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

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
    if (mask.test(pool.first_unit + i) && pool.ids[i] != kNoId) ids.push_back(pool.ids[i]);
  }
  return Idset::of(ids);
}

const Pool& Shape::pool_of(std::uint32_t local) const {
  const std::uint32_t unit = unit_of(local);
  const auto behind = std::partition_point(
      pools.begin(), pools.end(), [&](const Pool& pool) { return pool.first_unit <= unit; });
  return *(behind - 1);
}

const std::string& Shape::basename(std::uint32_t local) const {
  return is_flat() ? type(local) : kind(local).basename;
}

const std::string& Shape::unit(std::uint32_t local) const {
  static const std::string none;
  return is_flat() ? none : kind(local).unit;
}

std::int64_t Shape::id(std::uint32_t local) const {
  const Pool& pool = pool_of(local);
  const std::uint32_t id = pool.ids[unit_of(local) - pool.first_unit];
  return id == kNoId ? -1 : std::int64_t{id};
}

std::string Shape::name(std::uint32_t local) const {
  if (!is_flat() && inner[local - 1].name != 0) return names[inner[local - 1].name];
  return default_name(basename(local), id(local));
}

UnitRange Shape::units_below(std::uint32_t local, const Pool& pool) const {
  const std::uint32_t last = subtree_end(local);
  if (local == 0) return {pool.first_unit, pool.count()};
  if (is_flat()) {
    const bool is_its = unit_of(local) - pool.first_unit < pool.count();
    return {unit_of(local), is_its ? 1U : 0U};
  }
  const auto begin = locals.begin() + pool.first_unit;
  const auto end = begin + pool.count();
  const auto first = std::lower_bound(begin, end, local);
  const auto behind = std::lower_bound(first, end, last);
  return {pool.first_unit + static_cast<std::uint32_t>(first - begin),
          static_cast<std::uint32_t>(behind - first)};
}

bool Shape::is_subtree_free(std::uint32_t local, const UnitMask& free) const {
  if (local == 0) return free.count() == units;
  for (std::uint32_t l = local, last = subtree_end(local); l < last; ++l) {
    if (!free.test(unit_of(l))) return false;
  }
  return true;
}

void Shape::add_subtree(std::uint32_t local, UnitMask& mask) const {
  for (std::uint32_t l = std::max(local, 1U), last = subtree_end(local); l < last; ++l) {
    mask.set(unit_of(l));
  }
}

std::string default_name(std::string_view basename, std::int64_t id) {
  return id < 0 ? std::string(basename) : fmt::format("{}{}", basename, id);
}

bool is_default_name(std::string_view name, std::string_view basename, std::int64_t id) {
  if (!name.starts_with(basename)) return false;
  name.remove_prefix(basename.size());
  if (id < 0) return name.empty();
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), id).ptr;
  return name == std::string_view(digits, static_cast<std::size_t>(end - digits));
}

std::int64_t trailing_number(std::string_view host) {
  std::size_t digits = 0;
  while (digits < host.size() && host[host.size() - 1 - digits] >= '0' &&
         host[host.size() - 1 - digits] <= '9') {
    ++digits;
  }
  std::int64_t number = -1;
  const char* end = host.data() + host.size();
  if (std::from_chars(end - digits, end, number).ec != std::errc()) return -1;
  return number;
}

}  // namespace tenure::graph
