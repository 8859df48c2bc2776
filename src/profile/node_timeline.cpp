#include <algorithm>

#include "profile/profile.hpp"

namespace tenure::profile {

std::size_t NodeTimeline::find(Time t) const {
  const auto after = std::ranges::upper_bound(segments_, t, {}, &Segment::start);
  return static_cast<std::size_t>(after - segments_.begin()) - 1;
}

std::size_t NodeTimeline::split(Time at) {
  if (at.is_never()) return segments_.size();
  const std::size_t index = find(at);
  if (segments_[index].start == at) return index;
  const auto place = segments_.begin() + static_cast<std::ptrdiff_t>(index);
  segments_.insert(place + 1, Segment{at, place->taken});
  return index + 1;
}

void NodeTimeline::merge(std::size_t first, std::size_t last) {
  const std::size_t begin = std::max<std::size_t>(first, 1);
  const std::size_t end = std::min(last + 1, segments_.size());
  if (begin >= end) return;
  // Compact [begin, end) in place: keep a segment only if it differs from the one kept before.
  std::size_t kept = begin;
  for (std::size_t i = begin; i < end; ++i) {
    if (segments_[i].taken == segments_[kept - 1].taken) continue;
    if (i != kept) segments_[kept] = std::move(segments_[i]);
    ++kept;
  }
  segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(kept),
                  segments_.begin() + static_cast<std::ptrdiff_t>(end));
}

template <class Change>
void NodeTimeline::change(Span span, Change&& change) {
  if (span.empty()) return;
  const std::size_t first = split(span.start);
  const std::size_t last = split(span.end);
  for (std::size_t i = first; i < last; ++i) change(segments_[i]);
  merge(first, last);
}

void NodeTimeline::add(Span span, const graph::UnitMask& units) {
  change(span, [&](Segment& segment) {
    CHECK(!segment.taken.intersects(units), "a unit would be taken twice");
    segment.taken |= units;
  });
}

void NodeTimeline::remove(Span span, const graph::UnitMask& units) {
  change(span, [&](Segment& segment) {
    CHECK(segment.taken.contains(units), "a unit that is not taken would be freed");
    segment.taken -= units;
  });
}

void NodeTimeline::cover(Span span, const graph::UnitMask& units) {
  change(span, [&](Segment& segment) { segment.taken |= units; });
}

void NodeTimeline::uncover(Span span, const graph::UnitMask& units) {
  change(span, [&](Segment& segment) { segment.taken -= units; });
}

graph::UnitMask NodeTimeline::taken_during(Span span) const {
  std::size_t i = find(span.start);
  graph::UnitMask taken = segments_[i].taken;
  for (++i; i < segments_.size() && segments_[i].start < span.end; ++i) {
    taken |= segments_[i].taken;
  }
  return taken;
}

Time NodeTimeline::next_change(Time t) const { return segment_end(find(t)); }

bool NodeTimeline::is_shared(const graph::UnitMask& full) const {
  return std::ranges::any_of(segments_, [&](const Segment& segment) {
    return !segment.taken.none() && segment.taken != full;
  });
}

}  // namespace tenure::profile
