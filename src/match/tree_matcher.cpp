#include "match/tree_matcher.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "match/holding.hpp"
#include "match/scored_search.hpp"
#include "match/tree_search.hpp"
#include "match/tree_state.hpp"

namespace tenure::match {

using graph::NodeSet;
using graph::Vertex;
using profile::Profile;

namespace {

/// Puts together what is granted and held from what was picked.
class Assembly {
 public:
  Assembly(const graph::ResourceGraph& graph, const SelectionPolicy& policy)
      : vertices_(graph), policy_(&policy), holding_(graph) {}

  Selection build(const Picks& picks) {
    for (const Pick& pick : picks) add(pick);
    if (policy_->is_node_exclusive()) {
      for (const NodeIndex index : holding_.targets()) {
        add({Vertex::target(index), Need::Access::whole});
      }
    }
    Selection selection;
    collect(vertices_.root(), selection.granted);
    for (const auto& [vertex, access] : grants_) {  // roots of auxiliary subsystems
      if (!is_below_root(vertex)) selection.granted.push_back({vertex, access});
    }
    selection.held = holding_.resources();
    return selection;
  }

 private:
  bool is_below_root(Vertex v) const {
    while (const auto parent = vertices_.parent(v)) v = *parent;
    return v == vertices_.root();
  }

  void grant(Vertex v, Access access) {
    Access& present = grants_.try_emplace(v, access).first->second;
    if (access == Access::exclusive) present = access;
    for (auto above = vertices_.parent(v); above; above = vertices_.parent(*above)) {
      if (!grants_.try_emplace(*above, Access::shared).second) break;
    }
  }

  void add(const Pick& pick) {
    grant(pick.vertex, pick.access == Need::Access::shared ? Access::shared : Access::exclusive);
    if (pick.access == Need::Access::shared) return;
    if (pick.access == Need::Access::whole) {
      vertices_.for_each_in_preorder(pick.vertex, [&](Vertex v) {
        grant(v, Access::exclusive);
        return true;
      });
    }
    holding_.add(pick.vertex);
  }

  void collect(Vertex v, std::vector<Grant>& granted) const {
    const auto found = grants_.find(v);
    if (found == grants_.end()) return;
    granted.push_back({v, found->second});
    vertices_.for_each_child(v, [&](Vertex child) { collect(child, granted); });
  }

