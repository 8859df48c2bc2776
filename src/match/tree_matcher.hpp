// TreeMatcher: requests of any shape against the whole graph in a window of time.
//
// docs/design/matching.md has the algorithm. match::Matcher remains the fast way for RFC 25.
//
// Invariants
//  1. The answer is a pure function of graph, profile, request, policy and times.
//  2. Only what is usable is chosen: up, and below nothing that is down. Satisfiability asks
//     about an empty machine that is all up, lost resources excluded.
//  3. What is held is free throughout the window and closed downwards (graph/shape.hpp);
//     what is granted is inside it, but for the shared vertices above.
//  4. One match takes at most kStepBudget steps (candidates tried); beyond it the outcome is
//     OverBudget and the counter grows.
//
// Not thread-safe: a matcher keeps counters and scratch memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "graph/resource_graph.hpp"
#include "graph/resource_set.hpp"
#include "graph/vertex.hpp"
#include "match/matcher.hpp"
#include "match/prune_filters.hpp"
#include "match/selection_policy.hpp"
#include "match/tree_request.hpp"
#include "match/tree_state.hpp"
#include "profile/profile.hpp"

namespace tenure::match {

inline constexpr std::uint64_t kStepBudget = 5'000'000;

enum class Access { shared, exclusive };

struct Grant {
  graph::Vertex vertex;
  Access access = Access::shared;
  friend bool operator==(const Grant&, const Grant&) = default;
};

/// What a match chose.
struct Selection {
  /// In preorder of the graph, with all vertices above (shared).
  std::vector<Grant> granted;
  /// What the profile has to hold.
  graph::ResourceSet held;
  std::uint64_t slots = 0;
  friend bool operator==(const Selection&, const Selection&) = default;
};

struct TreePlacement {
  Span span;
  Selection selection;
};
/// Not in this window; perhaps in another.
struct Insufficient {};
/// The search was given up: the request is too ambiguous for the budget.
struct OverBudget {};

using TreeOutcome = std::variant<TreePlacement, Insufficient, Infeasible, OverBudget>;

/// How far a need may lie below the one that holds it.
enum class Levels {
  any,     ///< anywhere below: cores of a node, sockets between them or not
  strict,  ///< directly below; only what is above the first level may be left out. The choice
           ///< is that of the query shell (match/scored_search.hpp)
};

struct TreeOptions {
  SelectionPolicy policy{};
  Levels levels = Levels::any;
  PruneFilters filters{};
  std::uint64_t step_budget = kStepBudget;
  /// Policies that stop on the first match walk children with much free first: how much. Empty:
  /// the free units of the window.
  std::function<std::uint64_t(graph::Vertex)> weight{};
  /// Auxiliary subsystems that needs may be met from; nullopt: all.
  std::optional<std::vector<std::string>> subsystems = std::nullopt;
};

struct Pick;

class TreeMatcher {
 public:
  /// The graph must outlive the matcher.
  TreeMatcher(const graph::ResourceGraph& graph, TreeOptions options);

  /// The policy's choice for exactly this window. Never Infeasible.
  TreeOutcome match(const TreeRequest& request, const profile::Profile& profile, Span span);

  /// The earliest start >= from, tried at `from` and at each change point of the profile,
  /// with an end <= limit; an unlimited request is placed in [start, limit). Insufficient
  /// when there is none.
  TreeOutcome earliest(const TreeRequest& request, const profile::Profile& profile, Time from,
                       Duration duration, Time limit);

  /// Could the request ever run? Infeasible names what is missing, as in
  /// "ssd: needs 24016 per chassis, has 16308"; else a placement on the empty machine.
  TreeOutcome satisfiability(const TreeRequest& request);

  struct Counters {
    std::uint64_t matches = 0;
    std::uint64_t steps = 0;
    std::uint64_t over_budget = 0;
  };
  const Counters& counters() const { return counters_; }

 private:
  TreeOutcome search(const TreeRequest& request, const TreeState::Window& window);
  TreePlacement placement(Span span, const std::vector<Pick>& picks, std::uint64_t slots) const;

  const graph::ResourceGraph* graph_;
  TreeOptions options_;
  Counters counters_;
};

}  // namespace tenure::match
