#include "graph/resource_set.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.hpp"
#include "graph/resource_graph.hpp"

namespace tenure::graph {
namespace {

NodeIndex after(NodeIndex node) { return NodeIndex(node.value() + 1); }
NodeIndex before(NodeIndex node) { return NodeIndex(node.value() - 1); }

/// Adds a range that begins above the last one, merging neighbours.
void append_range(std::vector<NodeRange>& ranges, NodeRange range) {
  if (!ranges.empty() && after(ranges.back().last) == range.first) {
    ranges.back().last = range.last;
  } else {
    ranges.push_back(range);
  }
}

bool ranges_overlap(std::span<const NodeRange> a, std::span<const NodeRange> b) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].last < b[j].first) {
      ++i;
    } else if (b[j].last < a[i].first) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

bool ranges_touch_parts(std::span<const NodeRange> ranges, std::span<const NodePart> parts) {
  for (std::size_t i = 0, j = 0; i < ranges.size() && j < parts.size();) {
    if (ranges[i].last < parts[j].node) {
      ++i;
    } else if (parts[j].node < ranges[i].first) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

bool parts_overlap(std::span<const NodePart> a, std::span<const NodePart> b) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].node < b[j].node) {
      ++i;
    } else if (b[j].node < a[i].node) {
      ++j;
    } else {
      if (a[i].units.intersects(b[j].units)) return true;
      ++i, ++j;
    }
  }
  return false;
}

/// What is left of whole nodes and of parts when `other` is taken away.
struct Remainder {
  std::vector<NodeRange> whole;
  std::vector<NodePart> parts;
};

/// Whole nodes without `other`: pieces stay whole, nodes that lose some units become parts.
Remainder subtract_from_whole(std::span<const NodeRange> ranges, const ResourceSet& other,
                              const ResourceGraph& graph) {
  Remainder left;
  auto whole = other.whole().begin();
  auto part = other.parts().begin();
  for (const NodeRange& range : ranges) {
    for (NodeIndex first = range.first; first <= range.last;) {
      while (whole != other.whole().end() && whole->last < first) ++whole;
      while (part != other.parts().end() && part->node < first) ++part;
      NodeIndex stop = after(range.last);
      if (whole != other.whole().end()) stop = std::min(stop, std::max(first, whole->first));
      if (part != other.parts().end()) stop = std::min(stop, part->node);
      if (first < stop) left.whole.push_back(NodeRange{first, before(stop)});
      if (stop > range.last) break;
      if (part != other.parts().end() && part->node == stop) {
        UnitMask rest = UnitMask::full(graph.shape_of(stop).units);
        rest -= part->units;
        left.parts.push_back(NodePart{stop, std::move(rest)});
        first = after(stop);
      } else {
        first = after(whole->last);
      }
    }
  }
  return left;
}

std::vector<NodePart> subtract_from_parts(std::span<const NodePart> parts,
                                          const ResourceSet& other) {
  std::vector<NodePart> left;
  auto whole = other.whole().begin();
  auto theirs = other.parts().begin();
  for (const NodePart& part : parts) {
    while (whole != other.whole().end() && whole->last < part.node) ++whole;
    while (theirs != other.parts().end() && theirs->node < part.node) ++theirs;
    if (whole != other.whole().end() && whole->first <= part.node) continue;
    NodePart rest = part;
    if (theirs != other.parts().end() && theirs->node == part.node) rest.units -= theirs->units;
    if (!rest.units.none()) left.push_back(std::move(rest));
  }
  return left;
}

}  // namespace

std::uint32_t ResourceSet::node_count() const {
  std::uint32_t count = static_cast<std::uint32_t>(parts_.size());
  for (const NodeRange& range : whole_) count += range.count();
  return count;
}

bool ResourceSet::touches(NodeIndex node) const {
  const auto range = std::lower_bound(whole_.begin(), whole_.end(), node,
                                      [](const NodeRange& r, NodeIndex n) { return r.last < n; });
  if (range != whole_.end() && range->first <= node) return true;
  const auto part = std::lower_bound(parts_.begin(), parts_.end(), node,
                                     [](const NodePart& p, NodeIndex n) { return p.node < n; });
  return part != parts_.end() && part->node == node;
}

bool ResourceSet::overlaps(const ResourceSet& other) const {
  return ranges_overlap(whole_, other.whole_) || ranges_touch_parts(whole_, other.parts_) ||
         ranges_touch_parts(other.whole_, parts_) || parts_overlap(parts_, other.parts_);
}

bool ResourceSet::touches(const NodeSet& nodes) const {
  return std::any_of(whole_.begin(), whole_.end(),
                     [&](NodeRange range) { return nodes.test_any(range); }) ||
         std::any_of(parts_.begin(), parts_.end(),
                     [&](const NodePart& part) { return nodes.test(part.node); });
}

void ResourceSet::add_whole(const NodeSet& nodes) {
  std::vector<NodeRange> merged;
  auto mine = whole_.begin();
  nodes.for_each_range([&](NodeRange range) {
    for (; mine != whole_.end() && mine->first < range.first; ++mine) append_range(merged, *mine);
    append_range(merged, range);
  });
  for (; mine != whole_.end(); ++mine) append_range(merged, *mine);
  whole_ = std::move(merged);
}

void ResourceSet::append_whole(NodeRange range) {
  CHECK(is_above_all(range.first), "node {}", range.first.value());
  append_range(whole_, range);
}

void ResourceSet::append_part(NodeIndex node, UnitMask units, const Shape& shape) {
  const std::uint32_t count = units.count();
  if (count == shape.units) return append_whole(node);
  if (count == 0) return;
  CHECK(is_above_all(node), "node {}", node.value());
  parts_.push_back(NodePart{node, std::move(units)});
}

ResourceSet ResourceSet::without(const NodeSet& nodes) const {
  NodeSet others = nodes;
  others.complement();
  return restricted_to(others);
}

ResourceSet ResourceSet::restricted_to(const NodeSet& nodes) const {
  ResourceSet result;
  for (const NodeRange& range : whole_) {
    for (NodeIndex first = nodes.next(range.first); first <= range.last;) {
      const NodeIndex gap = nodes.next_gap(first);
      result.whole_.push_back(NodeRange{first, std::min(before(gap), range.last)});
      if (gap > range.last) break;
      first = nodes.next(gap);
    }
  }
  for (const NodePart& part : parts_) {
    if (nodes.test(part.node)) result.parts_.push_back(part);
  }
  return result;
}

ResourceSet ResourceSet::without(const ResourceSet& other, const ResourceGraph& graph) const {
  Remainder left = subtract_from_whole(whole_, other, graph);
  std::vector<NodePart> parts = subtract_from_parts(parts_, other);
  ResourceSet result;
  result.whole_ = std::move(left.whole);
  std::merge(std::make_move_iterator(left.parts.begin()), std::make_move_iterator(left.parts.end()),
             std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()),
             std::back_inserter(result.parts_),
             [](const NodePart& a, const NodePart& b) { return a.node < b.node; });
  return result;
}

std::vector<NodeRange> ResourceSet::nodes() const {
  std::vector<NodeRange> ranges;
  for_each([&](NodeRange range) { append_range(ranges, range); },
           [&](const NodePart& part) {
             append_range(ranges, NodeRange{part.node, part.node});
           });
  return ranges;
}

NodeSet ResourceSet::node_set(std::uint32_t size) const {
  NodeSet nodes(size);
  for (const NodeRange& range : whole_) nodes.set(range);
  for (const NodePart& part : parts_) nodes.set(part.node);
  return nodes;
}

}  // namespace tenure::graph
