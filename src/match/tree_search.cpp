#include "match/tree_search.hpp"

#include <algorithm>
#include <set>

namespace tenure::match {

using graph::Shape;
using graph::Vertex;
using Order = SelectionPolicy::Order;

namespace {

/// Lists shorter than this are walked again from their beginning.
constexpr std::size_t kLongList = 64;

std::uint64_t most(const CountSet& count) { return *count.at_most(kMaxCount); }

}  // namespace

std::vector<Vertex> vertices_beside(const graph::ResourceGraph& graph, const TreeOptions& options,
                                    Vertex v) {
  std::vector<Vertex> found;
  std::set<Vertex> seen{v};
  for (const graph::Subsystem& subsystem : graph.topology().subsystems()) {
    if (options.subsystems &&
        std::ranges::find(*options.subsystems, subsystem.name()) == options.subsystems->end()) {
      continue;
    }
    std::vector<Vertex> ahead{v};
    for (std::size_t i = 0; i < ahead.size(); ++i) {
      for (const graph::Relation& relation : subsystem.to(ahead[i])) {
        if (!seen.insert(relation.from).second) continue;
        ahead.push_back(relation.from);
        found.push_back(relation.from);
      }
    }
  }
  return found;
}

std::vector<Vertex> children_in_order(Vertex v, TreeState& state, const TreeOptions& options) {
  std::vector<Vertex> children = state.vertices().children(v);
  std::erase_if(children, [&](Vertex child) { return !state.may_enter(child); });
  if (!options.policy.stops_on_first()) return children;
  struct Weighed {
    std::uint64_t weight;
    std::int64_t uniq_id;
    Vertex vertex;
  };
  std::vector<Weighed> weighed;
  for (const Vertex child : children) {
    const std::uint64_t weight = options.weight ? options.weight(child) : state.weight(child);
    weighed.push_back({weight, state.vertices().uniq_id(child), child});
  }
  std::ranges::sort(weighed, [](const Weighed& a, const Weighed& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.uniq_id > b.uniq_id;
  });
  std::ranges::transform(weighed, children.begin(), &Weighed::vertex);
  return children;
}

bool lacks_free(const Needs& needs, Vertex v, std::uint64_t times, TreeState& state,
                const PruneFilters& filters) {
  if (filters.empty()) return false;
  return std::ranges::any_of(needs, [&](const Need& need) {
    const std::uint64_t least = std::min(need.count.min(), kMaxCount / times);
    if (need.is_slot()) {
      return need.others.empty() && lacks_free(need.with, v, times * least, state, filters);
    }
    // A vertex of some size counts for several.
    const std::uint64_t size = state.largest_size(need.type);
    const std::uint64_t vertices = times * (least / size + (least % size > 0 ? 1 : 0));
    const bool counted = filters.counts(state.vertices().type(v), need.type);
    if (counted && state.free_below(v, need.type) < vertices) return true;
    return lacks_free(need.with, v, vertices, state, filters);
  });
}

TreeSearch::TreeSearch(const graph::ResourceGraph& graph, TreeState& state,
                       const TreeOptions& options, std::uint64_t budget)
    : graph_(&graph), state_(&state), options_(&options), budget_(budget) {}

void TreeSearch::undo(std::size_t checkpoint) {
  if (state_->checkpoint() == checkpoint) return;
  state_->rollback(checkpoint);
  for (Found* list : long_lists_) {
    if (list->dead_at > checkpoint) list->dead = list->dead_at = 0;
  }
}

bool TreeSearch::fill(const Needs& needs) {
  const std::size_t before = state_->checkpoint();
  picks_.clear();
  slots_ = 0;
  if (fill_list(needs, state_->vertices().root(), Begun::no, picks_)) return true;
  undo(before);
  return false;
}

bool TreeSearch::fill_list(const Needs& needs, Vertex scope, Begun begun, Picks& picks) {
  return std::ranges::all_of(needs, [&](const Need& need) {
    return need.is_slot() ? fill_slots(need, scope, begun, picks)
                          : fill_need(need, scope, begun, picks);
  });
}

bool TreeSearch::fill_need(const Need& need, Vertex scope, Begun begun, Picks& picks) {
  const SelectionPolicy& policy = options_->policy;
  const bool all = policy.order == Order::locality || policy.order == Order::variation;
  const std::uint64_t limit = most(need.count);
  const std::size_t before = state_->checkpoint();
  Found& found = candidates(need, scope, begun);
  if (state_->checkpoint() < found.dead_at) found.dead = found.dead_at = 0;
  std::vector<Tried> tried;
  std::uint64_t have = 0;
  for (std::size_t i = found.dead; i < found.vertices.size() && (all || have < limit); ++i) {
    const Vertex v = found.vertices[i];
    if (!is_possible(need, v)) {
      const bool first = i == found.dead && found.vertices.size() >= kLongList;
      if (first) found.dead = i + 1, found.dead_at = std::max(found.dead_at, before);
      continue;
    }
    if (!step()) break;
    const std::size_t checkpoint = state_->checkpoint();
    Tried candidate{
        v, static_cast<std::uint64_t>(std::max<std::int64_t>(1, state_->vertices().size(v))), {}};
    if (try_vertex(need, v, candidate.picks)) {
      have += candidate.size;
      tried.push_back(std::move(candidate));
    } else {
      undo(checkpoint);
    }
  }
  notes_.add(need, have, scope);
  return take(need, tried, have, before, picks);
}

bool TreeSearch::take(const Need& need, std::vector<Tried>& tried, std::uint64_t have,
                      std::size_t checkpoint, Picks& picks) {
  const auto chosen = is_over_budget() ? std::nullopt : need.count.at_most(have);
  if (!chosen) {
    undo(checkpoint);
    return false;
  }
  const SelectionPolicy& policy = options_->policy;
  if (policy.order == Order::locality) order_by_runs(tried);
  if (policy.order == Order::variation) order_by_class(tried, *chosen);
  const bool filled = have >= most(need.count);
  if (need.is_slot() || (policy.stops_on_first() && !filled)) order(tried);
  std::uint64_t sum = 0;
  std::size_t kept = 0;
  for (; kept < tried.size() && sum < *chosen; ++kept) sum += tried[kept].size;
  undo(checkpoint);
  for (std::size_t i = 0; i < kept; ++i) {
    for (const Pick& pick : tried[i].picks) {
      mark(pick);
      picks.push_back(pick);
    }
  }
  if (need.is_slot()) slots_ += kept;
  return true;
}

void TreeSearch::mark(const Pick& pick) {
  if (pick.access == Need::Access::shared) {
    state_->share(pick.vertex);
  } else {
    state_->hold(pick.vertex);
  }
}

bool TreeSearch::is_possible(const Need& need, Vertex v) {
  const bool node = options_->policy.is_node_exclusive() && v.is_target();
  if (need.access == Need::Access::shared && !node) return state_->can_share(v);
  return state_->can_hold(v);
}

bool TreeSearch::try_vertex(const Need& need, Vertex v, Picks& picks) {
  if (lacks_free(need.with, v, 1, *state_, options_->filters)) return false;
  if (!fill_list(need.with, v, Begun::yes, picks)) return false;
  Pick pick{v, need.access};
  if (options_->policy.is_node_exclusive() && v.is_target()) pick.access = Need::Access::whole;
  mark(pick);
  picks.push_back(pick);
  return true;
}

bool TreeSearch::fill_slot(const Need& slot, Vertex container, Tried& made) {
  const std::size_t checkpoint = state_->checkpoint();
  for (std::size_t i = 0; i <= slot.others.size(); ++i) {
    const Needs& content = i == 0 ? slot.with : slot.others[i - 1];
    if (!step()) return false;
    made.picks.clear();
    if (fill_list(content, container, Begun::yes, made.picks)) {
      const auto first = std::ranges::find_if(made.picks, [&](const Pick& pick) {
        return state_->vertices().type(pick.vertex) == content.front().type;
      });
      made.vertex = first == made.picks.end() ? container : first->vertex;
      return true;
    }
    undo(checkpoint);
  }
  return false;
}

bool TreeSearch::fill_slots(const Need& slot, Vertex scope, Begun begun, Picks& picks) {
  const SelectionPolicy& policy = options_->policy;
  const std::vector<Vertex> places = containers(slot, scope, begun);
  const bool stop = policy.is_node_centric() || policy.stops_on_first() || places.size() == 1;
  const std::uint64_t limit = most(slot.count);
  const std::size_t before = state_->checkpoint();
  std::vector<Tried> tried;
  for (const Vertex place : places) {
    if (stop && tried.size() >= limit) break;
    for (std::uint64_t here = 0; here < limit && !(stop && tried.size() >= limit); ++here) {
      Tried made{place, 1, {}};
      if (!fill_slot(slot, place, made)) break;
      tried.push_back(std::move(made));
    }
  }
  notes_.add(slot, tried.size(), scope);
  const std::uint64_t have = tried.size();
  return take(slot, tried, have, before, picks);
}

// ---- candidates ---------------------------------------------------------------------------

bool TreeSearch::may_contain(Vertex v, std::string_view type) const {
  return !v.is_target() || graph_->shape_of(v.holder()).pool(type) != nullptr;
}

void TreeSearch::collect(const Need& need, Vertex below, Begun begun, std::vector<Vertex>& found) {
  for (const Vertex child : children(below)) {
    if (state_->vertices().type(child) == need.type) {
      found.push_back(child);
      continue;
    }
    const bool descend = begun == Begun::no || options_->levels == Levels::any;
    if (descend && may_contain(child, need.type)) collect(need, child, begun, found);
  }
}

void TreeSearch::collect_beside(const Need& need, Vertex scope, std::vector<Vertex>& found) {
  for (const Vertex v : vertices_beside(*graph_, *options_, scope)) {
    if (state_->vertices().type(v) == need.type && state_->may_enter(v)) found.push_back(v);
  }
}

TreeSearch::Found& TreeSearch::candidates(const Need& need, Vertex scope, Begun begun) {
  const auto [place, is_new] = found_.try_emplace({&need, scope});
  Found& found = place->second;
  if (!is_new) return found;
  if (begun == Begun::no && state_->vertices().type(scope) == need.type) {
    if (state_->may_enter(scope)) found.vertices.push_back(scope);
  } else {
    collect(need, scope, begun, found.vertices);
    if (found.vertices.empty()) collect_beside(need, scope, found.vertices);
  }
  if (!options_->policy.stops_on_first()) order(found.vertices);
  if (found.vertices.size() >= kLongList) long_lists_.push_back(&found);
  return found;
}

/// True when all that the slot holds lies inside nodes, so that each slot is on one node.
bool TreeSearch::is_inside_nodes(const Need& slot) const {
  const auto inside = [&](const Need& need) {
    if (need.is_slot() || graph_->topology().has_kind(need.type)) return false;
    for (std::uint32_t g = graph_->target_count(); g < graph_->node_count(); ++g) {
      if (graph_->shape_of(NodeIndex(g)).pool(need.type) != nullptr) return false;
    }
    return true;
  };
  bool all = std::ranges::all_of(slot.with, inside);
  for (const Needs& content : slot.others) all = all && std::ranges::all_of(content, inside);
  return all;
}

std::vector<Vertex> TreeSearch::containers(const Need& slot, Vertex scope, Begun begun) {
  if (begun == Begun::yes) return {scope};
  std::vector<Vertex> found;
  const bool strict = options_->levels == Levels::strict;
  if (!strict && !is_inside_nodes(slot)) return {scope};
  collect_containers(slot, scope, found);
  if (!options_->policy.stops_on_first() && options_->policy.is_node_centric()) order(found);
  return found;
}

void TreeSearch::collect_containers(const Need& slot, Vertex v, std::vector<Vertex>& found) {
  const std::vector<Vertex> below = children(v);
  if (options_->levels == Levels::any) {
    if (v.is_target()) {
      found.push_back(v);
      return;
    }
  } else {
    const auto has_all = [&](const Needs& content) {
      return std::ranges::all_of(content, [&](const Need& need) {
        return std::ranges::any_of(
            below, [&](Vertex child) { return state_->vertices().type(child) == need.type; });
      });
    };
    bool fits = has_all(slot.with);
    for (const Needs& content : slot.others) fits = fits || has_all(content);
    if (fits) {
      found.push_back(v);
      return;
    }
  }
  for (const Vertex child : below) collect_containers(slot, child, found);
}

// ---- orders -------------------------------------------------------------------------------

/// Id of the node (its own for what is not in a node), and own id.
std::pair<std::int64_t, std::int64_t> TreeSearch::ids(Vertex v) const {
  const graph::Vertices& vertices = state_->vertices();
  const std::int64_t id = vertices.id(v);
  const auto target = vertices.target_of(v);
  return {target ? vertices.id(Vertex::target(*target)) : id, id};
}

void TreeSearch::order(std::vector<Vertex>& list) const {
  std::vector<Tried> tried;
  tried.reserve(list.size());
  for (const Vertex v : list) tried.push_back({v, 1, {}});
  order(tried);
  std::ranges::transform(tried, list.begin(), &Tried::vertex);
}

void TreeSearch::order(std::vector<Tried>& tried) const {
  const SelectionPolicy& policy = options_->policy;
  struct Keyed {
    std::int64_t node;
    std::int64_t id;
    std::size_t place;
  };
  std::vector<Keyed> keys;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const auto [node, id] = ids(tried[i].vertex);
    keys.push_back({policy.is_node_centric() ? node : 0, id, i});
  }
  const bool high = policy.order == Order::high;
  std::ranges::stable_sort(keys, [high](const Keyed& a, const Keyed& b) {
    const auto x = std::pair(a.node, a.id);
    const auto y = std::pair(b.node, b.id);
    return high ? x > y : x < y;
  });
  std::vector<Tried> sorted;
  sorted.reserve(tried.size());
  for (const Keyed& key : keys) sorted.push_back(std::move(tried[key.place]));
  tried = std::move(sorted);
}

