#include "graph/formats/treepool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/formats/r.hpp"
#include "graph/formats/scheduling.hpp"
#include "graph/vertices.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

// The clusters of RFC 49.
constexpr std::string_view kClusterA = R"({"writer": "TreePool", "children": [{"ranks": "0-15",
  "topo": {"storage": [{"path": "/mnt/nvme", "capacity": 2, "unit": "TiB"}],
    "socket": [
      {"numa": [{"cores": "0-14", "gpus": "0"}, {"cores": "15-29", "gpus": "1"},
                {"cores": "30-44", "gpus": "2"}, {"cores": "45-59", "gpus": "3"}]},
      {"numa": [{"cores": "60-74", "gpus": "4"}, {"cores": "75-89", "gpus": "5"},
                {"cores": "90-104", "gpus": "6"}, {"cores": "105-119", "gpus": "7"}]}]}}]})";
constexpr std::string_view kClusterB = R"({"writer": "TreePool", "children": [{"ranks": "0-1151",
  "topo": {"storage": [{"path": "/l/ssd", "capacity": 200, "unit": "GiB"}],
    "socket": [{"cores": "0-23", "gpus": "0", "memory": 125},
               {"cores": "24-47", "gpus": "1", "memory": 126},
               {"cores": "48-71", "gpus": "2", "memory": 126},
               {"cores": "72-95", "gpus": "3", "memory": 126}]}}]})";

json::value r_of(RegularMachine machine, std::string_view scheduling) {
  json::object r = write_r(machine);
  r["scheduling"] = json::parse(scheduling);
  return r;
}

ResourceGraph read(const json::value& r) {
  auto inventory = read_inventory(r);
  EXPECT_TRUE(inventory) << inventory.error().message;
  return std::move(inventory->graph);
}

std::string error_of(std::string_view children) {
  const auto inventory = read_inventory(
      r_of({2, 4, 1}, fmt::format(R"({{"writer": "TreePool", "children": {}}})", children)));
  return inventory ? "" : inventory.error().message;
}

std::string error_of_topo(std::string_view topo) {
  return error_of(fmt::format(R"([{{"ranks": "0-1", "topo": {}}}])", topo));
}

TEST(TreePool, ClusterAHasSocketsOfNumaDomains) {
  const ResourceGraph graph = read(r_of({16, 120, 8}, kClusterA));
  const Vertices vertices(graph);
  EXPECT_EQ(graph.target_count(), 16U);
  EXPECT_EQ(graph.shapes().size(), 1U);
  EXPECT_EQ(vertices.count(), 1U + 16U * (1 + 1 + 2 + 8 + 120 + 8));
  const auto numa = vertices.find_path("/cluster0/node3/socket1/numa6");
  ASSERT_TRUE(numa);
  EXPECT_EQ(vertices.count(*numa, "core"), 15U);
  EXPECT_TRUE(vertices.find_path("/cluster0/node3/socket1/numa6/core104"));
  EXPECT_TRUE(vertices.find_path("/cluster0/node3/socket1/numa6/gpu6"));
  const auto storage = vertices.find_path("/cluster0/node15/storage0");
  ASSERT_TRUE(storage);
  EXPECT_EQ(vertices.size(*storage), 2);
  EXPECT_EQ(vertices.unit(*storage), "TiB");
  EXPECT_EQ(vertices.property(*storage, "path"), "/mnt/nvme");
}

TEST(TreePool, ClusterBHasMemoryInItsSockets) {
  const ResourceGraph graph = read(r_of({1152, 96, 4}, kClusterB));
  const Vertices vertices(graph);
  EXPECT_EQ(graph.target_count(), 1152U);
  EXPECT_EQ(graph.shapes().size(), 1U);
  const auto memory = vertices.find_path("/cluster0/node1151/socket0/memory0");
  ASSERT_TRUE(memory);
  EXPECT_EQ(vertices.size(*memory), 125);
  EXPECT_EQ(vertices.unit(*memory), "GiB");
  EXPECT_EQ(vertices.size(*vertices.find_path("/cluster0/node0/socket3/memory3")), 126);
}

