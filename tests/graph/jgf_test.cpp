#include "graph/formats/jgf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/vertices.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

std::string vertex(int id, std::string_view type, std::string_view path, std::string_view more) {
  return fmt::format(R"({{"id":"{}","metadata":{{"type":"{}",{}"paths":{{"containment":"{}"}}}}}})",
                     id, type, more, path);
}

std::string edge(int from, int to) {
  return fmt::format(R"({{"source":"{}","target":"{}"}})", from, to);
}

std::string document(const std::vector<std::string>& nodes, const std::vector<std::string>& edges) {
  return fmt::format(R"({{"graph":{{"nodes":[{}],"edges":[{}]}}}})", fmt::join(nodes, ","),
                     fmt::join(edges, ","));
}

/// cluster0, two nodes (hosts fluke3, fluke4) with two cores each.
std::vector<std::string> small_nodes() {
  return {vertex(0, "cluster", "/cluster0", R"("id":0,)"),
          vertex(1, "node", "/cluster0/fluke3", R"("rank":0,"properties":{"big":"1"},)"),
          vertex(2, "node", "/cluster0/fluke4", R"("rank":1,"status":1,)"),
          vertex(3, "core", "/cluster0/fluke3/core0", R"("id":0,)"),
          vertex(4, "core", "/cluster0/fluke3/core1", R"("id":1,)"),
          vertex(5, "core", "/cluster0/fluke4/core0", R"("id":0,)"),
          vertex(6, "core", "/cluster0/fluke4/core1", R"("id":1,)")};
}
std::vector<std::string> small_edges() {
  return {edge(0, 1), edge(0, 2), edge(1, 3), edge(1, 4), edge(2, 5), edge(2, 6)};
}

std::string error_of(const std::string& text) {
  const auto graph = read_jgf_graph(text);
  return graph ? "" : graph.error().message;
}

TEST(Jgf, RanksHostsPathsAndPropertiesAreReached) {
  const auto read = read_jgf_graph(document(small_nodes(), small_edges()));
  ASSERT_TRUE(read) << read.error().message;
  const Vertices vertices(read->graph);
  EXPECT_EQ(vertices.count(), 7U);
  EXPECT_EQ(read->graph.shapes().size(), 1U);
  EXPECT_EQ(vertices.id(*vertices.find_rank(Rank(1))), 4);
  EXPECT_EQ(vertices.path(*vertices.find_rank(Rank(1))), "/cluster0/fluke4");
  EXPECT_EQ(read->graph.find_host("fluke3").size(), 1U);
  EXPECT_EQ(vertices.uniq_id(*vertices.find_path("/cluster0/fluke4/core1")), 6);
  EXPECT_EQ(vertices.property(*vertices.find_path("/cluster0/fluke3"), "big"), "1");
  ResourceGraph graph = read->graph;
  graph.mark_up_all();
  EXPECT_EQ(graph.ranks_of(graph.up()).to_string(), "0");
}

TEST(Jgf, EdgesMayComeBeforeTheVertices) {
  const auto read =
      read_jgf_graph(fmt::format(R"({{"graph":{{"edges":[{}],"nodes":[{}]}}}})",
                                 fmt::join(small_edges(), ","), fmt::join(small_nodes(), ",")));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(Vertices(read->graph).count(), 7U);
}

TEST(Jgf, ASchedulingKeyIsReadAndTheRestOfTheRKept) {
  const std::string graph = document(small_nodes(), small_edges());
  const std::string execution = R"({"nodelist":["fluke[3-4]"],"expiration":7.5})";
  const auto read = read_jgf_graph(
      fmt::format(R"({{"version":1,"execution":{},"scheduling":{}}})", execution, graph));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->rest, json::value({{"version", 1}, {"execution", json::parse(execution)}}));
  EXPECT_EQ(Vertices(read->graph).count(), 7U);
}

TEST(Jgf, OlderEdgesNameTheRelationAndComeInBothDirections) {
  auto edges = small_edges();
  edges[0] = R"({"source":"0","target":"1","metadata":{"name":{"containment":"contains"}}})";
  edges.push_back(R"({"source":"1","target":"0","metadata":{"name":{"containment":"in"}}})");
  EXPECT_EQ(error_of(document(small_nodes(), edges)), "");
}

