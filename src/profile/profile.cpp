#include "profile/profile.hpp"

#include <algorithm>

namespace tenure::profile {

using graph::NodePart;
using graph::NodeRange;
using graph::NodeSet;
using graph::ResourceSet;
using graph::UnitMask;

namespace {

/// Calls fn(node) for the nodes of `set`'s whole ranges that are in `nodes`.
template <class Fn>
void for_each_whole_in(const ResourceSet& set, const NodeSet& nodes, Fn&& fn) {
  for (const NodeRange& range : set.whole()) {
    for (NodeIndex n = nodes.next(range.first); n.value() < nodes.size() && n <= range.last;
         n = nodes.next(NodeIndex(n.value() + 1))) {
      fn(n);
    }
  }
}

}  // namespace

Profile::Profile(const graph::ResourceGraph& graph)
    : graph_(&graph), shared_nodes_(graph.node_count()) {
  segments_.push_back({kBeginning, graph.node_count(), NodeSet::full(graph.node_count())});
}

std::size_t Profile::segment_at(Time t) const {
  const auto after = std::ranges::upper_bound(segments_, t, {}, &Segment::start);
  return static_cast<std::size_t>(after - segments_.begin()) - 1;
}

std::size_t Profile::split(Time at) {
  if (at.is_never()) return segments_.size();
  const std::size_t index = segment_at(at);
  if (segments_[index].start == at) return index;
  const Segment& whole = segments_[index];
  Segment second{at, whole.idle_count, whole.idle};
  segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(second));
  return index + 1;
}

void Profile::merge(std::size_t first, std::size_t last) {
  const std::size_t begin = std::max<std::size_t>(first, 1);
  const std::size_t end = std::min(last + 1, segments_.size());
  if (begin >= end) return;
  std::size_t kept = begin;
  for (std::size_t i = begin; i < end; ++i) {
    const Segment& before = segments_[kept - 1];
    if (segments_[i].idle_count == before.idle_count && segments_[i].idle == before.idle) continue;
    if (i != kept) segments_[kept] = std::move(segments_[i]);
    ++kept;
  }
  segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(kept),
                  segments_.begin() + static_cast<std::ptrdiff_t>(end));
}

template <class Change>
void Profile::change_idle(Span span, Change&& change) {
  const std::size_t first = split(span.start);
  const std::size_t last = split(span.end);
  for (std::size_t i = first; i < last; ++i) change(segments_[i]);
  merge(first, last);
}

void Profile::add(Span span, const ResourceSet& set) {
  if (span.empty() || set.empty()) return;
  if (!set.whole().empty()) {
    change_idle(span, [&](Segment& segment) {
      for (const NodeRange& range : set.whole()) {
        CHECK(segment.idle.test_all(range), "a node would be taken twice");
        segment.idle.reset(range);
        segment.idle_count -= range.count();
      }
    });
    take_shared_whole(span, set);
  }
  for (const NodePart& part : set.parts()) take_part(span, part);
}

void Profile::remove(Span span, const ResourceSet& set) {
  if (span.empty() || set.empty()) return;
  if (!set.whole().empty()) {
    free_shared_whole(span, set);
    change_idle(span, [&](Segment& segment) {
      for (const NodeRange& range : set.whole()) {
        CHECK(!segment.idle.test(range.first), "a node that is not taken would be freed");
        segment.idle.set(range);
        segment.idle_count += range.count();
      }
    });
  }
  for (const NodePart& part : set.parts()) free_part(span, part);
}

void Profile::move_end(Time old_end, Time new_end, const ResourceSet& set) {
  if (old_end < new_end) {
    add(Span{old_end, new_end}, set);
  } else {
    remove(Span{new_end, old_end}, set);
  }
}

void Profile::cover(Span span, const ResourceSet& set) {
  if (span.empty() || set.empty()) return;
  if (!set.whole().empty()) {
    change_idle(span, [&](Segment& segment) {
      for (const NodeRange& range : set.whole()) segment.idle.reset(range);
      segment.idle_count = segment.idle.count();
    });
  }
  for_each_shared_whole(set, [&](NodeIndex node, const UnitMask& all) {
    timelines_.at(node.value()).cover(span, all);
    drop_if_unshared(node);
  });
  for (const NodePart& part : set.parts()) {
    make_shared(part.node).cover(span, part.units);
    clear_idle(part.node, span);
    drop_if_unshared(part.node);
  }
}

