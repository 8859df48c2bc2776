// Ranges and sets of acceptable counts: RFC 45 strings, and the counts of RFC 14.
//
// "2-16:2:*" is the counts 2, 4, 8 and 16; "3+" is 3 and everything above. A count of a
// jobspec is a number, a range or an RFC 22 idset ("1,4,9"); CountSet is any of them.
//
// Invariants
//  1. 1 <= min <= max <= kMaxCount and 1 <= operand; with * and ^ operand >= 2, with ^ also
//     min >= 2: each step leads to a larger count (RFC 14).
//  2. A CountSet is never empty, and its smallest count is at least 1.
//
// Complexity: parse and to_string O(length); contains and at_most O(1) for +, O(log max) for
// * and ^, O(log ranges) for an idset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/idset.hpp"
#include "base/result.hpp"

namespace tenure {

using Count = std::uint64_t;

/// Largest count of a jobspec, 2^63 - 1.
inline constexpr Count kMaxCount = 9'223'372'036'854'775'807ULL;

/// min, and from each acceptable count the next one by `next = count OPERATOR operand`.
class CountRange {
 public:
  enum class Operator { add, multiply, power };

  /// The members of RFC 14's dictionary; an absent max means no bound.
  struct Members {
    Count min = 1;
    std::optional<Count> max = std::nullopt;
    Operator op = Operator::add;
    Count operand = 1;
    friend bool operator==(const Members&, const Members&) = default;
  };

  /// Errors: `invalid` naming the member that violates invariant 1, and what would be valid.
  static Result<CountRange> create(Members members);

  /// "min-max:operand:operator" or "min+:operand:operator", perhaps in brackets; the operator +
  /// may be left out, and with it the operand 1. Errors: `invalid` with text and place.
  static Result<CountRange> parse(std::string_view text);

  Count min() const { return members_.min; }
  const Members& members() const { return members_; }
  bool contains(Count count) const { return count >= min() && at_most(count) == count; }
  /// The largest acceptable count that is not above `limit`.
  std::optional<Count> at_most(Count limit) const;

  /// The shortest form, without brackets: "1-4" and not "1-4:1:+".
  std::string to_string() const;
  friend bool operator==(const CountRange&, const CountRange&) = default;

 private:
  explicit CountRange(Members members) : members_(members) {}

  Members members_;
};

/// The counts that a request accepts. Equality is that of the form, not of the set.
class CountSet {
 public:
  /// Exactly this count. Requires 1 <= count <= kMaxCount.
  static CountSet fixed(Count count);
  /* implicit */ CountSet(CountRange range) : form_(range) {}

  /// A number, an RFC 45 range or an RFC 22 idset, as in the string form of RFC 14's count.
  /// Errors: `invalid` with the text and the three forms.
  static Result<CountSet> parse(std::string_view text);

  Count min() const;
  bool contains(Count count) const { return count > 0 && at_most(count) == count; }
  /// The largest acceptable count that is not above `limit`.
  std::optional<Count> at_most(Count limit) const;
  bool is_fixed() const;

  std::string to_string() const;
  friend bool operator==(const CountSet&, const CountSet&) = default;

 private:
  explicit CountSet(Idset counts) : form_(std::move(counts)) {}

  std::variant<CountRange, Idset> form_;
};

}  // namespace tenure
