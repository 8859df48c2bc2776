#include "match/slot_search.hpp"

#include <algorithm>
#include <limits>

namespace tenure::match {

using graph::NodeSet;
using graph::Pool;
using graph::ResourceSet;
using graph::Shape;
using graph::UnitMask;
using profile::NodeTimeline;
using profile::Profile;

namespace {

using Form = Request::Form;

bool later(Time a, Time b) { return a > b; }

/// Takes `count` free units of a pool, lowest or highest first.
void take(UnitMask& taken, const UnitMask& free, const Pool& pool, std::uint64_t count,
          Policy policy) {
  for (std::uint32_t i = 0; i < pool.count() && count > 0; ++i) {
    const std::uint32_t unit =
        pool.first_unit + (policy == Policy::high ? pool.count() - 1 - i : i);
    if (!free.test(unit)) continue;
    taken.set(unit);
    --count;
  }
}

}  // namespace

std::uint64_t slots_in(const Request& request, const Shape& shape, const UnitMask& free) {
  std::uint64_t slots = std::numeric_limits<std::uint64_t>::max();
  for (const UnitCount& unit : request.per_slot) {
    const Pool* pool = shape.pool(unit.type);
    if (pool == nullptr) return 0;
    slots = std::min(slots, free.count(pool->first_unit, pool->count()) / unit.count);
  }
  return slots;
}

std::uint64_t slots_in_shape(const Request& request, const Shape& shape) {
  return slots_in(request, shape, UnitMask::full(shape.units));
}

std::optional<ResourceSet> choose_slots(const graph::ResourceGraph& graph, const Profile& profile,
                                        const Request& request, const NodeSet& eligible,
                                        Policy policy, Span span) {
  struct Taken {
    NodeIndex node;
    UnitMask units;
  };
  std::vector<Taken> taken;
  const bool anywhere = request.form == Form::slots_anywhere;
  std::uint64_t missing = wanted(request);
  const NodeSet idle = profile.idle_throughout(span);
  const auto visit = [&](NodeIndex node) {
    const bool is_idle = idle.test(node);
    if (!is_idle && !profile.shared_nodes().test(node)) return;
    const Shape& shape = graph.shape_of(node);
    const UnitMask free = is_idle ? UnitMask::full(shape.units) : profile.free_units(node, span);
    const std::uint64_t slots = slots_in(request, shape, free);
    if (slots < (anywhere ? 1 : request.slots_per_node)) return;
    const std::uint64_t used = anywhere ? std::min(slots, missing) : request.slots_per_node;
    UnitMask units(shape.units);
    for (const UnitCount& unit : request.per_slot) {
      take(units, free, *shape.pool(unit.type), unit.count * used, policy);
    }
    taken.push_back({node, std::move(units)});
    missing -= anywhere ? used : 1;
  };
  if (policy == Policy::high) {
    for (std::uint32_t n = graph.node_count(); n > 0 && missing > 0; --n) {
      if (eligible.test(NodeIndex(n - 1))) visit(NodeIndex(n - 1));
    }
    std::ranges::reverse(taken);
  } else {
    for (NodeIndex n = eligible.next(NodeIndex(0)); n.value() < eligible.size() && missing > 0;
         n = eligible.next(NodeIndex(n.value() + 1))) {
      visit(n);
    }
  }
  if (missing > 0) return std::nullopt;
  ResourceSet chosen;
  for (Taken& part : taken) {
    chosen.append_part(part.node, std::move(part.units), graph.shape_of(part.node));
  }
  return chosen;
}

std::vector<Time> change_points(const Profile& profile, const Request& request,
                                const NodeSet& eligible, Time after) {
  std::vector<Time> times;
  const auto add = [&](Time t) {
    if (t > after) times.push_back(t);
  };
  for (const auto& segment : profile.segments()) add(segment.start);
  if (request.form != Form::whole_nodes) {
    profile.shared_nodes().for_each([&](NodeIndex node) {
      if (!eligible.test(node)) return;
      for (const auto& segment : profile.timeline(node).segments()) add(segment.start);
    });
  }
  std::ranges::sort(times);
  return times;
}

std::optional<Time> earliest_slots_unlimited(const graph::ResourceGraph& graph,
                                             const Profile& profile, const Request& request,
                                             const NodeSet& eligible, Time from, Time limit) {
  if (from >= limit) return std::nullopt;
  // What is free until the limit only grows with the start: bisect over the change points.
  std::vector<Time> starts = change_points(profile, request, eligible, from);
  starts.insert(starts.begin(), from);
  starts.erase(std::ranges::lower_bound(starts, limit), starts.end());
  const auto found = std::ranges::partition_point(starts, [&](Time start) {
    return SlotSearch(graph, profile, request, eligible, Span{start, limit}).count() <
           wanted(request);
  });
  if (found == starts.end()) return std::nullopt;
  return *found;
}

SlotSearch::SlotSearch(const graph::ResourceGraph& graph, const Profile& profile,
                       const Request& request, const NodeSet& eligible, Span span)
    : graph_(&graph),
      profile_(&profile),
      request_(&request),
      window_(profile, eligible, span),
      unshared_(eligible) {
  for (const Shape& shape : graph.shapes()) {
    shape_offer_.push_back(offer_of(slots_in_shape(request, shape)));
  }
  unshared_ -= profile.shared_nodes();
  NodeSet shared = profile.shared_nodes();
  shared &= eligible;
  shared.for_each([&](NodeIndex node) {
    Shared entry{node};
    refresh(entry);
    shared_offer_ += entry.offer;
    shared_.push_back(entry);
  });
  std::ranges::make_heap(shared_, later, &Shared::valid_until);
}

std::uint64_t SlotSearch::offer_of(std::uint64_t slots) const {
  if (request_->form == Form::slots_anywhere) return slots;
  return slots >= request_->slots_per_node ? 1 : 0;
}

void SlotSearch::refresh(Shared& shared) {
  const Span span = window_.span();
  const NodeTimeline& timeline = profile_->timeline(shared.node);
  const Shape& shape = graph_->shape_of(shared.node);
  UnitMask free = UnitMask::full(shape.units);
  free -= timeline.taken_during(span);
  shared.offer = offer_of(slots_in(*request_, shape, free));
  // The union changes when the start passes a change point, or the end meets a new segment:
  // that is at the first start after which span.end exceeds the segment's start.
  shared.valid_until = timeline.next_change(span.start);
  if (!span.end.is_never()) {
    const Time entering = timeline.next_change(span.end - Duration::microseconds(1));
    if (!entering.is_never()) {
      const Time start = span.start + (entering - span.end) + Duration::microseconds(1);
      shared.valid_until = std::min(shared.valid_until, start);
    }
  }
}

void SlotSearch::move_to(Time start) {
  window_.move_to(start);
  while (!shared_.empty() && shared_.front().valid_until <= start) {
    std::ranges::pop_heap(shared_, later, &Shared::valid_until);
    Shared& entry = shared_.back();
    shared_offer_ -= entry.offer;
    refresh(entry);
    shared_offer_ += entry.offer;
    std::ranges::push_heap(shared_, later, &Shared::valid_until);
  }
}

std::uint64_t SlotSearch::idle_offer() {
  NodeSet idle = window_.idle();
  idle &= unshared_;
  std::uint64_t offer = 0;
  for (std::uint32_t i = 0; i < shape_offer_.size(); ++i) {
    if (shape_offer_[i] == 0) continue;
    offer += idle.count_and(graph_->nodes_of_shape(ShapeId(i))) * shape_offer_[i];
  }
  return offer;
}

std::uint64_t SlotSearch::count() { return shared_offer_ + idle_offer(); }

std::optional<Time> SlotSearch::seek(Time limit) {
  const std::uint64_t goal = wanted(*request_);
  // A request can begin to fit only where something ends: at a change point of the segments
  // or of a shared node.
  while (window_.span().end <= limit) {
    if (count() >= goal) return window_.span().start;
    Time next = profile_->segment_end(profile_->segment_at(window_.span().start));
    if (!shared_.empty()) next = std::min(next, shared_.front().valid_until);
    if (next.is_never()) return std::nullopt;
    move_to(next);
  }
  return std::nullopt;
}

}  // namespace tenure::match
