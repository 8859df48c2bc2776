#include "graph/resource_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "machines.hpp"

namespace tenure::graph {
namespace {

NodeRange range(std::uint32_t first, std::uint32_t last) {
  return NodeRange{NodeIndex(first), NodeIndex(last)};
}

/// Invariants 1 and 2 of the header.
bool is_canonical(const ResourceGraph& graph, const ResourceSet& set) {
  std::int64_t last = -2;
  for (const NodeRange& r : set.whole()) {
    if (r.first.value() <= last + 1 || r.last < r.first) return false;
    last = r.last.value();
  }
  last = -1;
  for (const NodePart& part : set.parts()) {
    if (part.node.value() <= last) return false;
    last = part.node.value();
    const std::uint32_t count = part.units.count();
    if (count == 0 || count >= graph.shape_of(part.node).units) return false;
    for (const NodeRange& r : set.whole()) {
      if (r.first <= part.node && part.node <= r.last) return false;
    }
  }
  return true;
}

NodeSet subset(const ResourceGraph& graph) {
  NodeSet nodes(graph.node_count());
  for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
    if (*rc::gen::arbitrary<bool>()) nodes.set(NodeIndex(i));
  }
  return nodes;
}

TEST(ResourceSet, AFullMaskIsAWholeNodeAndAnEmptyOneNothing) {
  const ResourceGraph graph = make_machine({{0, 1}, {1, 1}, {2, 0}, {3, 1}});
  ResourceSet set;
  set.append_part(NodeIndex(0), UnitMask::full(4), graph.shape_of(NodeIndex(0)));
  set.append_part(NodeIndex(1), UnitMask(4), graph.shape_of(NodeIndex(1)));
  set.append_part(NodeIndex(2), UnitMask(0), graph.shape_of(NodeIndex(2)));  // storage
  set.append_whole(NodeIndex(3));
  EXPECT_TRUE(set.parts().empty());
  ASSERT_EQ(set.whole().size(), 2U);
  EXPECT_EQ(set.whole()[0], range(0, 0));
  EXPECT_EQ(set.whole()[1], range(2, 3));
}

TEST(ResourceSetDeathTest, AppendingOutOfOrderIsABug) {
  ResourceSet set;
  set.append_whole(NodeIndex(5));
  EXPECT_DEATH(set.append_whole(NodeIndex(5)), "CHECK failed");
  EXPECT_DEATH(set.append_whole(NodeIndex(4)), "CHECK failed");
}

RC_GTEST_PROP(ResourceSetProperty, HoldsExactlyWhatWasAppended, ()) {
  const ResourceGraph graph = make_machine(*machine_nodes(20));
  const Naive naive = *naive_resources(graph);
  const ResourceSet set = to_set(graph, naive);
  RC_ASSERT(is_canonical(graph, set));
  RC_ASSERT(to_naive(graph, set) == naive);
  RC_ASSERT(set.empty() == naive.empty());
  RC_ASSERT(set.node_count() == naive.size());
  NodeSet nodes(graph.node_count());
  for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
    RC_ASSERT(set.touches(NodeIndex(i)) == naive.contains(i));
    if (naive.contains(i)) nodes.set(NodeIndex(i));
  }
  RC_ASSERT(set.node_set(graph.node_count()) == nodes);
  RC_ASSERT(set.nodes() == nodes.ranges());
}

RC_GTEST_PROP(ResourceSetProperty, SubtractionAndOverlapGoUnitByUnit, ()) {
  const ResourceGraph graph = make_machine(*machine_nodes(20));
  const Naive a = *naive_resources(graph);
  const Naive b = *naive_resources(graph);
  Naive rest;
  bool overlap = false;
  for (const auto& [node, units] : a) {
    for (const std::uint32_t unit : units) {
      const auto found = b.find(node);
      if (found != b.end() && found->second.contains(unit)) {
        overlap = true;
      } else {
        rest[node].insert(unit);
      }
    }
  }
  const ResourceSet x = to_set(graph, a);
  const ResourceSet y = to_set(graph, b);
  RC_CLASSIFY(overlap);
  RC_ASSERT(x.overlaps(y) == overlap);
  RC_ASSERT(y.overlaps(x) == overlap);
  const ResourceSet left = x.without(y, graph);
  RC_ASSERT(is_canonical(graph, left));
  RC_ASSERT(to_naive(graph, left) == rest);
  RC_ASSERT(left == to_set(graph, rest));
}

RC_GTEST_PROP(ResourceSetProperty, RestrictionGoesNodeByNode, ()) {
  const ResourceGraph graph = make_machine(*machine_nodes(150));
  const Naive naive = *naive_resources(graph);
  const NodeSet nodes = subset(graph);
  Naive inside, outside;
  for (const auto& [node, units] : naive) {
    (nodes.test(NodeIndex(node)) ? inside : outside)[node] = units;
  }
  const ResourceSet set = to_set(graph, naive);
  RC_ASSERT(set.restricted_to(nodes) == to_set(graph, inside));
  RC_ASSERT(set.without(nodes) == to_set(graph, outside));
  RC_ASSERT(set.touches(nodes) == !inside.empty());
}

RC_GTEST_PROP(ResourceSetProperty, AddWholeFillsTheGaps, ()) {
  const ResourceGraph graph = make_machine(*machine_nodes(100));
  const Naive naive = *naive_resources(graph);
  ResourceSet set = to_set(graph, naive);
  NodeSet added = subset(graph);
  added -= set.node_set(graph.node_count());
  Naive expected = naive;
  added.for_each([&](NodeIndex node) {
    for (std::uint32_t u = 0; u < naive_units(graph, node.value()); ++u) {
      expected[node.value()].insert(u);
    }
  });
  set.add_whole(added);
  RC_ASSERT(is_canonical(graph, set));
  RC_ASSERT(set == to_set(graph, expected));
}

}  // namespace
}  // namespace tenure::graph