TEST(TreePool, WhatIsWrittenIsWhatWasRead) {
  for (const auto& [text, machine] : {std::pair{kClusterA, RegularMachine{16, 120, 8}},
                                      std::pair{kClusterB, RegularMachine{1152, 96, 4}}}) {
    const ResourceGraph graph = read(r_of(machine, text));
    EXPECT_EQ(json::value(write_treepool(graph, graph.present())), json::parse(text));
  }
}

TEST(TreePool, AnAllocatedRHasItsRanksAndTheWholeTopology) {
  const json::value r = r_of({16, 120, 8}, kClusterA);
  const ResourceGraph graph = read(r);
  ResourceSet set;
  set.append_whole(NodeRange{NodeIndex(2), NodeIndex(3)});
  const json::value job = write_r(set, graph, {.scheduling = &r.at("scheduling")});
  EXPECT_EQ(job.at("execution").at("R_lite"),
            json::parse(R"([{"rank": "2-3", "children": {"core": "0-119", "gpu": "0-7"}}])"));
  EXPECT_EQ(job.at_pointer("/scheduling/children/0/ranks"), "2-3");
  EXPECT_EQ(job.at_pointer("/scheduling/children/0/topo"),
            r.at_pointer("/scheduling/children/0/topo"));
  // What the R gives back is the nodes as a whole, storage included.
  EXPECT_EQ(read_allocation(job, graph)->resources, set);
}

TEST(TreePool, ASubInstanceReadsItsJobsRWithRanksFromZero) {
  json::value r = r_of({2, 4, 1}, R"({"writer": "TreePool", "children": [
      {"ranks": "5", "topo": {"numa": [{"cores": "0-1"}, {"cores": "2-3", "gpus": "0"}]}},
      {"ranks": "9", "topo": {"socket": [{"cores": "0-3", "gpus": "0"}]}}]})");
  const ResourceGraph graph = read(r);
  const Vertices vertices(graph);
  EXPECT_TRUE(vertices.find_path("/cluster0/node0/numa1/gpu0"));
  EXPECT_TRUE(vertices.find_path("/cluster0/node1/socket0/core3"));
  EXPECT_EQ(vertices.rank(*vertices.find_path("/cluster0/node1")), 1);
}

TEST(TreePool, CoresAndGpusAreThoseOfExecution) {
  json::value r = r_of({2, 4, 0}, R"({"writer": "TreePool", "children": [{"ranks": "0-1",
      "topo": {"socket": [{"cores": "0-1", "gpus": "0"}, {"cores": "8-9"}]}}]})");
  const ResourceGraph graph = read(r);
  const Vertices vertices(graph);
  EXPECT_EQ(vertices.find_type("core").size(), 8U);
  EXPECT_TRUE(vertices.find_path("/cluster0/node0/socket0/core1"));
  EXPECT_TRUE(vertices.find_path("/cluster0/node0/core3"));  // of no domain
  EXPECT_FALSE(vertices.find_path("/cluster0/node0/socket1/core8"));
  EXPECT_TRUE(vertices.find_type("gpu").empty());
}

TEST(TreePool, FractionsOfAUnitBecomeWholeOnes) {
  const ResourceGraph graph = read(r_of({1, 1, 0}, R"({"writer": "TreePool", "children": [
      {"ranks": "0", "topo": {"storage": [{"path": "/a", "capacity": 1.5, "unit": "TiB"}]}}]})"));
  const Vertices vertices(graph);
  const Vertex storage = *vertices.find_path("/cluster0/node0/storage0");
  EXPECT_EQ(vertices.size(storage), 1536);
  EXPECT_EQ(vertices.unit(storage), "GiB");
}

