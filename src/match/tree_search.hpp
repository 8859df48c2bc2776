// TreeSearch: one match of one request in one window (docs/design/matching.md).
//
// Candidates stand in the order of the policy and are taken one by one; fill() is greedy,
// fill_exactly() searches all choices in the same order. Internal to the match layer.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "match/notes.hpp"
#include "match/tree_matcher.hpp"
#include "match/tree_state.hpp"

namespace tenure::match {

/// A vertex chosen for a need, before what is above and below it is added.
struct Pick {
  graph::Vertex vertex;
  Need::Access access;
};
using Picks = std::vector<Pick>;
using Needs = std::vector<Need>;

/// Vertices of auxiliary subsystems from which relations lead to v, nearest first.
std::vector<graph::Vertex> vertices_beside(const graph::ResourceGraph& graph,
                                           const TreeOptions& options, graph::Vertex v);
/// Children that may be entered; for policies that stop on the first match those with most free
/// first, then by uniq_id, highest first.
std::vector<graph::Vertex> children_in_order(graph::Vertex v, TreeState& state,
                                             const TreeOptions& options);
/// True when a filter shows that what is needed below v, `times` times, is not free there.
bool lacks_free(const Needs& needs, graph::Vertex v, std::uint64_t times, TreeState& state,
                const PruneFilters& filters);

class TreeSearch {
 public:
  TreeSearch(const graph::ResourceGraph& graph, TreeState& state, const TreeOptions& options,
             std::uint64_t budget);

  /// Greedy. True with the choice in picks(); else the state is as it was.
  bool fill(const Needs& needs);
  /// All choices.
  bool fill_exactly(const Needs& needs);

  const Picks& picks() const { return picks_; }
  std::uint64_t slots() const { return slots_; }
  std::uint64_t steps() const { return steps_; }
  bool is_over_budget() const { return steps_ > budget_; }
  /// After fill() failed: what was missing, "ssd: needs 2 per rack, has 1".
  std::string missing(const Needs& needs) const { return notes_.missing(needs, *graph_); }

 private:
  enum class Begun { no, yes };
  struct Tried {
    graph::Vertex vertex;  ///< of a slot: the first vertex in it
    std::uint64_t size = 1;
    Picks picks;
  };
  struct Found {
    std::vector<graph::Vertex> vertices;
    std::size_t dead = 0;     ///< the first ones that are taken already …
    std::size_t dead_at = 0;  ///< … as long as the journal is no shorter
  };
  using Continue = std::function<bool()>;

  bool step() { return ++steps_ <= budget_; }
  void undo(std::size_t checkpoint);
  bool fill_list(const Needs& needs, graph::Vertex scope, Begun begun, Picks& picks);
  bool fill_need(const Need& need, graph::Vertex scope, Begun begun, Picks& picks);
  bool fill_slots(const Need& slot, graph::Vertex scope, Begun begun, Picks& picks);
  bool fill_slot(const Need& slot, graph::Vertex container, Tried& made);
  bool try_vertex(const Need& need, graph::Vertex v, Picks& picks);
  bool is_possible(const Need& need, graph::Vertex v);
  bool take(const Need& need, std::vector<Tried>& tried, std::uint64_t have, std::size_t checkpoint,
            Picks& picks);
  void mark(const Pick& pick);

  Found& candidates(const Need& need, graph::Vertex scope, Begun begun);
  void collect(const Need& need, graph::Vertex below, Begun begun,
               std::vector<graph::Vertex>& found);
  void collect_beside(const Need& need, graph::Vertex scope, std::vector<graph::Vertex>& found);
  std::vector<graph::Vertex> children(graph::Vertex v) {
    return children_in_order(v, *state_, *options_);
  }
  bool may_contain(graph::Vertex v, std::string_view type) const;
  std::vector<graph::Vertex> containers(const Need& slot, graph::Vertex scope, Begun begun);
  void collect_containers(const Need& slot, graph::Vertex v, std::vector<graph::Vertex>& found);
  bool is_inside_nodes(const Need& slot) const;

  std::pair<std::int64_t, std::int64_t> ids(graph::Vertex v) const;
  void order(std::vector<graph::Vertex>& vertices) const;
  void order(std::vector<Tried>& tried) const;
  void order_by_runs(std::vector<Tried>& tried) const;
  void order_by_class(std::vector<Tried>& tried, std::uint64_t wanted) const;

  bool exact_list(const Needs& needs, std::size_t index, graph::Vertex scope, Begun begun,
                  const Continue& next);
  bool exact_need(const Need& need, graph::Vertex scope, Begun begun, const Continue& next);
  bool exact_pick(const Need& need, const std::vector<graph::Vertex>& vertices, std::size_t from,
                  std::uint64_t missing, const Continue& next);
  bool exact_slots(const Need& slot, const std::vector<graph::Vertex>& places, std::size_t from,
                   std::uint64_t missing, const Continue& next);

  const graph::ResourceGraph* graph_;
  TreeState* state_;
  const TreeOptions* options_;
  std::uint64_t budget_;
  std::uint64_t steps_ = 0;
  std::uint64_t slots_ = 0;
  Picks picks_;
  std::map<std::pair<const Need*, graph::Vertex>, Found> found_;
  std::vector<Found*> long_lists_;
  Notes notes_;
};

}  // namespace tenure::match
