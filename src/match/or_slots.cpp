#include "match/or_slots.hpp"

#include <algorithm>

namespace tenure::match {

namespace {

bool same_inside(const std::vector<Need>& a, const std::vector<Need>& b) {
  return std::ranges::equal(a, b, [](const Need& x, const Need& y) {
    return x.type == y.type && x.count == y.count && x.access == y.access &&
           same_inside(x.with, y.with) && x.others.empty() && y.others.empty();
  });
}

bool same_resource(const Need& a, const Need& b) {
  return a.type == b.type && a.access == b.access && same_inside(a.with, b.with);
}

using Slot = SlotContents::Slot;
using Mix = std::vector<std::uint64_t>;  ///< slots of each content

/// The largest number of slots that `left` makes up of one content.
std::uint64_t fit(const Slot& content, const std::vector<std::uint64_t>& left) {
  std::uint64_t slots = kMaxCount;
  for (const auto& [need, count] : content) slots = std::min(slots, left[need] / count);
  return slots;
}

/// Depth first over the numbers of slots of each content, the largest first.
class Mixer {
 public:
  Mixer(const std::vector<Slot>& contents, std::vector<std::uint64_t> left)
      : contents_(contents), left_(std::move(left)), mix_(contents.size(), 0) {}

  Mix best() {
    search(0, 0);
    return best_;
  }

 private:
  void search(std::size_t at, std::uint64_t slots) {
    if (++steps_ > SlotContents::kMaxCombinations) return;
    if (at == contents_.size()) {
      if (best_.empty() || slots > most_) most_ = slots, best_ = mix_;
      return;
    }
    std::uint64_t reachable = slots;
    for (std::size_t i = at; i < contents_.size(); ++i) reachable += fit(contents_[i], left_);
    if (!best_.empty() && reachable <= most_) return;
    const std::uint64_t here = fit(contents_[at], left_);
    for (std::uint64_t n = here + 1; n-- > 0;) {
      take(contents_[at], n);
      mix_[at] = n;
      search(at + 1, slots + n);
      give_back(contents_[at], n);
      if (steps_ > SlotContents::kMaxCombinations) return;
      if (at + 1 == contents_.size()) break;  // fewer of the last one is never more
    }
    mix_[at] = 0;
  }

  void take(const Slot& content, std::uint64_t n) {
    for (const auto& [need, count] : content) left_[need] -= count * n;
  }
  void give_back(const Slot& content, std::uint64_t n) {
    for (const auto& [need, count] : content) left_[need] += count * n;
  }

  const std::vector<Slot>& contents_;
  std::vector<std::uint64_t> left_;
  Mix mix_;
  Mix best_;
  std::uint64_t most_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace

SlotContents::SlotContents(const Need& slot) : slot_(&slot) {
  if (slot.others.empty()) {
    contents_.emplace_back();
    needs_of_.push_back(&slot.with);
    for (std::size_t i = 0; i < slot.with.size(); ++i) {
      originals_.push_back(&slot.with[i]);
      contents_.back().push_back(i);
    }
    return;
  }
  add(slot.with);
  for (const auto& content : slot.others) add(content);
}

void SlotContents::add(const std::vector<Need>& content) {
  needs_of_.push_back(&content);
  std::vector<std::size_t>& places = contents_.emplace_back();
  for (const Need& need : content) {
    const auto same = std::ranges::find_if(
        joined_, [&](const Need& known) { return same_resource(known, need); });
    places.push_back(static_cast<std::size_t>(same - joined_.begin()));
    if (same != joined_.end()) continue;
    joined_.push_back(need);
    originals_.push_back(&need);
  }
}

std::vector<Slot> SlotContents::most_slots(const std::vector<std::uint64_t>& available) const {
  std::vector<Slot> possible;
  for (std::size_t c = 0; c < contents_.size(); ++c) {
    Slot slot;
    for (std::size_t i = 0; i < contents_[c].size(); ++i) {
      const std::size_t need = contents_[c][i];
      // A range takes all there is when the content is the only one.
      const CountSet& count = (*needs_of_[c])[i].count;
      const auto chosen = contents_.size() == 1 ? count.at_most(available[need]) : count.min();
      if (!chosen) return {};
      slot.emplace_back(need, *chosen);
    }
    possible.push_back(std::move(slot));
  }
  const Mix mix = Mixer(possible, available).best();
  std::vector<Slot> slots;
  for (std::size_t c = 0; c < mix.size(); ++c) slots.insert(slots.end(), mix[c], possible[c]);
  return slots;
}

}  // namespace tenure::match
