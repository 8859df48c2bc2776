#include "graph/formats/graph_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "describe.hpp"
#include "graph/formats/drawing.hpp"
#include "graph/formats/graph_reader.hpp"
#include "graph/formats/grug.hpp"
#include "recipes.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;

ResourceGraph made(const std::string& text) {
  auto graph = read_grug(text);
  EXPECT_TRUE(graph) << graph.error().message;
  graph->mark_up_all();
  return *std::move(graph);
}

std::string text_of(const ResourceGraph& graph, GraphOutput output, const RTimes& times = {}) {
  std::string text;
  const auto written = write_graph(graph, output, times, [&](std::string_view p) { text += p; });
  return written ? text : "error: " + written.error().message;
}

ResourceGraph again(const ResourceGraph& graph, GraphOutput output) {
  const std::string text = text_of(graph, output);
  EXPECT_EQ(text.back(), '\n');
  auto read = read_graph(text);
  EXPECT_TRUE(read) << read.error().message << text;
  read->graph.mark_up_all();
  return std::move(read->graph);
}

/// Two racks of nodes that a panel with two pdus feeds.
std::string powered_recipe() {
  const std::string power = "e_subsystem=power relation=supplies_to";
  return recipe(
      recipe_node("c", "type=cluster root=1") + recipe_node("r", "type=rack") +
      recipe_node("n", "type=node") + recipe_node("k", "type=core") +
      recipe_node("p", "type=pdu size=50 unit=kW subsystem=power") +
      recipe_node("s", "type=panel root=1 subsystem=power") +
      recipe_edge("c", "r", "multi_scale=2") + recipe_edge("r", "n", "multi_scale=2 id_scope=1") +
      recipe_edge("n", "k", "multi_scale=4") + recipe_edge("s", "p", power + " multi_scale=2") +
      recipe_edge("p", "n", power + " gen_method=ASSOCIATE_IN"));
}

TEST(GraphWriter, NamesOfTheFormats) {
  for (const auto* name :
       {"r", "rv1exec", "treepool", "jgf", "jgf_shorthand", "dot", "svg", "graphml"}) {
    EXPECT_TRUE(parse_graph_output(name)) << name;
  }
  EXPECT_EQ(parse_graph_output("png").error().message,
            "'png' is no format that graphs are written in: r, rv1exec, treepool, jgf, "
            "jgf_shorthand, dot, svg, graphml");
}

TEST(GraphWriter, RAndJgfAreReadBackAsTheSameGraph) {
  for (const std::string& text : {lab_recipe(), powered_recipe()}) {
    const ResourceGraph graph = made(text);
    EXPECT_EQ(describe(again(graph, GraphOutput::r)), describe(graph));
    EXPECT_EQ(describe(again(graph, GraphOutput::jgf)), describe(graph));
    const ResourceGraph flat = again(graph, GraphOutput::rv1exec);
    EXPECT_EQ(flat.target_count(), graph.target_count());
    EXPECT_EQ(describe(again(flat, GraphOutput::r)), describe(flat));
  }
}

TEST(GraphWriter, ATreePoolKeepsWhatIsInsideTheNodes) {
  const ResourceGraph graph = made(lab_recipe());
  const ResourceGraph read = again(graph, GraphOutput::treepool);
  const Vertices vertices(read);
  EXPECT_EQ(read.target_count(), 6U);
  EXPECT_TRUE(vertices.find_path("/cluster0/node3/socket1/core7"));
  EXPECT_TRUE(vertices.find_path("/cluster0/node3/socket1/gpu1"));
  EXPECT_EQ(vertices.unit(*vertices.find_path("/cluster0/node3/socket1/memory1")), "GiB");
}

TEST(GraphWriter, AnRHasTheTimes) {
  const std::string text = text_of(made(lab_recipe()), GraphOutput::rv1exec,
                                   {.start = Time::seconds(3), .expiration = Time::seconds(8)});
  EXPECT_EQ(json::parse(text).at_pointer("/execution/starttime"), 3);
  EXPECT_EQ(json::parse(text).at_pointer("/execution/expiration"), 8);
  EXPECT_THAT(text, Not(HasSubstr("nslots")));
}

TEST(GraphWriter, WithoutNodesThereIsNoR) {
  const ResourceGraph graph = made(recipe(recipe_node("c", "type=cluster root=1")));
  EXPECT_THAT(text_of(graph, GraphOutput::r), HasSubstr("error: the graph has no nodes"));
  EXPECT_EQ(describe(again(graph, GraphOutput::jgf)), describe(graph));
}