TEST(Jgf, EdgesOfOtherSubsystemsAreRelations) {
  auto nodes = small_nodes();
  auto edges = small_edges();
  nodes.push_back(R"({"id":"9","metadata":{"type":"pdu","id":0,"paths":{"power":"/pdu0"}}})");
  edges.push_back(R"({"source":"9","target":"1",
    "metadata":{"subsystem":"power","relationship":"supplies_to"}})");
  const auto read = read_jgf_graph(document(nodes, edges));
  ASSERT_TRUE(read) << read.error().message;
  const Subsystem* power = read->graph.topology().subsystem("power");
  ASSERT_NE(power, nullptr);
  EXPECT_EQ(power->relations().size(), 1U);
  EXPECT_TRUE(Vertices(read->graph).find_path("/pdu0/fluke3"));
}

TEST(Jgf, TextInPiecesOfAnyLengthGivesTheSameGraph) {
  const std::string text = document(small_nodes(), small_edges());
  for (const std::size_t length : {1U, 2U, 7U, 100U}) {
    JgfGraphReader reader;
    for (std::size_t at = 0; at < text.size(); at += length) {
      ASSERT_TRUE(reader.write(std::string_view(text).substr(at, length)));
    }
    const auto read = reader.finish();
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(Vertices(read->graph).count(), 7U);
  }
}

TEST(Jgf, EveryTruncationIsAnError) {
  const std::string text = document(small_nodes(), small_edges());
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(read_jgf_graph(std::string_view(text).substr(0, length))) << length;
  }
}

TEST(Jgf, HostileDocumentsAreErrorsThatNameThePlace) {
  const auto nodes = small_nodes();
  const auto edges = small_edges();
  const auto with = [](std::vector<std::string> list, std::string more) {
    list.push_back(std::move(more));
    return list;
  };
  EXPECT_THAT(error_of(std::string(100'000, '[')), HasSubstr("object"));
  EXPECT_THAT(error_of(R"({"x":)" + std::string(100'000, '[')), HasSubstr("deep"));
  EXPECT_THAT(error_of("{}"), HasSubstr("graph: is missing"));
  EXPECT_THAT(error_of("3"), HasSubstr("is not an object"));
  EXPECT_THAT(error_of(R"({"graph":{"nodes":{}}})"), HasSubstr("graph.nodes: is an object"));
  EXPECT_THAT(error_of(R"({"graph":{"nodes":[],"edges":[]}})"), HasSubstr("no vertices"));
  EXPECT_THAT(error_of(document(nodes, edges) + "x"), HasSubstr("byte"));
  EXPECT_THAT(error_of(document(with(nodes, nodes[3]), edges)), HasSubstr("'3' is given twice"));
  EXPECT_THAT(error_of(document(nodes, with(edges, edge(3, 77)))),
              HasSubstr("no vertex has the id '77' of an edge's target"));
  EXPECT_THAT(error_of(document(nodes, with(edges, edge(2, 3)))), HasSubstr("two parents"));
  EXPECT_THAT(error_of(document(nodes, with(edges, edge(3, 0)))), HasSubstr("every one has"));
  EXPECT_THAT(error_of(document(with(nodes, R"({"id":"x"})"), edges)),
              HasSubstr("graph.nodes[7].metadata.type: is missing"));
  EXPECT_THAT(error_of(document(with(nodes, R"({"id":7})"), edges)),
              HasSubstr("graph.nodes[7].id: 7 is not a string"));
  EXPECT_THAT(
      error_of(document(with(nodes, vertex(7, "core", "/a/core9", R"("size":-4,)")), edges)),
      HasSubstr("size -4"));
  EXPECT_THAT(error_of(document(with(nodes, vertex(7, "core", "/a/b", R"("size":"big",)")), edges)),
              HasSubstr("graph.nodes[7].metadata.size: 'big' is not a whole number"));
  EXPECT_THAT(
      error_of(document(with(nodes, vertex(7, "core", "/a/b", R"("rank":99999999999999999999,)")),
                        edges)),
      HasSubstr("metadata.rank"));
  EXPECT_THAT(error_of(document(with(nodes, vertex(7, "core", "/a/b", R"("name":"c",)")), edges)),
              HasSubstr("'c' is not the end of the path '/a/b'"));
  EXPECT_THAT(error_of(document(with(nodes, vertex(7, "c\xff", "/a/b", "")), edges)),
              HasSubstr("byte"));
}

TEST(Jgf, NodesBelowEachOtherDeeperThanTheLimitAreRefused) {
  std::vector<std::string> nodes{vertex(0, "cluster", "/cluster0", "")};
  std::vector<std::string> edges;
  for (int i = 1; i < 1100; ++i) {
    nodes.push_back(fmt::format(R"({{"id":"{}","metadata":{{"type":"box"}}}})", i));
    edges.push_back(edge(i - 1, i));
  }
  EXPECT_THAT(error_of(document(nodes, edges)), HasSubstr("deeper than 1000 levels"));
}

}  // namespace
}  // namespace tenure::graph
