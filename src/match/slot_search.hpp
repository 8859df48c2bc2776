// Slot search: requests that share nodes, over time.
//
// What a node offers in a window changes only when the window's start or end passes one of
// the node's own change points. SlotSearch keeps, for every eligible node that is shared,
// how many slots it offers and until which window start that stays true; moving on looks
// again only at nodes whose answer can have changed. Idle nodes are counted by shape from
// the IdleWindow, without looking at them one by one.
//
// Complexity of a sweep: O(segments x W) for the idle part, plus O(log) and one mask union
// for each change point of a shared node met. Internal to the match layer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "match/matcher.hpp"
#include "profile/idle_window.hpp"

namespace tenure::match {

/// Slots that fit into the units of `free` on a node of this shape.
std::uint64_t slots_in(const Request& request, const graph::Shape& shape,
                       const graph::UnitMask& free);
/// Slots that fit into an empty node of this shape.
std::uint64_t slots_in_shape(const Request& request, const graph::Shape& shape);

/// The policy's choice for the span, or nullopt: slots_on_nodes and slots_anywhere.
std::optional<graph::ResourceSet> choose_slots(const graph::ResourceGraph& graph,
                                               const profile::Profile& profile,
                                               const Request& request,
                                               const graph::NodeSet& eligible, Policy policy,
                                               Span span);

/// Times after `after` at which what is free to the request can change, ascending.
std::vector<Time> change_points(const profile::Profile& profile, const Request& request,
                                const graph::NodeSet& eligible, Time after);

/// The earliest start in [from, limit) from which the request fits until `limit`.
std::optional<Time> earliest_slots_unlimited(const graph::ResourceGraph& graph,
                                             const profile::Profile& profile,
                                             const Request& request, const graph::NodeSet& eligible,
                                             Time from, Time limit);

class SlotSearch {
 public:
  /// A window at `span`; all arguments must outlive the search.
  SlotSearch(const graph::ResourceGraph& graph, const profile::Profile& profile,
             const Request& request, const graph::NodeSet& eligible, Span span);

  /// Nodes able to host their slots, or slots in all (slots_anywhere), in the window.
  std::uint64_t count();
  /// The first start, the present one included, at which the request fits and the window
  /// ends at or before `limit`.
  std::optional<Time> seek(Time limit);

 private:
  struct Shared {
    NodeIndex node;
    std::uint64_t offer = 0;           ///< what the node counts for in the present window
    Time valid_until = Time::never();  ///< first window start at which it may differ
  };

  std::uint64_t offer_of(std::uint64_t slots) const;
  void refresh(Shared& shared);
  void move_to(Time start);
  std::uint64_t idle_offer();

  const graph::ResourceGraph* graph_;
  const profile::Profile* profile_;
  const Request* request_;
  profile::IdleWindow window_;
  std::vector<std::uint64_t> shape_offer_;  ///< by shape: what an idle node counts for
  std::vector<Shared> shared_;              ///< a heap by valid_until, earliest first
  graph::NodeSet unshared_;                 ///< eligible nodes without a timeline
  std::uint64_t shared_offer_ = 0;          ///< sum over shared_
};

}  // namespace tenure::match
