// Matcher: which resources satisfy a request, and from when.
//
// Invariants
//  1. The answer is a pure function of (graph state, profile, request, policy, times): no
//     history, no caches that show. Caches are keyed by ResourceGraph::generation().
//  2. Earliest first, then the policy: a placement starts at the earliest time at which the
//     request fits for its whole duration; among all that is free throughout that window
//     the policy chooses.
//  3. Removing resources that a choice did not take does not change the choice (first, low
//     and high). Incremental planning relies on it; policies without this property say so
//     in `is_stable`.
//  4. Only nodes that are up are chosen; feasibility ignores up and down but not lost nodes.
//
// Policies: `first` and `low` take the lowest ranks and unit ids, `high` the highest.
//
// find_earliest is O(segments x W) for whole nodes with rejection by counts first, and
// O(change points x shared nodes) more for slots.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "base/time.hpp"
#include "graph/resource_graph.hpp"
#include "graph/resource_set.hpp"
#include "match/request.hpp"
#include "profile/profile.hpp"

namespace tenure::match {

enum class Policy { first, low, high };

/// Errors: `invalid` with the name and the known policies.
Result<Policy> parse_policy(std::string_view name);
std::string_view to_string(Policy policy);
/// See invariant 3.
bool is_stable(Policy policy);

/// A time and the resources chosen for it.
struct Placement {
  Span span;
  graph::ResourceSet resources;
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// A request that this machine can never satisfy; `missing` is for people:
/// "needs 8 nodes with property ssd, the machine has 4".
struct Infeasible {
  std::string missing;
};

/// What a request counts: nodes, or slots when they may be anywhere.
std::uint64_t wanted(const Request& request);

class Matcher {
 public:
  /// The graph must outlive the matcher.
  Matcher(const graph::ResourceGraph& graph, Policy policy);

  Policy policy() const { return policy_; }
  void set_policy(Policy policy) { policy_ = policy; }

  /// Could the request ever run on this machine, empty and all up? nullopt: yes.
  std::optional<Infeasible> infeasible(const Request& request) const;

  /// Nodes that satisfy the constraint and are large enough, up or not, lost ones excluded.
  const graph::NodeSet& candidates(const Request& request) const;
  /// Those of them that are up.
  const graph::NodeSet& eligible(const Request& request) const;
  /// True when the eligible nodes could not hold the request even if nothing ran.
  bool is_lacking_now(const Request& request) const;
  /// The same for people: what is missing now ("needs 4 nodes, 3 of 4 are up"), or nullopt.
  std::optional<Infeasible> lacking_now(const Request& request) const;

  /// What the policy chooses for exactly this span, or nullopt when it does not fit.
  std::optional<graph::ResourceSet> choose(const profile::Profile& profile, const Request& request,
                                           Span span) const;

  /// The earliest placement with start >= from and end <= limit. For an unlimited request
  /// (duration infinite) the span is [start, limit) and start < limit must hold.
  std::optional<Placement> find_earliest(const profile::Profile& profile, const Request& request,
                                         Time from, Duration duration, Time limit) const;

  /// The latest end such that the request fits into [from, end): `from` when it does not fit
  /// at all, never() when it fits for ever. O(W) a segment; for slots O(log S) counts of the span.
  Time fits_until(const profile::Profile& profile, const Request& request, Time from) const;

  /// Nodes (whole_nodes), nodes able to host their slots (slots_on_nodes) or slots
  /// (slots_anywhere) free throughout the span: "2 of 4 free" in reasons.
  std::uint64_t count_free(const profile::Profile& profile, const Request& request,
                           Span span) const;

 private:
  struct Masks {
    std::uint64_t generation = 0;
    graph::NodeSet candidates;
    graph::NodeSet eligible;
    std::uint64_t candidate_capacity = 0;  ///< nodes or slots, as wanted() counts
    std::uint64_t eligible_capacity = 0;
  };
  const Masks& masks(const Request& request) const;
  std::optional<Time> earliest_unlimited(const profile::Profile& profile, const Request& request,
                                         Time from, Time limit) const;

  const graph::ResourceGraph* graph_;
  Policy policy_;
  mutable boost::unordered_flat_map<std::string, std::unique_ptr<Masks>> masks_;
};

}  // namespace tenure::match