/// Longest runs of consecutive ids first, in ascending order inside and between equals.
void TreeSearch::order_by_runs(std::vector<Tried>& tried) const {
  std::vector<std::vector<Tried>> runs;
  for (Tried& candidate : tried) {
    const bool follows =
        !runs.empty() && ids(runs.back().back().vertex).second + 1 == ids(candidate.vertex).second;
    if (!follows) runs.emplace_back();
    runs.back().push_back(std::move(candidate));
  }
  std::ranges::stable_sort(runs, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  tried.clear();
  for (auto& run : runs) std::ranges::move(run, std::back_inserter(tried));
}

/// The `wanted` candidates of least spread first; of several such the best class.
void TreeSearch::order_by_class(std::vector<Tried>& tried, std::uint64_t wanted) const {
  std::vector<std::pair<std::int64_t, std::size_t>> classes;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    classes.emplace_back(perf_class(state_->vertices(), tried[i].vertex), i);
  }
  std::ranges::sort(classes);
  const std::size_t width = std::min<std::uint64_t>(wanted, classes.size());
  std::size_t best = 0;
  for (std::size_t i = 0; width > 0 && i + width <= classes.size(); ++i) {
    const auto spread = [&](std::size_t at) {
      return classes[at + width - 1].first - classes[at].first;
    };
    if (spread(i) < spread(best)) best = i;
  }
  std::rotate(classes.begin(), classes.begin() + static_cast<std::ptrdiff_t>(best), classes.end());
  std::vector<Tried> sorted;
  for (const auto& [ignored, place] : classes) sorted.push_back(std::move(tried[place]));
  tried = std::move(sorted);
}

}  // namespace tenure::match
