// The matcher against brute force: every answer for the three request forms, the choice to
// the unit, on machines of mixed shapes, gaps in the ranks, nodes down and lost, constraints.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "match/matcher.hpp"
#include "oracle/brute_matcher.hpp"
#include "plan/machine.hpp"

namespace tenure::match {
namespace {

using graph::NodeSet;
using graph::ResourceSet;
using graph::UnitMask;
using oracle::BruteMatcher;
using oracle::BruteNode;
using oracle::BruteRequest;
using oracle::TimeArray;
using oracle::Units;

int pick(int low, int high) { return *rc::gen::inRange(low, high + 1); }
NodeIndex node_index(int node) { return NodeIndex(static_cast<std::uint32_t>(node)); }
/// Ranks have gaps, so that a rank is not the number of its node.
Rank rank_of(int node) { return Rank(static_cast<std::uint32_t>(3 * node + 1)); }
Idset rank_set(int node) { return Idset::single(rank_of(node).value()); }

constexpr std::int64_t kTick = 3;
Time tick(int number) {
  return number == TimeArray::kForever ? Time::never()
                                       : Time::microseconds(1'000'000'001 + kTick * number);
}
/// Ticks behind the array are times as well, as ends of windows that begin in it.
Time window_end(int number) { return Time::microseconds(1'000'000'001 + kTick * number); }
Duration length_of(int length) { return Duration::microseconds(kTick * length); }

std::vector<int> units_of(const std::vector<BruteNode>& nodes) {
  std::vector<int> units;
  for (const BruteNode& node : nodes) units.push_back(node.cores + node.gpus);
  return units;
}

graph::Pool pool(std::string type, int count) {
  graph::Pool made{std::move(type), std::vector<std::uint32_t>(static_cast<std::size_t>(count))};
  std::iota(made.ids.begin(), made.ids.end(), 0U);
  return made;
}

graph::ResourceGraph machine_of(const std::vector<BruteNode>& nodes) {
  graph::ResourceGraph::Builder builder;
  for (int n = 0; n < static_cast<int>(nodes.size()); ++n) {
    const BruteNode& node = nodes[static_cast<std::size_t>(n)];
    const ShapeId shape = builder.add_shape({pool("core", node.cores), pool("gpu", node.gpus)});
    builder.add_node(rank_of(n), fmt::format("node{}", n), shape);
  }
  auto graph = std::move(builder).build();
  CHECK(graph.has_value());
  for (int n = 0; n < static_cast<int>(nodes.size()); ++n) {
    const BruteNode& node = nodes[static_cast<std::size_t>(n)];
    if (node.up) graph->mark_up(rank_set(n));
    if (node.fast) graph->add_property("fast", rank_set(n));
  }
  return std::move(*graph);
}

Request compile_brute(const BruteRequest& wish) {
  using testing::resource;
  jobspec::Jobspec spec;
  auto slot = resource("slot", static_cast<std::uint64_t>(wish.slots),
                       {resource("core", static_cast<std::uint64_t>(wish.cores))});
  if (wish.gpus > 0) slot.with.push_back(resource("gpu", static_cast<std::uint64_t>(wish.gpus)));
  if (wish.nodes == 0) {
    spec.resources = {slot};
  } else {
    spec.resources = {resource("node", static_cast<std::uint64_t>(wish.nodes), {slot})};
    spec.resources[0].exclusive = wish.exclusive;
  }
  if (wish.fast) {
    spec.constraint = *jobspec::Constraint::parse(boost::json::parse(
        *wish.fast ? R"({"properties":["fast"]})" : R"({"properties":["^fast"]})"));
  }
  return *compile(spec);
}

BruteRequest draw_request(int nodes) {
  BruteRequest wish;
  wish.cores = pick(1, 3);
  wish.gpus = pick(0, 3) == 0 ? pick(1, 2) : 0;
  wish.slots = pick(1, 3);
  wish.nodes = pick(0, 2) == 0 ? 0 : pick(1, nodes + 1);
  if (wish.nodes == 0) wish.slots = pick(1, nodes * 2);
  wish.exclusive = wish.nodes > 0 && pick(0, 1) == 0;
  if (pick(0, 3) == 0) wish.fast = pick(0, 1) == 0;
  return wish;
}

class Both {
 public:
  Both(const std::vector<BruteNode>& nodes, Policy policy)
      : graph_(machine_of(nodes)),
        profile_(graph_),
        matcher_(graph_, policy),
        brute_(nodes, policy == Policy::high),
        array_(units_of(nodes)) {}

  void change() {
    const int node = pick(0, count() - 1);
    BruteNode& state = brute_.nodes()[static_cast<std::size_t>(node)];
    switch (pick(0, 9)) {
      case 0:
        graph_.mark_down(rank_set(node));
        state.up = false;
        break;
      case 1:
        graph_.mark_up(rank_set(node));
        state.up = !state.lost;
        break;
      case 2:
        if (pick(0, 5) > 0) break;
        graph_.shrink(rank_set(node));
        state.lost = true;
        state.up = false;
        break;
      case 3:
        graph_.add_property("fast", rank_set(node));
        if (!state.lost) state.fast = true;
        break;
      case 4:
        graph_.remove_property("fast", rank_set(node));
        state.fast = false;
        break;
      default:
        occupy(node);
    }
  }

  void compare() {
    const BruteRequest wish = draw_request(count());
    const Request request = compile_brute(wish);
    RC_ASSERT(matcher_.candidates(request) == to_nodes(brute_.candidates(wish)));
    RC_ASSERT(matcher_.eligible(request) == to_nodes(brute_.eligible(wish)));
    const int all = brute_.capacity(wish, brute_.candidates(wish));
    const int up = brute_.capacity(wish, brute_.eligible(wish));
    RC_ASSERT(wanted(request) == static_cast<std::uint64_t>(BruteMatcher::wanted(wish)));
    RC_ASSERT(matcher_.infeasible(request).has_value() == (all < BruteMatcher::wanted(wish)));
    RC_ASSERT(matcher_.lacking_now(request).has_value() == (up < BruteMatcher::wanted(wish)));
    compare_span(wish, request);
    compare_earliest(wish, request);
  }

 private:
  int count() const { return array_.nodes(); }

  NodeSet to_nodes(const std::set<int>& nodes) const {
    NodeSet set(graph_.node_count());
    for (const int node : nodes) set.set(node_index(node));
    return set;
  }

  ResourceSet to_set(const Units& units) const {
    ResourceSet set;
    for (const auto& [node, wanted] : units) {
      const graph::Shape& shape = graph_.shape_of(node_index(node));
      UnitMask mask(shape.units);
      for (const int unit : wanted) mask.set(static_cast<std::uint32_t>(unit));
      set.append_part(node_index(node), mask, shape);
    }
    return set;
  }

  /// Takes some units of some nodes from `node` on, for a while or for ever.
  void occupy(int node) {
    const int start = pick(0, TimeArray::kTicks);
    const int end = pick(0, 5) == 0 ? int{TimeArray::kForever} : pick(start, TimeArray::kTicks);
    if (end <= start) return;
    Units units;
    for (int n = node; n < std::min(count(), node + pick(1, 3)); ++n) {
      const bool whole = pick(0, 1) == 0;
      for (int unit = 0; unit < array_.units(n); ++unit) {
        if ((whole || pick(0, 1) == 0) && array_.is_free(start, end, n, unit)) {
          units[n].insert(unit);
        }
      }
    }
    profile_.add({tick(start), tick(end)}, to_set(units));
    array_.set(start, end, units, true);
  }

  void compare_span(const BruteRequest& wish, const Request& request) {
    const int start = pick(0, TimeArray::kTicks);
    const int end = pick(start + 1, TimeArray::kForever);
    const Span span{tick(start), tick(end)};
    RC_ASSERT(matcher_.count_free(profile_, request, span) ==
              static_cast<std::uint64_t>(brute_.count_free(array_, wish, start, end)));
    const auto chosen = matcher_.choose(profile_, request, span);
    const auto expected = brute_.choose(array_, wish, start, end);
    RC_ASSERT(chosen.has_value() == expected.has_value());
    if (expected) RC_ASSERT(*chosen == to_set(*expected));
    int until = start;
    while (until < TimeArray::kForever && brute_.fits(array_, wish, start, until + 1)) ++until;
    RC_ASSERT(matcher_.fits_until(profile_, request, tick(start)) == tick(until));
  }

  void compare_earliest(const BruteRequest& wish, const Request& request) {
    const int from = pick(0, TimeArray::kTicks);
    std::optional<int> length;
    if (pick(0, 4) > 0) length = pick(1, 8);
    // Never a limit at the number that stands for "for ever".
    int limit = TimeArray::kForever;
    if (pick(0, 1) == 0) limit = pick(0, TimeArray::kTicks);
    const auto start = brute_.earliest(array_, wish, from, length, limit);
    const auto found =
        matcher_.find_earliest(profile_, request, tick(from),
                               length ? length_of(*length) : Duration::infinite(), tick(limit));
    RC_ASSERT(found.has_value() == start.has_value());
    if (!start) return;
    const int end = length ? *start + *length : limit;
    RC_ASSERT(found->span == (Span{tick(*start), length ? window_end(end) : tick(limit)}));
    RC_ASSERT(found->resources == to_set(*brute_.choose(array_, wish, *start, end)));
  }

  graph::ResourceGraph graph_;
  profile::Profile profile_;
  Matcher matcher_;
  BruteMatcher brute_;
  TimeArray array_;
};

void run(int nodes, int most_changes) {
  std::vector<BruteNode> machine;
  const bool mixed = pick(0, 1) == 0;
  const int cores = pick(1, 4);
  const int gpus = pick(0, 2);
  for (int n = 0; n < nodes; ++n) {
    machine.push_back({.cores = mixed ? pick(0, 4) : cores,
                       .gpus = mixed ? pick(0, 2) : gpus,
                       .up = pick(0, 5) > 0,
                       .fast = pick(0, 1) == 0});
    // A node without units is a storage node: nothing here can ask for it.
    if (machine.back().cores + machine.back().gpus == 0) machine.back().cores = 1;
  }
  Both both(machine, *rc::gen::element(Policy::first, Policy::low, Policy::high));
  for (int i = pick(1, most_changes); i > 0; --i) {
    both.change();
    both.compare();
  }
}

TEST(MatcherOracle, SmallMachinesGiveTheAnswersOfBruteForce) {
  EXPECT_TRUE(rc::check([] { run(pick(1, 6), 40); }));
}

TEST(MatcherOracle, MachinesOverSeveralWordsGiveTheAnswersOfBruteForce) {
  EXPECT_TRUE(rc::check([] { run(pick(62, 70), 4); }));
}

}  // namespace
}  // namespace tenure::match
