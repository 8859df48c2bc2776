// NodeSet: a bitset over the nodes of one resource graph.
//
// The availability profile keeps one per segment and matching is AND and count over
// them, so the layout is plain 64-bit words and the hot operations are simple loops in
// this header that the compiler vectorises.
//
// Invariants
//  1. Bits at and beyond size() are zero. Whoever writes through words() keeps it so.
//  2. Binary operations require operands of equal size.
//  3. Nodes and ranges given to an operation are below size(), unless stated otherwise.
//
// Every operation is O(size / 64) unless stated otherwise. Not thread-safe for writing.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"

namespace tenure::graph {

/// A run of consecutive nodes, first .. last inclusive.
struct NodeRange {
  NodeIndex first;
  NodeIndex last;

  std::uint32_t count() const { return last.value() - first.value() + 1; }
  friend bool operator==(const NodeRange&, const NodeRange&) = default;
};

/// Number of one bits. Without a population count instruction in the target, shifts and
/// adds vectorise where the library call of the compiler does not.
constexpr std::uint32_t count_bits(std::uint64_t word) {
#ifdef __POPCNT__
  return static_cast<std::uint32_t>(std::popcount(word));
#else
  word -= (word >> 1) & 0x5555555555555555U;
  word = (word & 0x3333333333333333U) + ((word >> 2) & 0x3333333333333333U);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fU;
  word += word >> 8;
  word += word >> 16;
  word += word >> 32;
  return static_cast<std::uint32_t>(word & 0x7fU);
#endif
}

class NodeSet {
 public:
  using Word = std::uint64_t;
  static constexpr std::uint32_t kWordBits = 64;

  NodeSet() = default;
  /// An empty set over `size` nodes.
  explicit NodeSet(std::uint32_t size) : size_(size), words_((size + kWordBits - 1) / kWordBits) {}
  static NodeSet full(std::uint32_t size);

  std::uint32_t size() const { return size_; }
  std::span<const Word> words() const { return words_; }
  std::span<Word> words() { return words_; }

  /// O(1).
  bool test(NodeIndex node) const {
    return (words_[node.value() / kWordBits] >> (node.value() % kWordBits)) & 1U;
  }
  void set(NodeIndex node) { words_[node.value() / kWordBits] |= bit(node); }
  void reset(NodeIndex node) { words_[node.value() / kWordBits] &= ~bit(node); }
  /// O(words touched).
  void set(NodeRange range);
  void reset(NodeRange range);
  /// True when every node of the range is in the set. O(words touched).
  bool test_all(NodeRange range) const;
  /// True when some node of the range is in the set. O(words touched).
  bool test_any(NodeRange range) const;

  void clear() {
    for (Word& word : words_) word = 0;
  }
  bool none() const {
    for (const Word word : words_) {
      if (word != 0) return false;
    }
    return true;
  }
  std::uint32_t count() const {
    std::uint64_t count = 0;
    for (const Word word : words_) count += count_bits(word);
    return static_cast<std::uint32_t>(count);
  }
  std::uint32_t count_and(const NodeSet& other) const {
    const Word* mine = words_.data();
    const Word* theirs = other.words_.data();
    std::uint64_t count = 0;
    for (std::size_t i = 0, n = words_.size(); i < n; ++i) count += count_bits(mine[i] & theirs[i]);
    return static_cast<std::uint32_t>(count);
  }
  /// Becomes the intersection of two sets of this size.
  void assign_and(const NodeSet& a, const NodeSet& b) {
    Word* mine = words_.data();
    const Word* first = a.words_.data();
    const Word* second = b.words_.data();
    for (std::size_t i = 0, n = words_.size(); i < n; ++i) mine[i] = first[i] & second[i];
  }
  /// Intersects this set with `other` and counts what it then shares with `third`: one pass.
  std::uint32_t and_count(const NodeSet& other, const NodeSet& third) {
    Word* mine = words_.data();
    const Word* theirs = other.words_.data();
    const Word* thirds = third.words_.data();
    std::uint64_t count = 0;
    for (std::size_t i = 0, n = words_.size(); i < n; ++i) {
      mine[i] &= theirs[i];
      count += count_bits(mine[i] & thirds[i]);
    }
    return static_cast<std::uint32_t>(count);
  }
  bool intersects(const NodeSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  /// True when every member of `other` is in this set.
  bool contains(const NodeSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((other.words_[i] & ~words_[i]) != 0) return false;
    }
    return true;
  }

  NodeSet& operator&=(const NodeSet& other) {
    Word* mine = words_.data();
    const Word* theirs = other.words_.data();
    for (std::size_t i = 0, n = words_.size(); i < n; ++i) mine[i] &= theirs[i];
    return *this;
  }
  NodeSet& operator|=(const NodeSet& other) {
    Word* mine = words_.data();
    const Word* theirs = other.words_.data();
    for (std::size_t i = 0, n = words_.size(); i < n; ++i) mine[i] |= theirs[i];
    return *this;
  }
  /// Removes the nodes of `other`.
  NodeSet& operator-=(const NodeSet& other) {
    Word* mine = words_.data();
    const Word* theirs = other.words_.data();
    for (std::size_t i = 0, n = words_.size(); i < n; ++i) mine[i] &= ~theirs[i];
    return *this;
  }
  void complement();

  /// The smallest member not below `from`, or size() as an index when there is none.
  /// `from` may be size(). O(words skipped).
  NodeIndex next(NodeIndex from) const;
  /// The smallest node not below `from` that is no member, or size() when there is none.
  NodeIndex next_gap(NodeIndex from) const;

  /// Calls fn(NodeIndex) in ascending order.
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (Word word = words_[i]; word != 0; word &= word - 1) {
        fn(NodeIndex(static_cast<std::uint32_t>(i * kWordBits) +
                     static_cast<std::uint32_t>(std::countr_zero(word))));
      }
    }
  }

  /// Calls fn(NodeRange) for the maximal runs of members, in ascending order.
  template <class Fn>
  void for_each_range(Fn&& fn) const {
    for (NodeIndex first = next(NodeIndex(0)); first.value() < size_;) {
      const NodeIndex gap = next_gap(first);
      fn(NodeRange{first, NodeIndex(gap.value() - 1)});
      first = next(gap);
    }
  }

  /// The members as maximal runs in ascending order.
  std::vector<NodeRange> ranges() const;

  friend bool operator==(const NodeSet&, const NodeSet&) = default;

 private:
  static Word bit(NodeIndex node) { return Word{1} << (node.value() % kWordBits); }
  /// Calls fn(word, mask) for each word of the range until it returns false.
  template <class Words, class Fn>
  static bool for_words(Words& words, NodeRange range, Fn&& fn);

  std::uint32_t size_ = 0;
  std::vector<Word> words_;
};

}  // namespace tenure::graph
