// Canonical: a jobspec of RFC 14 in full, of which RFC 25 (jobspec.hpp) is a part.
//
// Resources nest at any level, slots may be anywhere, counts are sets (RFC 14, 22, 45).
// `or_slot` siblings are alternatives that may be mixed; of `xor_slot` siblings exactly one is
// taken, the first that fits.
//
// Invariants
//  1. Immutable after parsing; safe to share.
//  2. At most kMaxResourceDepth levels and kMaxResourceVertices vertices; xor_slots expand to
//     at most kMaxAlternatives requests.
//  3. Slots and or_slots have a label; labels are unique; slots hold one resource or more.
//  4. exclusive is "as written"; what is inside a slot is exclusive unless it says not, and
//     `exclusive: false` below a slot is allowed above the last level only where RFC 46's
//     use cases have it (a node shared by the slots' cores).
//
// Error texts keep the words that sites know from Fluxion behind the path of the field:
// "resources[0].with[1]: Key \"count\" missing from resource".
// Parsing is linear in the text. Sources: RFC 14, 22, 31, 45, 46.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/range.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "jobspec/constraint.hpp"
#include "jobspec/jobspec.hpp"

namespace tenure::jobspec {

inline constexpr std::size_t kMaxResourceVertices = 1'000;
inline constexpr std::uint64_t kMaxAlternatives = 1'000;

/// One resource vertex (RFC 14 section "Resources").
struct ResourceVertex {
  enum class Slot { none, all, any, one };  ///< no slot; slot; or_slot; xor_slot

  std::string type;
  Slot slot = Slot::none;
  CountSet count = CountSet::fixed(1);
  std::optional<bool> exclusive;
  std::string unit;
  std::string label;
  std::string id;
  std::vector<ResourceVertex> with;

  bool is_slot() const { return slot != Slot::none; }
  friend bool operator==(const ResourceVertex&, const ResourceVertex&) = default;
};

struct Task {
  enum class Count { per_slot, per_resource, total };

  std::string command;  ///< its words, joined by spaces
  std::string slot;
  Count kind = Count::per_slot;
  std::uint64_t count = 1;
  std::string resource;  ///< of per_resource
};

struct Canonical {
  std::uint64_t version = 1;
  std::vector<ResourceVertex> resources;
  std::vector<Task> tasks;
  Duration duration = Duration::infinite();
  Constraint constraint;
  std::string queue;
  std::string reservation;
};

/// Reads an RFC 14 object of any version from 1 to 9999. Errors: `invalid` with path, value
/// and what would be valid; `limit` for the bounds above.
Result<Canonical> parse_canonical(const boost::json::value& json);
/// The value of the key `resources` alone, at a path for errors.
Result<std::vector<ResourceVertex>> parse_resources(const boost::json::value& json,
                                                    std::string_view path);
/// The value of `resources` again: parse_resources(to_json(r)) == r.
boost::json::array to_json(const std::vector<ResourceVertex>& resources);
/// An RFC 46 shape of the resources, for people: "rack/slot{default}/[ssd;node=2]".
std::string to_shape(const std::vector<ResourceVertex>& resources);

}  // namespace tenure::jobspec
