#include "graph/formats/scheduling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "describe.hpp"
#include "graph/formats/grug.hpp"
#include "graph/formats/jgf_writer.hpp"
#include "graph/formats/r.hpp"
#include "recipes.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

/// The lab's graph and its R with `scheduling`.
struct Lab {
  ResourceGraph graph = *read_grug(lab_recipe());
  json::value r;

  Lab() {
    graph.add_property("fast", *Idset::parse("1-2"));
    ResourceGraph up = graph;
    up.mark_up_all();
    std::string text;
    write_jgf(up, JgfForm::whole, [&](std::string_view piece) { text += piece; });
    const json::value scheduling = json::parse(text);
    r = write_inventory(graph, graph.present(), {.scheduling = &scheduling});
  }
};

std::string error_of(const json::value& r) {
  const auto inventory = read_inventory(r);
  return inventory ? "" : inventory.error().message;
}

TEST(Scheduling, AnInventoryWithJgfIsTheWholeGraph) {
  const Lab lab;
  EXPECT_EQ(lab.r.at_pointer("/execution/R_lite"),
            json::parse(R"([{"rank": "0-5", "children": {"core": "0-7", "gpu": "0-1"}}])"));
  const auto inventory = read_inventory(lab.r);
  ASSERT_TRUE(inventory) << inventory.error().message;
  EXPECT_EQ(describe(inventory->graph), describe(lab.graph));
  EXPECT_EQ(inventory->scheduling, lab.r.at("scheduling"));
}

TEST(Scheduling, AJobsRIsASubInstancesInventory) {
  const Lab lab;
  // Rank 3 as a whole, and half of rank 4: cores 0-3 and gpu 0 are its first socket.
  const Vertices vertices(lab.graph);
  const Shape& shape = lab.graph.shape_of(NodeIndex(4));
  UnitMask half(shape.units);
  shape.add_subtree(vertices.find_path("/cluster0/rack1/node4/socket0")->local(), half);
  ResourceSet set;
  set.append_whole(NodeIndex(3));
  set.append_part(NodeIndex(4), half, shape);
  json::value job = write_r(set, lab.graph, {.scheduling = &lab.r.at("scheduling")});
  EXPECT_EQ(read_allocation(job, lab.graph)->resources.node_count(), 2U);
  EXPECT_EQ(job.at_pointer("/scheduling/graph/nodes").as_array().size(), 2U + 17U + 1U + 8U);

  // flux-core numbers the ranks of the sub-instance from 0.
  job.at("execution").at("R_lite") = json::parse(R"([
      {"rank": "0", "children": {"core": "0-7", "gpu": "0-1"}},
      {"rank": "1", "children": {"core": "0-3", "gpu": "0"}}])");
  const auto child = read_inventory(job);
  ASSERT_TRUE(child) << child.error().message;
  const Vertices inner(child->graph);
  EXPECT_EQ(child->graph.target_count(), 2U);
  EXPECT_EQ(inner.rank(*inner.find_path("/cluster0/rack1/node3")), 0);
  EXPECT_EQ(inner.rank(*inner.find_path("/cluster0/rack1/node4")), 1);
  EXPECT_TRUE(inner.find_path("/cluster0/rack1/node4/socket0/memory1"));
  EXPECT_FALSE(inner.find_path("/cluster0/rack1/node4/socket1"));
  EXPECT_FALSE(inner.find_path("/cluster0/rack0"));
}

TEST(Scheduling, TheParentsWholeGraphIsCutToExecution) {
  const Lab lab;
  json::value job = lab.r;
  job.at("execution") = json::parse(R"({"nodelist": ["node4"], "properties": {"big": "0"},
      "R_lite": [{"rank": "0", "children": {"core": "0-3"}}]})");
  const auto child = read_inventory(job);
  ASSERT_TRUE(child) << child.error().message;
  const Vertices vertices(child->graph);
  EXPECT_EQ(vertices.rank(*vertices.find_path("/cluster0/rack1/node4")), 0);
  EXPECT_EQ(vertices.find_type("core").size(), 4U);
  EXPECT_EQ(vertices.find_type("gpu").size(), 0U);
  EXPECT_EQ(vertices.find_type("memory").size(), 4U);
  EXPECT_EQ(vertices.find_type("rack").size(), 1U);
  EXPECT_NE(child->graph.find_property("big"), nullptr);
}

TEST(Scheduling, WhatExecutionHasAndTheTreeDoesNotIsAnError) {
  const Lab lab;
  json::value r = lab.r;
  r.at("execution").at("nodelist") = json::array{"node[0-4],tux"};
  EXPECT_EQ(error_of(r), "scheduling: has no node for rank 5, host 'tux'");
  r = lab.r;
  r.at("execution").at("R_lite") =
      json::parse(R"([{"rank": "0-5", "children": {"core": "0-8", "gpu": "0-1"}}])");
  EXPECT_EQ(error_of(r), "scheduling: has no core 8 for rank 0");
  r = lab.r;
  r.at("scheduling").at("graph").as_object()["nodes"] = 3;
  EXPECT_EQ(error_of(r), "scheduling: graph.nodes: 3 is not an array");
}

TEST(Scheduling, OfAnotherWriterIsNoneOfOurs) {
  const Lab lab;
  json::value r = lab.r;
  r.at("scheduling").as_object()["writer"] = "somebody:jgf";
  EXPECT_TRUE(read_inventory(r)->graph.topology().is_flat());
  r.at("scheduling").as_object()["writer"] = "fluxion:jgf";
  EXPECT_FALSE(read_inventory(r)->graph.topology().is_flat());
}

}  // namespace
}  // namespace tenure::graph