void Profile::uncover(Span span, const ResourceSet& set) {
  if (span.empty() || set.empty()) return;
  for_each_shared_whole(set, [&](NodeIndex node, const UnitMask& all) {
    timelines_.at(node.value()).uncover(span, all);
  });
  if (!set.whole().empty()) {
    change_idle(span, [&](Segment& segment) {
      for (const NodeRange& range : set.whole()) segment.idle.set(range);
      segment.idle_count = segment.idle.count();
    });
  }
  for_each_shared_whole(set, [&](NodeIndex node, const UnitMask&) { drop_if_unshared(node); });
  for (const NodePart& part : set.parts()) {
    NodeTimeline& timeline = make_shared(part.node);
    timeline.uncover(span, part.units);
    set_idle_where_free(part.node, span, timeline);
    drop_if_unshared(part.node);
  }
}

/// Calls fn(node, all its units) for the shared nodes that the set takes whole. O(1) without
/// shared nodes.
template <class Fn>
void Profile::for_each_shared_whole(const ResourceSet& set, Fn&& fn) {
  if (timelines_.empty()) return;
  for_each_whole_in(set, NodeSet(shared_nodes_), [&](NodeIndex node) {
    fn(node, UnitMask::full(graph_->shape_of(node).units));
  });
}

void Profile::clear_idle(NodeIndex node, Span span) {
  change_idle(span, [&](Segment& segment) {
    if (!segment.idle.test(node)) return;
    segment.idle.reset(node);
    --segment.idle_count;
  });
}

void Profile::take_part(Span span, const NodePart& part) {
  make_shared(part.node).add(span, part.units);
  clear_idle(part.node, span);
  drop_if_unshared(part.node);
}

void Profile::free_part(Span span, const NodePart& part) {
  // Parts that add up to the whole node left no timeline: where it is not idle, it is full.
  NodeTimeline& timeline = make_shared(part.node);
  timeline.remove(span, part.units);
  set_idle_where_free(part.node, span, timeline);
  drop_if_unshared(part.node);
}

void Profile::set_idle_where_free(NodeIndex node, Span span, const NodeTimeline& timeline) {
  const auto& segments = timeline.segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Span free{std::max(segments[i].start, span.start),
                    std::min(timeline.segment_end(i), span.end)};
    if (free.empty() || !segments[i].taken.none()) continue;
    change_idle(free, [&](Segment& segment) {
      if (segment.idle.test(node)) return;
      segment.idle.set(node);
      ++segment.idle_count;
    });
  }
}

void Profile::take_shared_whole(Span span, const ResourceSet& set) {
  for_each_shared_whole(set, [&](NodeIndex node, const UnitMask& all) {
    timelines_.at(node.value()).add(span, all);
  });
}

void Profile::free_shared_whole(Span span, const ResourceSet& set) {
  for_each_shared_whole(set, [&](NodeIndex node, const UnitMask& all) {
    timelines_.at(node.value()).remove(span, all);
  });
}

NodeTimeline& Profile::make_shared(NodeIndex node) {
  const auto found = timelines_.find(node.value());
  if (found != timelines_.end()) return found->second;
  // So far only whole-node spans touched the node: where it is not idle, it is full.
  const std::uint32_t units = graph_->shape_of(node).units;
  NodeTimeline timeline(units);
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (segments_[i].idle.test(node)) continue;
    timeline.add(Span{segments_[i].start, segment_end(i)}, UnitMask::full(units));
  }
  shared_nodes_.set(node);
  return timelines_.emplace(node.value(), std::move(timeline)).first->second;
}

void Profile::drop_if_unshared(NodeIndex node) {
  const auto found = timelines_.find(node.value());
  if (found->second.is_shared(UnitMask::full(graph_->shape_of(node).units))) return;
  timelines_.erase(found);
  shared_nodes_.reset(node);
}

NodeSet Profile::idle_throughout(Span span) const {
  std::size_t i = segment_at(span.start);
  NodeSet idle = segments_[i].idle;
  for (++i; i < segments_.size() && segments_[i].start < span.end; ++i) idle &= segments_[i].idle;
  return idle;
}

UnitMask Profile::free_units(NodeIndex node, Span span) const {
  const std::uint32_t units = graph_->shape_of(node).units;
  const auto found = timelines_.find(node.value());
  if (found != timelines_.end()) {
    UnitMask free = UnitMask::full(units);
    free -= found->second.taken_during(span);
    return free;
  }
  for (std::size_t i = segment_at(span.start);
       i < segments_.size() && (segments_[i].start < span.end || segments_[i].start <= span.start);
       ++i) {
    if (!segments_[i].idle.test(node)) return UnitMask(units);
  }
  return UnitMask::full(units);
}

bool Profile::is_free(Span span, const ResourceSet& set) const {
  if (span.empty()) return true;
  for (std::size_t i = segment_at(span.start);
       i < segments_.size() && segments_[i].start < span.end; ++i) {
    for (const NodeRange& range : set.whole()) {
      if (!segments_[i].idle.test_all(range)) return false;
    }
  }
  return std::ranges::all_of(set.parts(), [&](const NodePart& part) {
    return free_units(part.node, span).contains(part.units);
  });
}

}  // namespace tenure::profile
