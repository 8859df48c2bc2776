// Jobspec: what a job asks for, parsed once and validated.
//
// The tree is RFC 14's; this reader accepts RFC 25 (V1) in full and names what it does
// not accept. Matching never sees JSON: match::compile() turns the tree into a Request.
//
// Invariants
//  1. A Jobspec is immutable after parsing and safe to share between jobs.
//  2. Counts are 1 .. 2^63-1 (S3 of the cases); nesting at most kMaxResourceDepth.
//  3. A duration of zero or an absent one means unlimited: `duration` is infinite then.
//
// Where the text of RFC 25 and its schema differ, what either accepts is accepted:
// `exclusive` on the node (text) and on the slot (schema), a label on every vertex (text),
// `attributes` null and no `system` in it (schema), a command as a string (schema), `total`
// above the number of slots (schema, and use case 2.1 of the RFC needs it).
//
// Parsing is linear in the text. Sources: RFC 14, 25, 31.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "jobspec/constraint.hpp"

namespace tenure::jobspec {

inline constexpr int kMaxResourceDepth = 32;
inline constexpr std::uint64_t kMaxCount = 9'223'372'036'854'775'807ULL;

/// One resource vertex of the request (RFC 14 section "Resources").
struct Resource {
  std::string type;  ///< "node", "slot", "core", "gpu"
  std::uint64_t count = 1;
  bool exclusive = false;  ///< as written; what is inside a slot is exclusive anyway
  std::string label;       ///< slots have one
  std::vector<Resource> with;

  friend bool operator==(const Resource&, const Resource&) = default;
};

struct Jobspec {
  std::vector<Resource> resources;
  Duration duration = Duration::infinite();  ///< the walltime asked for
  Constraint constraint;
  std::string queue;        ///< empty: the anonymous queue
  std::string reservation;  ///< advance reservation asked for, or empty
  /// JSON of what parse() read, commands left out: parse(text) is this jobspec again.
  std::string text;

  bool is_unlimited() const { return duration.is_infinite(); }
};

/// Reads an RFC 25 object. Errors: `invalid` with the JSON path of the field, the value and
/// what would be valid, as in "resources[0].with[0].count: -1 is not an integer from 1 to …";
/// `limit` for a constraint beyond its bounds. Keys of attributes.system that the scheduler
/// does not use are ignored (RFC 14: reserved words), all other unknown keys are refused.
Result<Jobspec> parse(const boost::json::value& json);

/// The members of a request in short form: how scenarios, traces and the command line ask.
/// nodes == 0 means slots anywhere. Requires slots >= 1; with nodes, slots % nodes == 0.
/// Counts of zero or beyond kMaxCount are written as they are and refused by parse().
struct Shorthand {
  std::uint64_t nodes = 0;
  std::uint64_t slots = 1;
  std::uint64_t cores_per_slot = 1;
  std::uint64_t gpus_per_slot = 0;
  bool exclusive = false;  ///< whole nodes
  Duration duration = Duration::infinite();
  std::string queue{};
  std::string reservation{};
  std::optional<boost::json::value> constraint{};
};

/// The RFC 25 object for a short form: parse(write(shorthand)) is what a user would send.
boost::json::object write(const Shorthand& request);

}  // namespace tenure::jobspec
