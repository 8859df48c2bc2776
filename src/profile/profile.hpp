// Profile: which resources are free at which time.
//
// Time is cut into segments at change points. Each segment holds the set of *idle* nodes
// (no unit taken) and its size; nodes taken in part have a timeline of their own with the
// mask of their taken units, so that core-level work does not cut the machine's time.
//
// Invariants
//  1. Segments are ascending and cover [-infinity, never()): the first begins at the
//     smallest Time, the last ends at never(). Adjacent segments differ (canonical form), so
//     that equal contents mean equal profiles, whatever the history.
//  2. A node is idle in a segment exactly when no span there takes a unit of it.
//  3. No unit is taken twice at one instant: add() requires its resources to be free. The
//     caller resolves conflicts first (facts before plans).
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
inline constexpr Time kBeginning =
    Time::microseconds(std::numeric_limits<std::int64_t>::min());

/// One node's taken units over time: canonical segments like the profile's own.
class NodeTimeline {
 public:
  struct Segment {
    Time start;
    graph::UnitMask taken;
    friend bool operator==(const Segment&, const Segment&) = default;
  };

  explicit NodeTimeline(std::uint32_t units)
      : segments_{{kBeginning, graph::UnitMask(units)}} {}

  void add(Span span, const graph::UnitMask& units);
  void remove(Span span, const graph::UnitMask& units);
  /// Union of what is taken anywhere in the span. O(log n + segments in the span).
  graph::UnitMask taken_during(Span span) const;
  const std::vector<Segment>& segments() const { return segments_; }
  bool untouched() const { return segments_.size() == 1; }

  friend bool operator==(const NodeTimeline&, const NodeTimeline&) = default;

 private:
  std::size_t split(Time at);
  void merge(std::size_t first, std::size_t last);

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

  /// Takes the resources for the span. Requires them to be free throughout. An empty span
  /// changes nothing.
  void add(Span span, const graph::ResourceSet& set);
  /// Frees them again. Requires that they are taken throughout.
  void remove(Span span, const graph::ResourceSet& set);
  /// Moves the end of a span that holds `set`: adds [old_end, new_end) or removes
  /// [new_end, old_end).
  void move_end(Time old_end, Time new_end, const graph::ResourceSet& set);
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
  /// Nodes that are taken in part, at some time, by a timeline.
  const graph::NodeSet& shared_nodes() const { return shared_nodes_; }
  /// Units of the node free throughout the span, whole-node spans considered as well.
  graph::UnitMask free_units(NodeIndex node, Span span) const;
  /// Change points of shared nodes, ascending, without repetition, in (after, until).
  std::vector<Time> shared_change_points(Time after, Time until) const;

  friend bool operator==(const Profile& a, const Profile& b) {
    return a.segments_ == b.segments_ && a.timelines_ == b.timelines_;
  }

 private:
  std::size_t split(Time at);
  void merge(Time from, Time to);
  template <class Fn>
  void apply(Span span, Fn&& change);
  void refresh_idle(NodeIndex node, Span span);

  const graph::ResourceGraph* graph_;
  std::vector<Segment> segments_;
  boost::unordered_flat_map<std::uint32_t, NodeTimeline> timelines_;
  graph::NodeSet shared_nodes_;
};

/// Slides a window of fixed length over the profile and keeps the AND of the idle sets of
/// all segments that the window meets (two-stack queue: amortised one AND a segment).
///
///   IdleWindow window(profile, eligible, start, length);
///   while (window.count() < k && window.advance()) {}
class IdleWindow {
 public:
  /// The window [start, start + length), restricted to `eligible`.
  IdleWindow(const Profile& profile, const graph::NodeSet& eligible, Time start, Duration length);

  Span span() const { return span_; }
  /// Nodes idle throughout the window and eligible.
  const graph::NodeSet& idle() const { return idle_; }
  std::uint32_t count() const { return count_; }
  /// Moves the start to the next change point; false when there is none.
  bool advance();
  /// Moves on to the first start, the present one included, at which at least `wanted`
  /// nodes are idle throughout; false when there is none with span().end <= limit.
  bool seek(std::uint32_t wanted, Time limit);

 private:
  void push(std::size_t segment);
  void pop();
  void combine();

  const Profile* profile_;
  const graph::NodeSet* eligible_;
  Duration length_;
  Span span_;
  std::size_t first_ = 0;  ///< first segment in the window
  std::size_t past_ = 0;   ///< one past the last
  std::vector<graph::NodeSet> front_;  ///< suffix ANDs, top is first_
  graph::NodeSet back_;                ///< AND of the segments pushed since the last turn
  std::size_t back_first_ = 0;
  graph::NodeSet idle_;
  std::uint32_t count_ = 0;
};

}  // namespace tenure::profile
