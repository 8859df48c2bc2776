#include "match/scored_search.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "match/or_slots.hpp"

namespace tenure::match {

using graph::Vertex;
using Order = SelectionPolicy::Order;

namespace {

/// What a node id counts for in the score of a vertex under node-centric policies.
constexpr std::int64_t kNodeFactor = 10'000;

std::uint64_t most(const CountSet& count) { return *count.at_most(kMaxCount); }

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMaxCount : product;
}

}  // namespace

bool ScoredSearch::fill(const Needs& needs) {
  picks_.clear();
  slots_ = 0;
  GroupLists lists(needs.size());
  const Vertex root = state_->vertices().root();
  visit(root, needs, Begun::no, 1, lists);
  Groups chosen;
  if (!choose(needs, root, Place::outermost, lists, chosen)) return false;
  collect(chosen);
  return true;
}

// ---- the walk -----------------------------------------------------------------------------

/// Adds the groups that the subtree of v offers to the lists. `times` says how many times what
/// the needs ask for is wanted, so that policies that stop know when to.
void ScoredSearch::visit(Vertex v, const Needs& needs, Begun begun, std::uint64_t times,
                         GroupLists& lists) {
  ++steps_;
  if (!state_->may_enter(v)) return;
  const std::string& type = state_->vertices().type(v);
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (needs[i].type != type) continue;
    Group group;
    if (make_group(v, needs[i], group)) lists[i].push_back(std::move(group));
    return;
  }
  if (begun == Begun::yes || !may_contain(v, needs) || !state_->can_share(v)) return;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (!needs[i].is_slot() || !is_container(v, needs[i])) continue;
    form_slots(v, needs[i], lists[i]);
    return;
  }
  GroupLists below(needs.size());
  explore(v, needs, begun, times, below);
  for (std::size_t i = 0; i < needs.size(); ++i) {
    std::ranges::move(below[i], std::back_inserter(lists[i]));
  }
}

void ScoredSearch::explore(Vertex v, const Needs& needs, Begun begun, std::uint64_t times,
                           GroupLists& lists) {
  const bool stops = options_->policy.stops_on_first();
  for (const Vertex child : children_in_order(v, *state_, *options_)) {
    visit(child, needs, begun, times, lists);
    if (!stops) continue;
    bool enough = true;
    for (std::size_t i = 0; i < needs.size() && enough; ++i) {
      if (needs[i].is_slot() && begun == Begun::yes) continue;  // formed by the caller
      std::uint64_t have = 0;
      for (const Group& group : lists[i]) have += group.count;
      enough = have >= saturating_multiply(most(needs[i].count), times);
    }
    if (enough) return;
  }
}

/// The vertex as an answer to the need, with the best of what is asked for below it.
bool ScoredSearch::make_group(Vertex v, const Need& need, Group& group) {
  if (!is_possible(need, v)) return false;
  if (lacks_free(need.with, v, 1, *state_, options_->filters)) return false;
  if (!need.with.empty()) {
    GroupLists lists(need.with.size());
    if (std::ranges::any_of(need.with, [](const Need& below) { return !below.is_slot(); })) {
      explore(v, need.with, Begun::yes, 1, lists);
    }
    for (std::size_t i = 0; i < need.with.size(); ++i) {
      if (need.with[i].is_slot()) form_slots(v, need.with[i], lists[i]);
    }
    if (!choose(need.with, v, Place::inside, lists, group.with)) return false;
  }
  group.vertex = v;
  group.access = need.access;
  if (options_->policy.is_node_exclusive() && v.is_target()) {
    group.access = Need::Access::whole;
  }
  group.count = static_cast<std::uint64_t>(std::max<std::int64_t>(1, state_->vertices().size(v)));
  group.score = score(v);
  return true;
}

/// Moves the best groups of every need to `chosen`; false when some need has too few.
bool ScoredSearch::choose(const Needs& needs, Vertex scope, Place place, GroupLists& lists,
                          Groups& chosen) {
  for (std::size_t i = 0; i < needs.size(); ++i) {
    Groups& groups = lists[i];
    if (groups.empty() && !needs[i].is_slot()) look_beside(scope, needs[i], groups);
    std::uint64_t have = 0;
    for (const Group& group : groups) have += group.count;
    notes_.add(needs[i], have, scope);
    const auto wanted = needs[i].count.at_most(have);
    if (!wanted) return false;
    if (options_->policy.order == Order::variation) {
      sort_by_class(groups, *wanted);
    } else {
      sort(groups, place);
    }
    std::uint64_t taken = 0;
    for (Group& group : groups) {
      if (taken >= *wanted) break;
      taken += group.count;
      chosen.push_back(std::move(group));
    }
  }
  return true;
}

/// Up-walk: vertices of auxiliary subsystems from which relations lead to v.
void ScoredSearch::look_beside(Vertex v, const Need& need, Groups& groups) {
  for (const Vertex beside : vertices_beside(*graph_, *options_, v)) {
    if (state_->vertices().type(beside) != need.type || !state_->may_enter(beside)) continue;
    Group group;
    if (make_group(beside, need, group)) groups.push_back(std::move(group));
  }
}

bool ScoredSearch::is_possible(const Need& need, Vertex v) const {
  const bool node = options_->policy.is_node_exclusive() && v.is_target();
  if (need.access == Need::Access::shared && !node) return state_->can_share(v);
  return state_->can_hold(v);
}

