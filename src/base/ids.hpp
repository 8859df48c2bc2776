// Strong integer ids. Each concept has its own type, so that a rank cannot be passed
// where a node index is meant.
//
// JobId follows RFC 19: a 64-bit FLUID, printed plain in JSON and as F58 for people.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tenure {

/// An integer that only compares and converts explicitly. Tag names the concept.
template <class Tag, class Int>
class StrongId {
 public:
  using Value = Int;
  constexpr StrongId() = default;
  constexpr explicit StrongId(Int value) : value_(value) {}
  constexpr Int value() const { return value_; }
  friend constexpr auto operator<=>(StrongId, StrongId) = default;
  /// For the Boost containers; std::hash is below.
  friend std::size_t hash_value(StrongId id) noexcept { return std::hash<Int>{}(id.value_); }

 private:
  Int value_ = 0;
};

using JobId = StrongId<struct JobIdTag, std::uint64_t>;
using UserId = StrongId<struct UserIdTag, std::uint32_t>;
/// An execution target (RFC 20): the broker rank that controls a node.
using Rank = StrongId<struct RankTag, std::uint32_t>;
/// Position of a node in the resource graph, 0 .. node_count-1, in rank order.
using NodeIndex = StrongId<struct NodeIndexTag, std::uint32_t>;
/// Position of a shape (the inside of a node) in the resource graph.
using ShapeId = StrongId<struct ShapeIdTag, std::uint32_t>;
/// Job priority of RFC 27, 0 .. 4294967295; larger runs first.
using Priority = StrongId<struct PriorityTag, std::uint32_t>;

/// Formats in F58 ("ƒ" prefix). O(1).
std::string format_f58(JobId id);

/// Accepts F58 (ƒ or f prefix), decimal, 0x hexadecimal and dothex, like `flux job id`;
/// white space around it is ignored. Words and emoji are not read.
/// Errors: `invalid` with the text and the accepted forms.
Result<JobId> parse_job_id(std::string_view text);

}  // namespace tenure

template <class Tag, class Int>
struct std::hash<tenure::StrongId<Tag, Int>> {
  std::size_t operator()(tenure::StrongId<Tag, Int> id) const noexcept {
    return std::hash<Int>{}(id.value());
  }
};
