#include "graph/formats/grug.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/vertices.hpp"
#include "recipes.hpp"

namespace tenure::graph {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  const auto graph = read_grug(text);
  return graph ? "" : graph.error().message;
}

TEST(Grug, KindsAreNumberedDepthFirstEachWhollyBeforeTheNext) {
  const ResourceGraph graph = *read_grug(lab_recipe());
  const Vertices vertices(graph);
  EXPECT_EQ(vertices.count(), 109U);
  EXPECT_EQ(graph.target_count(), 6U);
  EXPECT_EQ(graph.shapes().size(), 2U);  // the nodes' and the SSDs'
  const auto uniq_id = [&](std::string_view path) {
    const auto v = vertices.find_path(path);
    return v ? vertices.uniq_id(*v) : -1;
  };
  EXPECT_EQ(uniq_id("/cluster0"), 0);
  EXPECT_EQ(uniq_id("/cluster0/rack1"), 2);
  EXPECT_EQ(uniq_id("/cluster0/rack1/node3"), 6);
  EXPECT_EQ(uniq_id("/cluster0/rack1/node3/socket1"), 16);
  EXPECT_EQ(uniq_id("/cluster0/rack1/node3/socket1/core7"), 52);
  EXPECT_EQ(uniq_id("/cluster0/rack1/node4/socket0/gpu0"), 77);
  EXPECT_EQ(uniq_id("/cluster0/rack1/node5/socket1/memory3"), 104);
  EXPECT_EQ(uniq_id("/cluster0/rack0/ssd0"), 105);
}

TEST(Grug, NodesHaveRanksInOrderAndPoolsTheirSizes) {
  const ResourceGraph graph = *read_grug(lab_recipe());
  const Vertices vertices(graph);
  EXPECT_EQ(vertices.rank(*vertices.find_path("/cluster0/rack1/node4")), 4);
  EXPECT_EQ(vertices.rank(*vertices.find_path("/cluster0/rack1/node4/socket0")), -1);
  EXPECT_EQ(vertices.path(*vertices.find_rank(Rank(2))), "/cluster0/rack0/node2");
  const Vertex ssd = *vertices.find_path("/cluster0/rack1/ssd1");
  EXPECT_EQ(vertices.size(ssd), 100);
  EXPECT_EQ(vertices.unit(ssd), "GB");
  EXPECT_EQ(graph.find_host("node5").size(), 1U);
}

TEST(Grug, IdsStartAndStrideAsTheRecipeSays) {
  const ResourceGraph graph = *read_grug(
      recipe(recipe_node("c", "type=cluster root=1") + recipe_node("n", "type=node basename=tux") +
             recipe_node("k", "type=core") + recipe_edge("c", "n", "multi_scale=2 id_start=10") +
             recipe_edge("n", "k", "multi_scale=3 id_start=1 id_stride=2")));
  const Vertices vertices(graph);
  EXPECT_TRUE(vertices.find_path("/cluster0/tux11/core5"));
  EXPECT_FALSE(vertices.find_path("/cluster0/tux11/core2"));
}

TEST(Grug, ANodeOfTheRecipeBelowTwoOthersIsMadeBelowBoth) {
  const ResourceGraph graph = *read_grug(recipe(
      recipe_node("c", "type=cluster root=1") + recipe_node("a", "type=arack") +
      recipe_node("b", "type=brack") + recipe_node("n", "type=node") +
      recipe_node("k", "type=core") + recipe_edge("c", "a") + recipe_edge("c", "b") +
      recipe_edge("a", "n", "multi_scale=2 id_scope=1") +
      recipe_edge("b", "n", "multi_scale=2 id_scope=1") + recipe_edge("n", "k", "multi_scale=4")));
  const Vertices vertices(graph);
  EXPECT_EQ(vertices.find_type("node").size(), 4U);
  EXPECT_EQ(vertices.find_type("core").size(), 16U);
  EXPECT_TRUE(vertices.find_path("/cluster0/brack0/node3/core3"));
}

