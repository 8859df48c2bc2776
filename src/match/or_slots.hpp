// SlotContents: what a slot may hold (one content, or one of several for or_slot), and how many
// slots a supply makes up. Internal to match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "match/tree_request.hpp"

namespace tenure::match {

class SlotContents {
 public:
  /// The slot must outlive it.
  explicit SlotContents(const Need& slot);

  /// The needs of all contents; those of one type that ask for the same inside are one.
  const std::vector<Need>& needs() const { return joined_.empty() ? slot_->with : joined_; }
  /// The need of the slot that needs()[i] stands for.
  const Need& original(std::size_t i) const { return *originals_[i]; }

  /// How much of which need goes into a slot: (index in needs(), count).
  using Slot = std::vector<std::pair<std::size_t, std::uint64_t>>;
  /// The contents of as many slots as `available` (by need) makes up: exactly for up to
  /// kMaxCombinations ways to mix contents, else the best of those; contents that come earlier in
  /// the request are preferred between mixes of equally many slots.
  std::vector<Slot> most_slots(const std::vector<std::uint64_t>& available) const;

  static constexpr std::uint64_t kMaxCombinations = 1'000'000;

 private:
  void add(const std::vector<Need>& content);

  const Need* slot_;
  std::vector<Need> joined_;
  std::vector<const Need*> originals_;
  std::vector<std::vector<std::size_t>> contents_;  ///< per content: index in needs() per need
  std::vector<const std::vector<Need>*> needs_of_;  ///< per content
};

}  // namespace tenure::match
