#include "graph/node_set.hpp"

#include <algorithm>

namespace tenure::graph {

template <class Words, class Fn>
bool NodeSet::for_words(Words& words, NodeRange range, Fn&& fn) {
  const std::uint32_t first = range.first.value() / kWordBits;
  const std::uint32_t last = range.last.value() / kWordBits;
  for (std::uint32_t i = first; i <= last; ++i) {
    Word mask = ~Word{0};
    if (i == first) mask &= ~Word{0} << (range.first.value() % kWordBits);
    if (i == last) mask &= ~Word{0} >> (kWordBits - 1 - range.last.value() % kWordBits);
    if (!fn(words[i], mask)) return false;
  }
  return true;
}

NodeSet NodeSet::full(std::uint32_t size) {
  NodeSet set(size);
  set.complement();
  return set;
}

void NodeSet::set(NodeRange range) {
  for_words(words_, range, [](Word& word, Word mask) {
    word |= mask;
    return true;
  });
}

void NodeSet::reset(NodeRange range) {
  for_words(words_, range, [](Word& word, Word mask) {
    word &= ~mask;
    return true;
  });
}

bool NodeSet::test_all(NodeRange range) const {
  return for_words(words_, range, [](Word word, Word mask) { return (word & mask) == mask; });
}

bool NodeSet::test_any(NodeRange range) const {
  return !for_words(words_, range, [](Word word, Word mask) { return (word & mask) == 0; });
}

void NodeSet::complement() {
  for (Word& word : words_) word = ~word;
  if (size_ % kWordBits != 0) words_.back() &= (Word{1} << (size_ % kWordBits)) - 1;
}

NodeIndex NodeSet::next(NodeIndex from) const {
  if (from.value() >= size_) return NodeIndex(size_);
  std::size_t i = from.value() / kWordBits;
  Word word = words_[i] & (~Word{0} << (from.value() % kWordBits));
  while (word == 0) {
    if (++i == words_.size()) return NodeIndex(size_);
    word = words_[i];
  }
  return NodeIndex(static_cast<std::uint32_t>(i * kWordBits) +
                   static_cast<std::uint32_t>(std::countr_zero(word)));
}

NodeIndex NodeSet::next_gap(NodeIndex from) const {
  if (from.value() >= size_) return NodeIndex(size_);
  std::size_t i = from.value() / kWordBits;
  Word gaps = ~words_[i] & (~Word{0} << (from.value() % kWordBits));
  while (gaps == 0) {
    if (++i == words_.size()) return NodeIndex(size_);
    gaps = ~words_[i];
  }
  return NodeIndex(std::min(size_, static_cast<std::uint32_t>(i * kWordBits) +
                                       static_cast<std::uint32_t>(std::countr_zero(gaps))));
}

std::vector<NodeRange> NodeSet::ranges() const {
  std::vector<NodeRange> ranges;
  for_each_range([&](NodeRange range) { ranges.push_back(range); });
  return ranges;
}

}  // namespace tenure::graph