TEST(Outline, OfARegularGraphIsItsRecipe) {
  const Outline outline(made(lab_recipe()));
  std::vector<std::string> lines;
  for (const Outline::Kind& kind : outline.kinds()) {
    std::string line = fmt::format("{} {}:", describe_kind(kind), kind.total);
    for (const Outline::Below& below : kind.below) {
      line += fmt::format(" {}x{}", below.count, outline.kinds()[below.kind].type);
    }
    lines.push_back(line);
  }
  EXPECT_THAT(
      lines, ::testing::ElementsAre("cluster 1: 2xrack", "rack 2: 3xnode 2xssd", "node 6: 2xsocket",
                                    "ssd 100 GB 4:", "socket 12: 4xcore 1xgpu 2xmemory",
                                    "core 48:", "gpu 12:", "memory 4 GB 24:"));
  EXPECT_EQ(outline.depth(), 5U);
}

TEST(Outline, IsThatOfTheRecipeItIsWrittenAs) {
  const std::string mixed =
      recipe(recipe_node("c", "type=cluster root=1") + recipe_node("a", "type=node basename=big") +
             recipe_node("b", "type=node") + recipe_node("k", "type=core") +
             recipe_node("x", "type=gpu") + recipe_node("l", "type=licence size=10") +
             recipe_edge("c", "a", "multi_scale=2") + recipe_edge("c", "b", "multi_scale=3") +
             recipe_edge("c", "l") + recipe_edge("a", "k", "multi_scale=8") +
             recipe_edge("a", "x", "multi_scale=2") + recipe_edge("b", "k", "multi_scale=8"));
  for (const std::string& text : {lab_recipe(), powered_recipe(), mixed}) {
    const ResourceGraph graph = made(text);
    const ResourceGraph read = again(graph, GraphOutput::graphml);
    EXPECT_EQ(Outline(read), Outline(graph)) << text_of(graph, GraphOutput::graphml);
  }
  // Ids run on where the recipe's did: cores through a node, nodes through the cluster.
  EXPECT_EQ(describe(again(made(lab_recipe()), GraphOutput::graphml)),
            describe(made(lab_recipe())));
}

TEST(Outline, SubsystemsAreLinks) {
  const Outline outline(made(powered_recipe()));
  ASSERT_EQ(outline.links().size(), 2U);
  const Outline::Link& feeds = outline.links().back();
  EXPECT_EQ(outline.kinds()[feeds.from].type, "pdu");
  EXPECT_EQ(outline.kinds()[feeds.to].type, "node");
  EXPECT_EQ(feeds.count, 8U);
  EXPECT_EQ(feeds.relation, "supplies_to");
  EXPECT_EQ(outline.kinds()[feeds.from].total, 2U);
}

TEST(Drawing, HasABoxForEachKindAndTheCountsBetweenThem) {
  const ResourceGraph graph = made(powered_recipe());
  const std::string dot = text_of(graph, GraphOutput::dot);
  EXPECT_THAT(dot, HasSubstr(R"(k0 [label="cluster\n1"];)"));
  EXPECT_THAT(dot, HasSubstr(R"(k0 -> k1 [label="×2"];)"));
  EXPECT_THAT(dot, HasSubstr("power supplies_to (8)"));
  const std::string svg = text_of(graph, GraphOutput::svg);
  EXPECT_THAT(svg, ::testing::StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, HasSubstr(">pdu 50 kW</text>"));
  EXPECT_THAT(svg, HasSubstr(">×4</text>"));
}

TEST(Drawing, TextIsEscaped) {
  const ResourceGraph graph =
      made(recipe(recipe_node("c", "type=cluster root=1") +
                  recipe_node("x", "type=a&lt;b&gt;\"&amp;") + recipe_edge("c", "x")));
  EXPECT_THAT(text_of(graph, GraphOutput::svg), HasSubstr("a&lt;b&gt;&quot;&amp;"));
  EXPECT_THAT(text_of(graph, GraphOutput::dot), HasSubstr(R"(a<b>\"&)"));
  EXPECT_EQ(Outline(again(graph, GraphOutput::graphml)), Outline(graph));
}

TEST(Drawing, OfAnIrregularGraphIsRefused) {
  std::string text = recipe_node("c", "type=cluster root=1");
  for (int i = 0; i < 600; ++i) {
    text += recipe_node("n" + std::to_string(i), fmt::format("type=pool size={}", i + 2)) +
            recipe_edge("c", "n" + std::to_string(i));
  }
  const ResourceGraph graph = made(recipe(text));
  EXPECT_THAT(text_of(graph, GraphOutput::svg), HasSubstr("601 kinds of vertices"));
  EXPECT_THAT(text_of(graph, GraphOutput::graphml), HasSubstr("at most 500"));
}

}  // namespace
}  // namespace tenure::graph
