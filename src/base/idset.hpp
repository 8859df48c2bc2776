// Idset: a set of non-negative integers in the string form of RFC 22.
//
// Invariants
//  1. Held as ascending, disjoint, non-adjacent closed ranges: "0-4294967294" costs one
//     range, whatever a hostile peer sends.
//  2. Ids are at most kMaxId (2^32 - 2, the largest broker rank); larger is an error.
//
// Complexity: parse and format O(length), contains O(log ranges), intersection and
// difference O(ranges of both), union O(n log n) in them, insert and size O(ranges).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tenure {

class Idset {
 public:
  using Id = std::uint32_t;
  static constexpr Id kMaxId = 4294967294U;

  /// A closed range of ids.
  struct Range {
    Id first;
    Id last;
    friend bool operator==(const Range&, const Range&) = default;
  };

  Idset() = default;
  static Idset single(Id id) { return range(id, id); }
  /// Requires first <= last <= kMaxId.
  static Idset range(Id first, Id last);
  /// In any order, repetitions allowed; each at most kMaxId.
  static Idset of(std::span<const Id> ids);

  /// RFC 22 in full: brackets, ranges, ascending order, no leading zeroes. The empty
  /// string and "[]" are the empty set. Errors: `invalid` with the text and the place.
  static Result<Idset> parse(std::string_view text);

  bool empty() const { return ranges_.empty(); }
  std::uint64_t size() const;
  bool contains(Id id) const;
  std::span<const Range> ranges() const { return ranges_; }

  void insert(Id id) { insert(Range{id, id}); }
  void insert(Range range);

  /// Calls fn(Id) in ascending order; O(size).
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (const Range& range : ranges_) {
      for (Id id = range.first;; ++id) {
        fn(id);
        if (id == range.last) break;
      }
    }
  }

  friend Idset operator|(const Idset& a, const Idset& b);
  friend Idset operator&(const Idset& a, const Idset& b);
  friend Idset operator-(const Idset& a, const Idset& b);
  friend bool operator==(const Idset&, const Idset&) = default;

  /// Canonical RFC 22 form without brackets: "0-3,7".
  std::string to_string() const;

 private:
  std::vector<Range> ranges_;
};

}  // namespace tenure