TEST(TreePool, RanksWithoutAnEntryAreFlat) {
  const ResourceGraph graph = read(r_of({2, 2, 0}, R"({"writer": "TreePool", "children": [
      {"ranks": "1", "topo": {"socket": [{"cores": "0-1"}]}}]})"));
  const Vertices vertices(graph);
  EXPECT_TRUE(vertices.find_path("/cluster0/node0/core1"));
  EXPECT_TRUE(vertices.find_path("/cluster0/node1/socket0/core1"));
}

TEST(TreePool, WithoutChildrenExecutionIsAll) {
  const ResourceGraph graph = read(r_of({2, 2, 0}, R"({"writer": "TreePool"})"));
  EXPECT_TRUE(graph.topology().is_flat());
}

TEST(TreePool, BadValuesAreErrorsThatNameThePlace) {
  EXPECT_EQ(error_of("7"), "scheduling: children: 7 is not an array of objects");
  EXPECT_EQ(error_of("[7]"), "scheduling: children[0]: 7 is not an object");
  EXPECT_EQ(error_of("[{}]"), "scheduling: children[0].ranks: is missing");
  EXPECT_EQ(error_of(R"([{"ranks": "0"}])"), "scheduling: children[0].topo: is missing");
  EXPECT_THAT(error_of(R"([{"ranks": "0-", "topo": {}}])"), HasSubstr("children[0].ranks"));
  EXPECT_EQ(error_of(R"([{"ranks": "0", "topo": {}, "x": 1}])"),
            "scheduling: children[0].x: is no key here (ranks, topo)");
  EXPECT_EQ(error_of(R"([{"ranks": "0-1", "topo": {}}, {"ranks": "1", "topo": {}}])"),
            "scheduling: children[1].ranks: rank 1 is in two entries");
  EXPECT_THAT(error_of(R"([{"ranks": "5-9", "topo": {}}])"), HasSubstr("ranks '5-9' are neither"));
  EXPECT_EQ(error_of_topo("[]"), "scheduling: children[0].topo: an array of 0 is not an object");
  EXPECT_EQ(error_of_topo(R"({"socket": {}})"),
            "scheduling: children[0].topo.socket: an object is not an array of objects");
  EXPECT_EQ(error_of_topo(R"({"socket": [1]})"),
            "scheduling: children[0].topo.socket[0]: 1 is not an object");
  EXPECT_EQ(error_of_topo(R"({"cores": 3})"),
            "scheduling: children[0].topo.cores: 3 is not a string with an idset");
  EXPECT_EQ(error_of_topo(R"({"socket": [{"cores": "0-1"}, {"cores": "1"}]})"),
            "scheduling: children[0].topo.socket[1].cores: core 1 is in two domains");
  EXPECT_EQ(error_of_topo(R"({"memory": -1})"),
            "scheduling: children[0].topo.memory: -1 is not a number of GiB");
  EXPECT_EQ(error_of_topo(R"({"storage": [{"path": "/a"}]})"),
            "scheduling: children[0].topo.storage[0].capacity: is missing");
  EXPECT_THAT(error_of_topo(R"({"storage": [{"path": "/a", "capacity": 1e300}]})"),
              HasSubstr("is not from 0 to 1e15"));
  EXPECT_THAT(error_of_topo(R"({"storage": [{"path": "/a", "capacity": 0.3, "unit": "parsec"}]})"),
              HasSubstr("capacity: 0.3 is not a whole number"));
  EXPECT_THAT(error_of_topo(R"({"core": [{}]})"), HasSubstr("'core' is no name of a locality"));
  EXPECT_THAT(error_of_topo(R"({"a/b": [{}]})"), HasSubstr("'a/b' has a '/'"));
  EXPECT_THAT(error_of_topo(R"({"cores": "0-4000000000"})"), HasSubstr("at most 65536 vertices"));
}

}  // namespace
}  // namespace tenure::graph