  graph::Vertices vertices_;
  const SelectionPolicy* policy_;
  boost::unordered_flat_map<Vertex, Access> grants_;
  Holding holding_;
};

/// Change points of the profile after `from`, ascending and unique.
std::vector<Time> change_points(const Profile& profile, Time from) {
  std::vector<Time> times{from};
  for (const auto& segment : profile.segments()) {
    if (segment.start > from) times.push_back(segment.start);
  }
  profile.shared_nodes().for_each([&](NodeIndex node) {
    for (const auto& segment : profile.timeline(node).segments()) {
      if (segment.start > from) times.push_back(segment.start);
    }
  });
  std::ranges::sort(times);
  const auto last = std::ranges::unique(times);
  times.erase(last.begin(), last.end());
  return times;
}

/// True when some vertex of the type has vertices inside. O(shapes).
bool has_inside(const graph::ResourceGraph& graph, const std::string& type) {
  if (graph.topology().has_kind(type)) return true;
  return std::ranges::any_of(graph.shapes(), [&](const graph::Shape& shape) {
    const graph::Pool* pool = shape.pool(type);
    if (pool == nullptr) return false;
    for (std::uint32_t i = 0; i < pool->count(); ++i) {
      const std::uint32_t local = shape.local_of(pool->first_unit + i);
      if (shape.subtree_end(local) > local + 1) return true;
    }
    return false;
  });
}

/// Greedy choice alone may have failed for the order of its choices.
bool competes(const TreeRequest& request, const graph::ResourceGraph& graph) {
  if (request.siblings == TreeRequest::Siblings::competing) return true;
  return std::ranges::any_of(request.sibling_types,
                             [&](const std::string& type) { return has_inside(graph, type); });
}

/// Like competes() for Levels::strict: needs inside others are met by children, so that siblings of
/// different types never meet; those of the outermost list may lie inside each other.
enum class Level { outermost, inside };

bool competes_strictly(const Needs& needs, Level level) {
  if (needs.size() > 1 && level == Level::outermost) return true;
  std::set<std::string_view> types;
  return std::ranges::any_of(needs, [&](const Need& need) {
    if (needs.size() > 1 && (need.is_slot() || !types.insert(need.type).second)) return true;
    return competes_strictly(need.with, Level::inside) ||
           std::ranges::any_of(need.others, [](const Needs& content) {
             return competes_strictly(content, Level::inside);
           });
  });
}

}  // namespace

TreeMatcher::TreeMatcher(const graph::ResourceGraph& graph, TreeOptions options)
    : graph_(&graph), options_(std::move(options)) {}

TreePlacement TreeMatcher::placement(Span span, const std::vector<Pick>& picks,
                                     std::uint64_t slots) const {
  TreePlacement placement{span, Assembly(*graph_, options_.policy).build(picks)};
  placement.selection.slots = slots;
  return placement;
}

TreeOutcome TreeMatcher::search(const TreeRequest& request, const TreeState::Window& window) {
  ++counters_.matches;
  const NodeSet eligible = request.constraint.evaluate(*graph_);
  std::uint64_t budget = options_.step_budget;
  std::string missing;
  for (const Needs& needs : request.alternatives) {
    const bool scored =
        options_.levels == Levels::strict && !competes_strictly(needs, Level::outermost);
    TreeState state(*graph_, window, eligible);
    if (scored) {
      ScoredSearch search(*graph_, state, options_);
      const bool found = search.fill(needs);
      counters_.steps += search.steps();
      if (found) return placement(window.span, search.picks(), search.slots());
      if (missing.empty()) missing = search.missing(needs);
      continue;
    }
    TreeSearch search(*graph_, state, options_, budget);
    bool found = search.fill(needs);
    if (!found && missing.empty()) missing = search.missing(needs);
    if (!found && competes(request, *graph_)) {
      found = search.fill_exactly(needs);
    }
    counters_.steps += search.steps();
    if (found) return placement(window.span, search.picks(), search.slots());
    if (search.is_over_budget()) {
      ++counters_.over_budget;
      return OverBudget{};
    }
    budget -= std::min(budget, search.steps());
  }
  if (window.machine == TreeState::Machine::as_it_is) return Insufficient{};
  if (missing.empty()) missing = "the parts of the request do not fit together";
  if (!request.constraint.always()) missing += " satisfying " + request.constraint.to_string();
  return Infeasible{missing};
}

TreeOutcome TreeMatcher::match(const TreeRequest& request, const Profile& profile, Span span) {
  return search(request, {.profile = &profile,
                          .span = span,
                          .machine = TreeState::Machine::as_it_is,
                          .whole_nodes = options_.policy.is_node_exclusive()});
}

TreeOutcome TreeMatcher::earliest(const TreeRequest& request, const Profile& profile, Time from,
                                  Duration duration, Time limit) {
  for (const Time start : change_points(profile, from)) {
    const Time end = duration.is_infinite() ? limit : start + duration;
    if (start >= limit || end > limit) break;
    TreeOutcome outcome = match(request, profile, Span{start, end});
    if (!std::holds_alternative<Insufficient>(outcome)) return outcome;
  }
  return Insufficient{};
}

TreeOutcome TreeMatcher::satisfiability(const TreeRequest& request) {
  return search(request, {.profile = nullptr,
                          .span = Span{Time(), Time::never()},
                          .machine = TreeState::Machine::empty_and_up,
                          .whole_nodes = options_.policy.is_node_exclusive()});
}

}  // namespace tenure::match
