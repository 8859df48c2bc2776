// TreeRequest: a jobspec of any shape (RFC 14) compiled for the TreeMatcher.
//
// Invariants
//  1. Depends on the jobspec alone. Immutable, safe to share.
//  2. A request is a list of alternatives, in order of preference: each choice among
//     sibling xor_slots is one. There is at least one and at most kMaxAlternatives.
//  3. What is exclusive is decided here: as written, and inside a slot unless written false.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/range.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "jobspec/canonical.hpp"

namespace tenure::match {

struct Need {
  enum class Access {
    shared,     ///< may be used by others too
    exclusive,  ///< held with all below; granted is what was asked for
    whole,      ///< held and granted with all below (`exclusive: true`)
  };

  std::string type;  ///< of a vertex; empty for a slot
  std::string label;
  CountSet count = CountSet::fixed(1);
  Access access = Access::shared;
  std::vector<Need> with;
  /// or_slot: further contents, any of which makes a slot.
  std::vector<std::vector<Need>> others;

  bool is_slot() const { return type.empty(); }
};

struct TreeRequest {
  std::vector<std::vector<Need>> alternatives;
  jobspec::Constraint constraint;
  Duration duration = Duration::infinite();
  /// Siblings may ask for the same resources: greedy choice alone does not decide.
  enum class Siblings { independent, competing } siblings = Siblings::independent;
  /// Types with siblings: they compete as well where one of them has vertices inside.
  std::set<std::string> sibling_types;
};

/// Errors: `limit` beyond kMaxAlternatives.
Result<TreeRequest> compile(const jobspec::Canonical& jobspec);

}  // namespace tenure::match
