// TreeState: what is free in a window, less what one match has taken; with an undo journal.
//
// Invariants
//  1. A unit is free when no span of the profile takes it in the window and this match has
//     not: `free` is closed (taking a vertex takes all below).
//  2. What is down is never chosen or entered, but does not hinder holding what is above it.
//  3. rollback(checkpoint()) restores the state exactly.
//
// State is made a holder at a time when it is first looked at. All steps O(units / 64), but
// for interior vertices O(nodes below). Internal to the match layer.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/vertices.hpp"
#include "profile/profile.hpp"

namespace tenure::match {

class TreeState {
 public:
  enum class Machine { as_it_is, empty_and_up };
  struct Window {
    const profile::Profile* profile = nullptr;  ///< nullptr: everything is free
    Span span{};
    Machine machine = Machine::as_it_is;
    bool whole_nodes = false;  ///< nodes that are used at all must be free as a whole
  };

  /// `eligible` are the nodes that the constraint allows.
  TreeState(const graph::ResourceGraph& graph, Window window, graph::NodeSet eligible);

  const graph::Vertices& vertices() const { return vertices_; }
  /// Up, allowed, and not lost: may be chosen or walked into.
  bool may_enter(graph::Vertex v);
  bool can_share(graph::Vertex v);
  bool can_hold(graph::Vertex v);
  void share(graph::Vertex v);
  void hold(graph::Vertex v);
  /// Free units in the subtree when the match began.
  std::uint64_t weight(graph::Vertex v);
  /// Free units of a type in the subtree now; nodes count one when free as a whole.
  std::uint64_t free_below(graph::Vertex v, std::string_view type);

  /// The largest size of a vertex of the type, at least 1.
  std::uint64_t largest_size(std::string_view type);

  std::size_t checkpoint() const { return journal_.size(); }
  void rollback(std::size_t checkpoint);

 private:
  struct Holder {
    graph::UnitMask free;
    graph::UnitMask shared;
    std::uint32_t initially_free = 0;
    bool idle = false;  ///< nothing of the node is taken
    bool is_shared = false;
  };
  struct Change {
    std::uint32_t holder;
    Holder before;
  };

  Holder& holder(NodeIndex index);
  Holder& change(NodeIndex index);
  Holder make(NodeIndex index) const;
  bool is_usable(NodeIndex target) const;

  const graph::ResourceGraph* graph_;
  graph::Vertices vertices_;
  Window window_;
  graph::NodeSet eligible_;
  graph::NodeSet idle_;
  boost::unordered_flat_map<std::uint32_t, Holder> holders_;
  boost::unordered_flat_map<std::uint32_t, std::uint64_t> interior_weights_;
  std::map<std::string, std::uint64_t, std::less<>> largest_sizes_;
  std::vector<Change> journal_;
};

}  // namespace tenure::match
