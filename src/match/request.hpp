// Request: a jobspec compiled for matching.
//
// compile() turns the resource tree into one of a few forms that the matcher knows how to
// place quickly. RFC 25 needs three; the general tree of RFC 14 becomes a fourth behind
// the same type. A Request depends on the jobspec alone, not on the machine.
//
// Invariants
//  1. Immutable; shared between equal jobs if the caller likes.
//  2. `slots` is the number of slots in all (nodes * slots_per_node when nodes > 0); counts
//     saturate at 2^63-1 and are compared with the machine before anything is allocated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "jobspec/jobspec.hpp"

namespace tenure::match {

struct UnitCount {
  std::string type;
  std::uint64_t count = 0;
  friend bool operator==(const UnitCount&, const UnitCount&) = default;
};

struct Request {
  enum class Form {
    whole_nodes,     ///< `nodes` nodes, each taken whole and large enough for its slots
    slots_on_nodes,  ///< `nodes` nodes shared with others, slots_per_node slots on each
    slots_anywhere,  ///< `slots` slots wherever they fit, several to a node
  };

  Form form = Form::whole_nodes;
  std::uint64_t nodes = 0;
  std::uint64_t slots_per_node = 1;
  std::uint64_t slots = 1;
  std::vector<UnitCount> per_slot;  ///< by type name, counts > 0
  jobspec::Constraint constraint;
  /// Canonical text of what is asked of each node (not of how many): requests with equal
  /// keys have the same candidate nodes.
  std::string key;

  /// Units of a type that one node must have (whole_nodes, slots_on_nodes).
  std::uint64_t per_node(const UnitCount& unit) const;
};

/// Errors: `unsupported` for a tree that no form covers, naming the JSON path.
Result<Request> compile(const jobspec::Jobspec& jobspec);

}  // namespace tenure::match