TEST(Grug, PowerFollowsTheRackByPath) {
  const ResourceGraph graph = *read_grug(recipe(
      recipe_node("c", "type=cluster root=1") + recipe_node("r", "type=rack") +
      recipe_node("n", "type=node") + recipe_node("p", "type=pdu size=50 unit=kW") +
      recipe_edge("c", "r", "multi_scale=2") + recipe_edge("r", "n", "multi_scale=2 id_scope=1") +
      recipe_edge("r", "p", "id_scope=1") +
      recipe_edge("p", "n",
                  "e_subsystem=power relation=supplies_to gen_method=ASSOCIATE_BY_PATH_IN")));
  const Subsystem* power = graph.topology().subsystem("power");
  ASSERT_NE(power, nullptr);
  EXPECT_EQ(power->relations().size(), 4U);
  const Vertices vertices(graph);
  const auto up = power->to(*vertices.find_path("/cluster0/rack1/node3"));
  ASSERT_EQ(up.size(), 1U);
  EXPECT_EQ(vertices.path(up.front().from), "/cluster0/rack1/pdu1");
}

TEST(Grug, HostileRecipesAreErrors) {
  const std::string root = recipe_node("c", "type=cluster root=1");
  EXPECT_THAT(error_of(""), HasSubstr("byte"));
  EXPECT_THAT(error_of("<graphml><graph>"), HasSubstr("byte"));
  EXPECT_THAT(error_of("<a/>"), HasSubstr("graphml.graph: is missing"));
  EXPECT_THAT(error_of(lab_recipe().substr(0, lab_recipe().size() / 2)), HasSubstr("byte"));
  EXPECT_THAT(error_of(recipe(recipe_node("n", "type=node"))), HasSubstr("root=1"));
  EXPECT_THAT(error_of(recipe(root + root)), HasSubstr("given twice"));
  EXPECT_THAT(error_of(recipe(root + recipe_edge("c", "nowhere"))),
              HasSubstr("target: no node has this id"));
  EXPECT_THAT(error_of(recipe(root + recipe_node("n", "type=node") + recipe_edge("c", "n") +
                              recipe_edge("n", "n"))),
              HasSubstr("'n' is below itself"));
  EXPECT_THAT(error_of(recipe(root + recipe_node("n", "type=node") +
                              recipe_edge("c", "n", "multi_scale=99999999999"))),
              HasSubstr("more than"));
  EXPECT_THAT(error_of(recipe(root + recipe_node("n", "type=node") +
                              recipe_edge("c", "n", "multi_scale=-1"))),
              HasSubstr("multi_scale: '-1'"));
  EXPECT_THAT(error_of(recipe(root + recipe_node("n", "type=node") +
                              recipe_edge("c", "n", "gen_method=GUESS"))),
              HasSubstr("gen_method: 'GUESS'"));
  EXPECT_THAT(error_of(recipe(recipe_node("c", "type=clu\xff root=1"))), HasSubstr("not UTF-8"));
}

TEST(Grug, ManyLevelsOfTenAreBeyondTheLimitAndNotMade) {
  std::string text = recipe_node("0", "type=t0 root=1");
  for (int i = 1; i < 30; ++i) {
    text += recipe_node(std::to_string(i), "type=t") +
            recipe_edge(std::to_string(i - 1), std::to_string(i), "multi_scale=10");
  }
  const auto refused = read_grug(recipe(text), {.vertices = 100'000});
  EXPECT_EQ(refused.error().message, "10000 times 10 vertices of '5' are more than 100000");
}

TEST(Grug, TheLimitsOfTheCallerHold) {
  EXPECT_TRUE(read_grug(lab_recipe(), {.vertices = 109}));
  const auto refused = read_grug(lab_recipe(), {.vertices = 108});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::limit);
}

}  // namespace
}  // namespace tenure::graph