bool ScoredSearch::is_container(Vertex v, const Need& slot) const {
  std::set<std::string_view> types;
  state_->vertices().for_each_child(
      v, [&](Vertex child) { types.insert(state_->vertices().type(child)); });
  const auto has_all = [&](const Needs& content) {
    return std::ranges::all_of(content,
                               [&](const Need& need) { return types.contains(need.type); });
  };
  return has_all(slot.with) || std::ranges::any_of(slot.others, has_all);
}

/// False when the shape of a node shows that nothing of the needs is in it.
bool ScoredSearch::may_contain(Vertex v, const Needs& needs) const {
  if (!v.is_target()) return true;
  const graph::Shape& shape = graph_->shape_of(v.holder());
  const auto has = [&](const Need& need) { return shape.pool(need.type) != nullptr; };
  return std::ranges::any_of(needs, [&](const Need& need) {
    if (!need.is_slot()) return has(need);
    return std::ranges::any_of(need.with, has) ||
           std::ranges::any_of(need.others, [&](const Needs& content) {
             return std::ranges::any_of(content, has);
           });
  });
}

// ---- slots --------------------------------------------------------------------------------

/// As many slots as the children of v make up, in the order of the policy.
void ScoredSearch::form_slots(Vertex v, const Need& slot, Groups& slots) {
  const SlotContents contents(slot);
  GroupLists lists(contents.needs().size());
  explore(v, contents.needs(), Begun::yes, most(slot.count), lists);
  std::vector<std::uint64_t> available;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    sort(lists[i], Place::inside);
    std::uint64_t have = 0;
    for (const Group& group : lists[i]) have += group.count;
    available.push_back(have);
    notes_.add(contents.original(i), have, v);
  }
  std::vector<std::size_t> next(lists.size(), 0);
  for (const SlotContents::Slot& made : contents.most_slots(available)) {
    Group group{.score = 1, .vertex = v, .is_slot = true, .with = {}};
    for (const auto& [list, wanted] : made) {
      std::uint64_t have = 0;
      for (; have < wanted && next[list] < lists[list].size(); ++next[list]) {
        Group& part = lists[list][next[list]];
        have += part.count;
        group.score += part.score;
        group.with.push_back(std::move(part));
      }
      if (have < wanted) return;  // the last vertices were larger than what is left of them
    }
    slots.push_back(std::move(group));
  }
}

void ScoredSearch::collect(const Groups& chosen) {
  for (const Group& group : chosen) {
    collect(group.with);
    if (group.is_slot) {
      ++slots_;
    } else {
      picks_.push_back({group.vertex, group.access});
    }
  }
}

// ---- scores -------------------------------------------------------------------------------

std::int64_t ScoredSearch::score(Vertex v) const {
  const graph::Vertices& vertices = state_->vertices();
  std::int64_t score = 1 + vertices.id(v) + 1;
  if (!options_->policy.is_node_centric()) return score;
  if (const auto target = vertices.target_of(v)) {
    score += (vertices.id(Vertex::target(*target)) + 1) * kNodeFactor;
  }
  return score;
}

void ScoredSearch::sort(Groups& groups, Place place) const {
  switch (options_->policy.order) {
    case Order::low:
      std::sort(groups.begin(), groups.end(),
                [](const Group& a, const Group& b) { return a.score < b.score; });
      return;
    case Order::locality:
      if (place == Place::outermost) return sort_by_runs(groups);
      break;
    case Order::variation:
      return sort_by_class(groups, groups.size());
    case Order::high:
      break;
  }
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return a.score > b.score; });
}

/// By the run of consecutive scores that a group's score is in, the highest run first; scripts
/// know the order of equals within a run, which is that of the graph for up to 16 groups.
void ScoredSearch::sort_by_runs(Groups& groups) const {
  std::set<std::int64_t> scores;
  for (const Group& group : groups) scores.insert(group.score);
  std::map<std::int64_t, std::uint32_t> run_of;
  std::uint32_t run = 0;
  for (const std::int64_t score : scores) {
    if (!run_of.empty() && run_of.rbegin()->first + 1 != score) ++run;
    run_of[score] = run;
  }
  std::sort(groups.begin(), groups.end(),
            [&](const Group& a, const Group& b) { return run_of[a.score] > run_of[b.score]; });
}

std::int64_t ScoredSearch::perf_class(const Group& group) const {
  if (group.is_slot && !group.with.empty()) return perf_class(group.with.front());
  return match::perf_class(state_->vertices(), group.vertex);
}

/// The `wanted` groups of least spread first; of several such the best class.
void ScoredSearch::sort_by_class(Groups& groups, std::uint64_t wanted) const {
  struct Classed {
    std::int64_t perf_class;
    std::size_t place;
  };
  std::vector<Classed> classes;
  for (std::size_t i = 0; i < groups.size(); ++i) classes.push_back({perf_class(groups[i]), i});
  std::ranges::stable_sort(classes, {}, &Classed::perf_class);
  std::vector<std::uint64_t> sums{0};
  for (const Classed& classed : classes) sums.push_back(sums.back() + groups[classed.place].count);
  std::size_t best = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < classes.size() && sums[i] + wanted <= sums.back(); ++i) {
    const auto end = std::ranges::lower_bound(sums, sums[i] + wanted) - sums.begin();
    const std::int64_t spread =
        classes[static_cast<std::size_t>(end) - 1].perf_class - classes[i].perf_class;
    if (spread < least) least = spread, best = i;
  }
  std::rotate(classes.begin(), classes.begin() + static_cast<std::ptrdiff_t>(best), classes.end());
  Groups sorted;
  sorted.reserve(groups.size());
  for (const Classed& classed : classes) sorted.push_back(std::move(groups[classed.place]));
  groups = std::move(sorted);
}

}  // namespace tenure::match
