#include "graph/formats/graph_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "describe.hpp"
#include "graph/formats/grug.hpp"
#include "graph/formats/jgf_writer.hpp"
#include "recipes.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

ResourceGraph lab() { return *read_grug(lab_recipe()); }

std::string jgf_of(ResourceGraph graph, JgfForm form = JgfForm::whole) {
  graph.mark_up_all();
  std::string text;
  write_jgf(graph, form, [&](std::string_view piece) { text += piece; });
  return text;
}

std::string r_of(const ResourceGraph& graph, std::string_view scheduling) {
  const json::value value = json::parse(scheduling);
  return json::serialize(write_inventory(graph, graph.present(), {.scheduling = &value}));
}

std::string error_of(std::string_view text, std::optional<GraphFormat> format = {}) {
  const auto read = read_graph(text, {.format = format});
  return read ? "" : read.error().message;
}

TEST(GraphReader, FormatsHaveTheNamesOfTheQueryShell) {
  for (const auto* name : {"r", "rv1exec", "jgf", "jgf_shorthand", "treepool", "grug", "hwloc"}) {
    EXPECT_EQ(to_string(*parse_graph_format(name)), name);
  }
  EXPECT_EQ(*parse_graph_format("rv1exec_force"), GraphFormat::rv1exec);
  EXPECT_EQ(parse_graph_format("xml").error().message,
            "'xml' is no format of graphs: r, rv1exec, jgf, jgf_shorthand, treepool, grug, hwloc");
}

TEST(GraphReader, TheFormatIsFoundFromTheText) {
  const auto format = [](std::string_view text) {
    const auto read = read_graph(text);
    return read ? std::string(to_string(read->format)) : read.error().message;
  };
  const ResourceGraph graph = lab();
  EXPECT_EQ(format("\n  " + jgf_of(graph)), "jgf");
  EXPECT_EQ(format(lab_recipe()), "grug");
  EXPECT_EQ(format("\xef\xbb\xbf" + lab_recipe()), "grug");
  EXPECT_EQ(format(R"(<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd">
      <topology version="2.0"><object type="Machine"/></topology>)"),
            "hwloc");
  EXPECT_EQ(format(json::serialize(write_r(RegularMachine{2, 4, 0}))), "r");
  EXPECT_EQ(format(r_of(graph, jgf_of(graph))), "r");
}

TEST(GraphReader, AnRGivesTheTreeOfItsSchedulingUnlessExecutionAloneIsWanted) {
  const ResourceGraph graph = lab();
  const std::string text = r_of(graph, jgf_of(graph));
  EXPECT_EQ(describe(read_graph(text)->graph), describe(graph));
  const auto flat = read_graph(text, {.format = GraphFormat::rv1exec});
  ASSERT_TRUE(flat) << flat.error().message;
  EXPECT_TRUE(flat->graph.topology().is_flat());
  EXPECT_EQ(Vertices(flat->graph).count(), 1U + 6U * 11U);
  const auto pool = read_graph(r_of(graph, R"({"writer": "TreePool", "children": [
          {"ranks": "0-5", "topo": {"socket": [{"cores": "0-3"}, {"cores": "4-7"}]}}]})"));
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_TRUE(Vertices(pool->graph).find_path("/cluster0/node0/socket1/core7"));
}

TEST(GraphReader, ExecutionAloneIsReadWhateverSchedulingHas) {
  const std::string text = r_of(lab(), R"({"graph": {"nodes": "none"}, "writer": "somebody"})");
  EXPECT_THAT(error_of(text), HasSubstr("graph.nodes"));
  EXPECT_EQ(error_of(text, GraphFormat::rv1exec), "");
}

TEST(GraphReader, TheTimesOfAnRAreRead) {
  json::object r =
      write_r(RegularMachine{1, 1, 0}, {.start = Time::seconds(5), .expiration = Time::seconds(9)});
  EXPECT_EQ(read_graph(json::serialize(r))->times.expiration, Time::seconds(9));
}

TEST(GraphReader, WhatIsNoGraphIsAnError) {
  EXPECT_EQ(error_of(""), "is empty: a graph is JSON or XML");
  EXPECT_EQ(error_of(" \n"), "is empty: a graph is JSON or XML");
  EXPECT_THAT(error_of("PK\x03\x04"), HasSubstr("byte 0"));
  EXPECT_THAT(error_of("{}"), HasSubstr("version: is missing"));
  EXPECT_EQ(error_of("{}", GraphFormat::jgf), "graph: is missing");
  EXPECT_THAT(error_of("{}", GraphFormat::grug), HasSubstr("byte"));
  EXPECT_THAT(error_of("<a/>"), HasSubstr("graphml.graph: is missing"));
  EXPECT_THAT(error_of("<a/>", GraphFormat::jgf), HasSubstr("byte 0"));
}

}  // namespace
}  // namespace tenure::graph
