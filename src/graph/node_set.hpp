// NodeSet: a bitset over the nodes of one resource graph.
//
// The availability profile keeps one per segment and matching is AND and count over
// them, so the layout is plain 64-bit words that the compiler vectorises.
//
// Invariants
//  1. Bits at and beyond size() are zero.
//  2. Binary operations require operands of equal size.
//
// Every operation is O(size / 64) unless stated otherwise.
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

  void clear();
  bool none() const;
  std::uint32_t count() const;
  std::uint32_t count_and(const NodeSet& other) const;

  NodeSet& operator&=(const NodeSet& other);
  NodeSet& operator|=(const NodeSet& other);
  /// Removes the nodes of `other`.
  NodeSet& operator-=(const NodeSet& other);
  void complement();

  /// The smallest member not below `from`, or size() as an index when there is none.
  NodeIndex next(NodeIndex from) const;

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

  /// The members as maximal runs in ascending order.
  std::vector<NodeRange> ranges() const;

  friend bool operator==(const NodeSet&, const NodeSet&) = default;

 private:
  static Word bit(NodeIndex node) { return Word{1} << (node.value() % kWordBits); }

  std::uint32_t size_ = 0;
  std::vector<Word> words_;
};

}  // namespace tenure::graph
