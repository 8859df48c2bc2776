// Profile: which resources are free at which time.
//
// Time is cut into segments at change points. Each segment holds the set of *idle* nodes
// (no unit taken) and its size; a node that is ever taken in part has a timeline of its own
// with the mask of its taken units (whole-node spans included), so that core-level work
// cuts the machine's time only where a node becomes idle or stops being so.
//
// Invariants
//  1. Segments are ascending and cover [-infinity, never()): the first begins at the
//     smallest Time, the last ends at never(). Adjacent segments differ (canonical form), so
//     that equal contents mean equal profiles, whatever the history.
//  2. A node is idle in a segment exactly when no span there takes a unit of it.
//  3. No unit is taken twice at one instant: add() requires its resources to be free. The
//     caller resolves conflicts first (facts before plans). cover() and uncover() are for views,
//     where a unit may be taken for several reasons: whoever uncovers covers again for the rest.
//  4. segment.idle_count == segment.idle.count(), always.
//  5. Copying is the fork of design section 8: a copy shares nothing that later changes.
//
// Complexity, with S segments, s of them crossed, W = node_count/64 and w words touched:
//  add, remove, move_end   O(log S + s w) and O(S) small moves when a change point appears
//  idle_at, count          O(log S)
//  window sweep            amortised one AND of W words a segment (two-stack queue)
// move_end touches only the time between the old and the new end.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "graph/node_set.hpp"
#include "graph/resource_graph.hpp"
#include "graph/resource_set.hpp"

namespace tenure::profile {

/// The smallest time; every profile begins here.
inline constexpr Time kBeginning = Time::microseconds(std::numeric_limits<std::int64_t>::min());

/// An instant behind every change point.
inline constexpr Time kLastInstant =
    Time::microseconds(std::numeric_limits<std::int64_t>::max() - 1);

/// One node's taken units over time: canonical segments like the profile's own.
class NodeTimeline {
 public:
  struct Segment {
    Time start;
    graph::UnitMask taken;
    friend bool operator==(const Segment&, const Segment&) = default;
  };

  explicit NodeTimeline(std::uint32_t units) : segments_{{kBeginning, graph::UnitMask(units)}} {}

  /// Requires the units to be free (add), taken (remove) throughout the span.
  void add(Span span, const graph::UnitMask& units);
  void remove(Span span, const graph::UnitMask& units);
  /// The same whatever is taken already.
  void cover(Span span, const graph::UnitMask& units);
  void uncover(Span span, const graph::UnitMask& units);
  /// Union of what is taken anywhere in the span. O(log n + segments in the span).
  graph::UnitMask taken_during(Span span) const;
  /// First change point after `t`; never() when there is none.
  Time next_change(Time t) const;
  const std::vector<Segment>& segments() const { return segments_; }
  Time segment_end(std::size_t index) const {
    return index + 1 < segments_.size() ? segments_[index + 1].start : Time::never();
  }
  /// True when some segment is neither free nor full.
  bool is_shared(const graph::UnitMask& full) const;

  friend bool operator==(const NodeTimeline&, const NodeTimeline&) = default;

 private:
  std::size_t find(Time t) const;
  std::size_t split(Time at);
  void merge(std::size_t first, std::size_t last);
  template <class Change>
  void change(Span span, Change&& change);

  std::vector<Segment> segments_;
};

class Profile {
 public:
  struct Segment {
    Time start;
    std::uint32_t idle_count = 0;
    graph::NodeSet idle;
    friend bool operator==(const Segment&, const Segment&) = default;
  };

  /// Everything is free for ever. The graph's node count and shapes must not change while
  /// the profile lives; up and down do not matter here.
  explicit Profile(const graph::ResourceGraph& graph);
  /// The copy looks at `graph`, an equal copy of the original's.
  Profile(const Profile& other, const graph::ResourceGraph& graph) : Profile(other) {
    graph_ = &graph;
  }

  /// Takes the resources for the span. Requires them to be free throughout. An empty span
  /// changes nothing.
  void add(Span span, const graph::ResourceSet& set);
  /// Frees them again. Requires that they are taken throughout.
  void remove(Span span, const graph::ResourceSet& set);
  /// Moves the end of a span that holds `set`: adds [old_end, new_end) or removes
  /// [new_end, old_end).
  void move_end(Time old_end, Time new_end, const graph::ResourceSet& set);
  /// Takes of the resources what is free, at each instant of the span.
  void cover(Span span, const graph::ResourceSet& set);
  /// Frees all of the resources for the span, whoever took them.
  void uncover(Span span, const graph::ResourceSet& set);
  /// True when the resources are free throughout the span.
  bool is_free(Span span, const graph::ResourceSet& set) const;

  std::span<const Segment> segments() const { return segments_; }
  /// Index of the segment that contains `t` (never() is in the last). O(log S).
  std::size_t segment_at(Time t) const;
  Time segment_end(std::size_t index) const {
    return index + 1 < segments_.size() ? segments_[index + 1].start : Time::never();
  }

  /// Nodes idle throughout the span. O(log S + segments x W).
  graph::NodeSet idle_throughout(Span span) const;
  /// Nodes that some span takes in part; each has a timeline.
  const graph::NodeSet& shared_nodes() const { return shared_nodes_; }
  /// The timeline of a shared node. Requires that the node is shared.
  const NodeTimeline& timeline(NodeIndex node) const { return timelines_.at(node.value()); }
  /// Units of the node free throughout the span, whole-node spans considered as well.
  graph::UnitMask free_units(NodeIndex node, Span span) const;

  friend bool operator==(const Profile& a, const Profile& b) {
    return a.segments_ == b.segments_ && a.timelines_ == b.timelines_;
  }

 private:
  std::size_t split(Time at);
  void merge(std::size_t first, std::size_t last);
  template <class Change>
  void change_idle(Span span, Change&& change);
  template <class Fn>
  void for_each_shared_whole(const graph::ResourceSet& set, Fn&& fn);
  void clear_idle(NodeIndex node, Span span);
  void take_part(Span span, const graph::NodePart& part);
  void free_part(Span span, const graph::NodePart& part);
  void take_shared_whole(Span span, const graph::ResourceSet& set);
  void free_shared_whole(Span span, const graph::ResourceSet& set);
  void set_idle_where_free(NodeIndex node, Span span, const NodeTimeline& timeline);
  NodeTimeline& make_shared(NodeIndex node);
  void drop_if_unshared(NodeIndex node);

  const graph::ResourceGraph* graph_;
  std::vector<Segment> segments_;
  boost::unordered_flat_map<std::uint32_t, NodeTimeline> timelines_;
  graph::NodeSet shared_nodes_;
};

}  // namespace tenure::profile
