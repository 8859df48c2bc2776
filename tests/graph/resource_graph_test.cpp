#include "graph/resource_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "machines.hpp"

namespace tenure::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Idset ids(std::string_view text) { return *Idset::parse(text); }

std::string ranks(const ResourceGraph& graph, const NodeSet& nodes) {
  return graph.ranks_of(nodes).to_string();
}

ResourceGraph four_nodes() { return make_machine({{0, 1}, {1, 1}, {2, 2}, {3, 0}}); }

TEST(ResourceGraph, NodesAreNumberedInRankOrderWhateverOrderTheyCameIn) {
  ResourceGraph::Builder builder;
  const ShapeId shape = builder.add_shape({pool("core", 2)});
  builder.add_node(Rank(9), "c", shape);
  builder.add_node(Rank(2), "a", shape);
  builder.add_node(Rank(5), "b", shape);
  const ResourceGraph graph = *std::move(builder).build();
  EXPECT_EQ(graph.node(NodeIndex(0)).host, "a");
  EXPECT_EQ(graph.node(NodeIndex(2)).rank, Rank(9));
  EXPECT_EQ(graph.find_rank(Rank(5)), NodeIndex(1));
  EXPECT_EQ(graph.find_rank(Rank(0)), std::nullopt);
  EXPECT_EQ(graph.find_rank(Rank(4294967294)), std::nullopt);
  EXPECT_EQ(ranks(graph, graph.nodes_with_ranks(ids("0-5,7"))), "2,5");
}

TEST(ResourceGraph, EqualShapesAreSharedInWhateverFormTheyCome) {
  ResourceGraph::Builder builder;
  const ShapeId a = builder.add_shape({pool("gpu", 1), pool("core", 2)});
  const ShapeId b = builder.add_shape(
      {Pool{"core", {1}, 7}, Pool{"ssd", {}, 0}, pool("gpu", 1), Pool{"core", {0, 1}, 0}});
  const ShapeId c = builder.add_shape({pool("core", 2)});
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  builder.add_node(Rank(0), "n0", a);
  builder.add_node(Rank(1), "n1", c);
  const ResourceGraph graph = *std::move(builder).build();
  const Shape& shape = graph.shape(a);
  EXPECT_EQ(shape.units, 3U);
  EXPECT_EQ(shape.pool("core")->first_unit, 0U);
  EXPECT_EQ(shape.pool("gpu")->first_unit, 2U);
  EXPECT_EQ(ranks(graph, graph.nodes_of_shape(c)), "1");
  EXPECT_TRUE(graph.has_type("gpu"));
  EXPECT_TRUE(graph.has_type("node"));
  EXPECT_FALSE(graph.has_type("ssd"));
}

TEST(ResourceGraph, ARankGivenTwiceIsRefused) {
  ResourceGraph::Builder builder;
  const ShapeId shape = builder.add_shape({});
  builder.add_node(Rank(3), "a", shape);
  builder.add_node(Rank(3), "b", shape);
  const auto graph = std::move(builder).build();
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error(), (Error{ErrorCode::invalid, "rank 3 is given twice"}));
}

TEST(ResourceGraph, APropertyOnAnUnknownRankIsRefused) {
  ResourceGraph::Builder builder;
  builder.add_node(Rank(0), "a", builder.add_shape({}));
  builder.add_property("ssd", ids("0-2"));
  const auto graph = std::move(builder).build();
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message, HasSubstr("'ssd' is on rank 1-2"));
}

TEST(ResourceGraph, ANodeWithTooManyResourcesIsBeyondTheLimit) {
  ResourceGraph::Builder builder;
  builder.add_node(Rank(0), "a", builder.add_shape({pool("core", kMaxUnits + 1)}));
  const auto graph = std::move(builder).build();
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, ErrorCode::limit);
}

TEST(ResourceGraph, ManyNodesMayShareOneHostName) {  // M5
  ResourceGraph::Builder builder;
  const ShapeId shape = builder.add_shape({pool("core", 1)});
  for (std::uint32_t i = 0; i < 65; ++i) builder.add_node(Rank(i), "same", shape);
  builder.add_node(Rank(65), "other", shape);
  const ResourceGraph graph = *std::move(builder).build();
  const auto nodes = graph.find_host("same");
  ASSERT_EQ(nodes.size(), 65U);
  EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end()));
  EXPECT_THAT(graph.find_host("other"), ElementsAre(NodeIndex(65)));
  EXPECT_THAT(graph.find_host("unknown"), IsEmpty());
  EXPECT_THAT(ResourceGraph().find_host("unknown"), IsEmpty());
}

TEST(ResourceGraph, LookupsWorkInACopyAfterTheOriginalIsGone) {
  auto original = std::make_unique<ResourceGraph>(four_nodes());
  const ResourceGraph copy = *original;
  original.reset();
  EXPECT_THAT(copy.find_host("n2"), ElementsAre(NodeIndex(2)));
  EXPECT_EQ(copy.find_rank(Rank(2)), NodeIndex(2));
}

TEST(ResourceGraph, EverythingIsPresentAndDownAtFirst) {  // R1
  const ResourceGraph graph = four_nodes();
  EXPECT_EQ(graph.present().count(), 4U);
  EXPECT_TRUE(graph.up().none());
}

