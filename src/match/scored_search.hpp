// ScoredSearch: one match by scores, the way of the query shell (Levels::strict).
//
// The graph is walked once in depth first order. Every vertex that can serve a need becomes
// a *group* with a score made of ids; where a need is filled, its groups are sorted by score
// and the best are taken. Slots are groups of several vertices, formed in the vertex that has
// children of all the types in the slot, and compete by the sum of their scores.
//
// Scores: 1 + id + 1, under node-centric policies with (id of the node + 1) * 10000 more for
// a node and all below it; a slot has 1 + the scores of what is in it. Equal scores stand as
// std::sort leaves them: scripts depend on choices that hang on it, and libstdc++ has
// sorted the same way since it exists.
//
// `first` walks children by free amount (TreeOptions::weight), then by uniq_id, highest
// first, and stops when it has enough. `locality` compares runs of consecutive scores
// where the request as a whole is filled, and scores inside.
//
// Siblings do not compete here: TreeMatcher gives requests in which they do to TreeSearch.
// One match is O(vertices + groups log groups). Internal to the match layer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "match/tree_matcher.hpp"
#include "match/tree_search.hpp"
#include "match/tree_state.hpp"

namespace tenure::match {

class ScoredSearch {
 public:
  ScoredSearch(const graph::ResourceGraph& graph, TreeState& state, const TreeOptions& options)
      : graph_(&graph), state_(&state), options_(&options) {}

  /// True with the choice in picks().
  bool fill(const Needs& needs);

  const Picks& picks() const { return picks_; }
  std::uint64_t slots() const { return slots_; }
  /// Vertices looked at.
  std::uint64_t steps() const { return steps_; }
  /// After fill() failed: "ssd: needs 2 per rack, has 1".
  std::string missing(const Needs& needs) const { return notes_.missing(needs, *graph_); }

 private:
  enum class Begun { no, yes };
  enum class Place { outermost, inside };  ///< the request itself, or a vertex or slot in it
  /// A vertex with what was chosen below it, or a slot with what is in it.
  struct Group {
    std::int64_t score = 0;
    std::uint64_t count = 1;
    graph::Vertex vertex;  ///< of a slot: the one it was formed in
    Need::Access access = Need::Access::shared;
    bool is_slot = false;
    std::vector<Group> with;
  };
  using Groups = std::vector<Group>;
  using GroupLists = std::vector<Groups>;  ///< one a need

  void visit(graph::Vertex v, const Needs& needs, Begun begun, std::uint64_t times,
             GroupLists& lists);
  void explore(graph::Vertex v, const Needs& needs, Begun begun, std::uint64_t times,
               GroupLists& lists);
  bool make_group(graph::Vertex v, const Need& need, Group& group);
  bool choose(const Needs& needs, graph::Vertex scope, Place place, GroupLists& lists,
              Groups& chosen);
  void look_beside(graph::Vertex v, const Need& need, Groups& groups);
  bool is_possible(const Need& need, graph::Vertex v) const;
  bool is_container(graph::Vertex v, const Need& slot) const;
  bool may_contain(graph::Vertex v, const Needs& needs) const;
  void form_slots(graph::Vertex v, const Need& slot, Groups& slots);

  std::int64_t score(graph::Vertex v) const;
  std::int64_t perf_class(const Group& group) const;
  void sort(Groups& groups, Place place) const;
  void sort_by_runs(Groups& groups) const;
  void sort_by_class(Groups& groups, std::uint64_t wanted) const;
  void collect(const Groups& chosen);

  const graph::ResourceGraph* graph_;
  TreeState* state_;
  const TreeOptions* options_;
  std::uint64_t steps_ = 0;
  std::uint64_t slots_ = 0;
  Picks picks_;
  Notes notes_;
};

}  // namespace tenure::match
