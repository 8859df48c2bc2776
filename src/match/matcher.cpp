#include "match/matcher.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "match/slot_search.hpp"
#include "profile/idle_window.hpp"

namespace tenure::match {

using graph::NodeSet;
using graph::ResourceSet;
using profile::IdleWindow;
using profile::Profile;

namespace {

using Form = Request::Form;

/// Distinct requests whose node sets are kept; beyond it the cache starts afresh.
constexpr std::size_t kMaxCachedMasks = 1024;

/// Nodes large enough for what one node has to host.
NodeSet large_enough(const graph::ResourceGraph& graph, const Request& request) {
  NodeSet nodes(graph.node_count());
  const std::uint64_t wanted = request.form == Form::slots_anywhere ? 1 : request.slots_per_node;
  for (std::uint32_t i = 0; i < graph.shapes().size(); ++i) {
    if (slots_in_shape(request, graph.shapes()[i]) >= wanted)
      nodes |= graph.nodes_of_shape(ShapeId(i));
  }
  return nodes;
}

/// What the nodes of the set can host when empty, in the request's unit of counting.
std::uint64_t capacity(const graph::ResourceGraph& graph, const Request& request,
                       const NodeSet& nodes) {
  if (request.form != Form::slots_anywhere) return nodes.count();
  std::uint64_t slots = 0;
  for (std::uint32_t i = 0; i < graph.shapes().size(); ++i) {
    slots += nodes.count_and(graph.nodes_of_shape(ShapeId(i))) *
             slots_in_shape(request, graph.shapes()[i]);
  }
  return slots;
}

/// "4 nodes with at least 2 cores, 1 gpu satisfying {…}".
std::string wish(const Request& request) {
  const bool anywhere = request.form == Form::slots_anywhere;
  std::string text = plural(anywhere ? request.slots : request.nodes, anywhere ? "slot" : "node");
  std::string units;
  for (const UnitCount& unit : request.per_slot) {
    const std::uint64_t count = anywhere ? unit.count : request.per_node(unit);
    units += fmt::format("{}{}", units.empty() ? "" : ", ", plural(count, unit.type));
  }
  text += (anywhere ? " of " : " with at least ") + units;
  if (!request.constraint.always()) text += " satisfying " + request.constraint.to_string();
  return text;
}

/// The k lowest or highest members of a set.
NodeSet pick(const NodeSet& from, std::uint32_t k, Policy policy) {
  NodeSet picked(from.size());
  const auto source = from.words();
  const auto target = picked.words();
  const std::size_t words = source.size();
  for (std::size_t i = 0; i < words && k > 0; ++i) {
    const std::size_t w = policy == Policy::high ? words - 1 - i : i;
    NodeSet::Word word = source[w];
    const auto members = static_cast<std::uint32_t>(std::popcount(word));
    if (members <= k) {
      target[w] = word;
      k -= members;
      continue;
    }
    for (; k > 0; --k) {
      const int bit = policy == Policy::high ? 63 - std::countl_zero(word) : std::countr_zero(word);
      target[w] |= NodeSet::Word{1} << bit;
      word &= ~(NodeSet::Word{1} << bit);
    }
  }
  return picked;
}

/// The policy's choice of k whole nodes.
ResourceSet choose_whole(const NodeSet& from, std::uint32_t k, Policy policy) {
  ResourceSet chosen;
  chosen.add_whole(pick(from, k, policy));
  return chosen;
}

}  // namespace

Result<Policy> parse_policy(std::string_view name) {
  if (name == "first") return Policy::first;
  if (name == "low") return Policy::low;
  if (name == "high") return Policy::high;
  return failure(ErrorCode::invalid, "{} is not a match policy: first, low, high", in_quotes(name));
}

std::string_view to_string(Policy policy) {
  switch (policy) {
    case Policy::first:
      return "first";
    case Policy::low:
      return "low";
    case Policy::high:
      return "high";
  }
  return "unknown";
}

bool is_stable(Policy policy) {
  return policy == Policy::first || policy == Policy::low || policy == Policy::high;
}

Matcher::Matcher(const graph::ResourceGraph& graph, Policy policy)
    : graph_(&graph), policy_(policy) {}

const Matcher::Masks& Matcher::masks(const Request& request) const {
  if (masks_.size() >= kMaxCachedMasks && !masks_.contains(request.key)) masks_.clear();
  auto& slot = masks_[request.key];
  if (slot == nullptr) {
    slot = std::make_unique<Masks>();
  } else if (slot->generation == graph_->generation()) {
    return *slot;
  }
  slot->generation = graph_->generation();
  slot->candidates = large_enough(*graph_, request);
  slot->candidates &= graph_->present();
  if (!request.constraint.always()) slot->candidates &= request.constraint.evaluate(*graph_);
  slot->candidate_capacity = capacity(*graph_, request, slot->candidates);
  slot->eligible = slot->candidates;
  slot->eligible &= graph_->up();
  slot->eligible_capacity = capacity(*graph_, request, slot->eligible);
  return *slot;
}

const NodeSet& Matcher::candidates(const Request& request) const {
  return masks(request).candidates;
}

const NodeSet& Matcher::eligible(const Request& request) const { return masks(request).eligible; }

std::optional<Infeasible> Matcher::infeasible(const Request& request) const {
  const std::uint64_t have = masks(request).candidate_capacity;
  if (have >= wanted(request)) return std::nullopt;
  for (const UnitCount& unit : request.per_slot) {
    if (graph_->has_type(unit.type)) continue;
    return Infeasible{fmt::format("needs {}, the machine has no {}", wish(request), unit.type)};
  }
  return Infeasible{fmt::format("needs {}, the machine has {}", wish(request), have)};
}

bool Matcher::is_lacking_now(const Request& request) const {
  return masks(request).eligible_capacity < wanted(request);
}

std::optional<Infeasible> Matcher::lacking_now(const Request& request) const {
  if (!is_lacking_now(request)) return std::nullopt;
  const Masks& masks = this->masks(request);
  return Infeasible{fmt::format("needs {}, {} of {} are up", wish(request), masks.eligible_capacity,
                                masks.candidate_capacity)};
}

std::optional<ResourceSet> Matcher::choose(const Profile& profile, const Request& request,
                                           Span span) const {
  if (request.form != Form::whole_nodes) {
    return choose_slots(*graph_, profile, request, eligible(request), policy_, span);
  }
  // Most requests for "now" fail; the count at the start of the span tells without a bitset.
  const auto& at_start = profile.segments()[profile.segment_at(span.start)];
  if (at_start.idle_count < request.nodes) return std::nullopt;
  NodeSet idle = profile.idle_throughout(span);
  idle &= eligible(request);
  if (idle.count() < request.nodes) return std::nullopt;
  return choose_whole(idle, static_cast<std::uint32_t>(request.nodes), policy_);
}

std::optional<Placement> Matcher::find_earliest(const Profile& profile, const Request& request,
                                                Time from, Duration duration, Time limit) const {
  if (is_lacking_now(request)) return std::nullopt;
  const bool whole = request.form == Form::whole_nodes;
  Time start;
  if (duration.is_infinite()) {
    const auto earliest =
        whole ? earliest_unlimited(profile, request, from, limit)
              : earliest_slots_unlimited(*graph_, profile, request, eligible(request), from, limit);
    if (!earliest) return std::nullopt;
    start = *earliest;
  } else if (whole) {
    IdleWindow window(profile, eligible(request), Span{from, from + duration});
    const auto nodes = static_cast<std::uint32_t>(request.nodes);
    if (!window.seek(nodes, limit)) return std::nullopt;
    return Placement{window.span(), choose_whole(window.idle(), nodes, policy_)};
  } else {
    SlotSearch search(*graph_, profile, request, eligible(request), Span{from, from + duration});
    const auto earliest = search.seek(limit);
    if (!earliest) return std::nullopt;
    start = *earliest;
  }
  const Span span{start, duration.is_infinite() ? limit : start + duration};
  auto chosen = choose(profile, request, span);
  CHECK(chosen.has_value(), "a window that fits must have a choice");
  return Placement{span, std::move(*chosen)};
}

/// Idle nodes of an open-ended window only grow with its start: sweep back from the limit.
std::optional<Time> Matcher::earliest_unlimited(const Profile& profile, const Request& request,
                                                Time from, Time limit) const {
  if (from >= limit) return std::nullopt;
  const auto segments = profile.segments();
  std::size_t i = segments.size() - 1;
  if (!limit.is_never()) {
    i = profile.segment_at(limit);
    if (segments[i].start == limit) --i;
  }
  NodeSet idle = eligible(request);
  std::optional<Time> earliest;
  while (true) {
    idle &= segments[i].idle;
    if (idle.count() < request.nodes) return earliest;
    earliest = std::max(from, segments[i].start);
    if (segments[i].start <= from || i == 0) return earliest;
    --i;
  }
}

std::uint64_t Matcher::count_free(const Profile& profile, const Request& request, Span span) const {
  if (request.form == Form::whole_nodes) {
    return profile.idle_throughout(span).count_and(eligible(request));
  }
  SlotSearch search(*graph_, profile, request, eligible(request), span);
  return search.count();
}

Time Matcher::fits_until(const Profile& profile, const Request& request, Time from) const {
  if (request.form == Form::whole_nodes) {
    // Forward, for what is free now is mostly promised soon.
    NodeSet idle = eligible(request);
    const auto segments = profile.segments();
    for (std::size_t i = profile.segment_at(from); i < segments.size(); ++i) {
      idle &= segments[i].idle;
      if (idle.count() < request.nodes) return std::max(from, segments[i].start);
    }
    return Time::never();
  }
  std::vector<Time> ends = change_points(profile, request, eligible(request), from);
  ends.push_back(Time::never());
  // What is free throughout only shrinks with the end: find the first end that is too late.
  const auto too_late = std::ranges::partition_point(ends, [&](Time end) {
    return count_free(profile, request, Span{from, end}) >= wanted(request);
  });
  return too_late == ends.begin() ? from : *std::prev(too_late);
}

std::uint64_t wanted(const Request& request) {
  return request.form == Form::slots_anywhere ? request.slots : request.nodes;
}

}  // namespace tenure::match