TEST(ResourceGraph, UpAndDownReturnWhatChanged) {
  ResourceGraph graph = four_nodes();
  EXPECT_EQ(ranks(graph, graph.mark_up(ids("0-2,17"))), "0-2");
  EXPECT_EQ(ranks(graph, graph.mark_up(ids("1-3"))), "3");
  EXPECT_EQ(ranks(graph, graph.mark_down(ids("2-9"))), "2-3");
  EXPECT_EQ(ranks(graph, graph.up()), "0-1");
  const std::uint64_t generation = graph.generation();
  EXPECT_TRUE(graph.mark_down(ids("2")).none());
  EXPECT_TRUE(graph.mark_up(ids("0,99")).none());
  EXPECT_EQ(graph.generation(), generation);
  EXPECT_FALSE(graph.mark_up(ids("2")).none());
  EXPECT_GT(graph.generation(), generation);
}

TEST(ResourceGraph, ALostNodeStaysNumberedAndNeverComesBackUp) {  // R2
  ResourceGraph graph = four_nodes();
  graph.mark_up(ids("0-3"));
  const std::uint64_t generation = graph.generation();
  EXPECT_EQ(ranks(graph, graph.shrink(ids("1,50"))), "1");
  EXPECT_GT(graph.generation(), generation);
  EXPECT_EQ(ranks(graph, graph.present()), "0,2-3");
  EXPECT_EQ(ranks(graph, graph.up()), "0,2-3");
  EXPECT_TRUE(graph.shrink(ids("1")).none());
  EXPECT_TRUE(graph.mark_up(ids("1")).none());
  EXPECT_TRUE(graph.add_property("p", ids("1")).none());
  EXPECT_EQ(graph.find_property("p"), nullptr);
  EXPECT_EQ(graph.node_count(), 4U);
  EXPECT_EQ(graph.node(NodeIndex(1)).rank, Rank(1));
}

TEST(ResourceGraph, PropertiesComeAndGo) {
  ResourceGraph graph = four_nodes();
  EXPECT_EQ(graph.find_property("ssd"), nullptr);
  EXPECT_EQ(ranks(graph, graph.add_property("ssd", ids("1-2,8"))), "1-2");
  EXPECT_EQ(ranks(graph, graph.add_property("ssd", ids("2-3"))), "3");
  EXPECT_EQ(ranks(graph, graph.remove_property("ssd", ids("0-1"))), "1");
  EXPECT_TRUE(graph.remove_property("huge", ids("0-1")).none());
  const std::uint64_t generation = graph.generation();
  EXPECT_TRUE(graph.add_property("ssd", ids("2")).none());
  EXPECT_EQ(graph.generation(), generation);
  EXPECT_EQ(ranks(graph, graph.remove_property("ssd", ids("0-3"))), "2-3");
  ASSERT_NE(graph.find_property("ssd"), nullptr);  // nodes had it once
  EXPECT_TRUE(graph.find_property("ssd")->none());
}

TEST(ResourceGraph, WholeNodesAndTheirRanks) {
  const ResourceGraph graph = make_machine({{1, 1}, {2, 1}, {5, 2}, {6, 0}});
  NodeSet nodes = NodeSet::full(4);
  nodes.reset(NodeIndex(1));
  const ResourceSet set = graph.whole_nodes(nodes);
  EXPECT_EQ(set.node_count(), 3U);
  EXPECT_EQ(graph.ranks_of(set).to_string(), "1,5-6");
}

TEST(ResourceGraph, AHundredThousandNodesAreOneShape) {
  ResourceGraph::Builder builder;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const ShapeId shape = builder.add_shape({pool("core", 8), pool("gpu", 1)});
    builder.add_node(Rank(i), "node" + std::to_string(i), shape);
  }
  ResourceGraph graph = *std::move(builder).build();
  EXPECT_EQ(graph.shapes().size(), 1U);
  EXPECT_EQ(graph.mark_up(ids("0-4294967294")).count(), 100'000U);
  EXPECT_THAT(graph.find_host("node77777"), ElementsAre(NodeIndex(77777)));
}

RC_GTEST_PROP(ResourceGraphProperty, RankLookupsEqualALinearSearch, ()) {
  const auto nodes = *machine_nodes(60);
  const ResourceGraph graph = make_machine(nodes);
  for (std::uint32_t rank = 0; rank < nodes.back().first + 3; ++rank) {
    std::optional<NodeIndex> expected;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].first == rank) expected = NodeIndex(i);
    }
    RC_ASSERT(graph.find_rank(Rank(rank)) == expected);
  }
  const std::uint32_t first = *rc::gen::inRange<std::uint32_t>(0, nodes.back().first + 3);
  const std::uint32_t last = *rc::gen::inRange<std::uint32_t>(first, nodes.back().first + 4);
  NodeSet expected(graph.node_count());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (first <= nodes[i].first && nodes[i].first <= last) expected.set(NodeIndex(i));
  }
  RC_ASSERT(graph.nodes_with_ranks(Idset::range(first, last)) == expected);
}

}  // namespace
}  // namespace tenure::graph
