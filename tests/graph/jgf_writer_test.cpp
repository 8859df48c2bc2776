#include "graph/formats/jgf_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "describe.hpp"
#include "graph/formats/grug.hpp"
#include "graph/formats/jgf.hpp"
#include "recipes.hpp"

namespace tenure::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string jgf_of(const ResourceGraph& graph, JgfForm form = JgfForm::whole) {
  std::string text;
  write_jgf(graph, form, [&](std::string_view piece) { text += piece; });
  return text;
}

ResourceGraph lab() {
  ResourceGraph graph = *read_grug(lab_recipe());
  graph.mark_up_all();
  return graph;
}

ResourceGraph read_back(const std::string& text) {
  auto document = read_jgf_graph(text);
  EXPECT_TRUE(document) << document.error().message << text;
  document->graph.mark_up_all();
  return std::move(document->graph);
}

// The texts are those of the query shell's examples.
TEST(JgfWriter, VerticesAndEdgesHaveTheTextOfTheQueryShell) {
  const ResourceGraph graph = lab();
  const Vertices vertices(graph);
  const auto text = [&](std::string_view path, JgfMarks marks) {
    std::string out;
    append_jgf_vertex(out, vertices, *vertices.find_path(path), path, marks);
    return out;
  };
  const JgfMarks held{.hold = JgfMarks::Hold::exclusive};
  EXPECT_EQ(text("/cluster0/rack1/node3/socket1/core7", held),
            R"({"id": "52", "metadata": {"type": "core", "id": 7, "rank": -1, "exclusive": true, )"
            R"("paths": {"containment": "/cluster0/rack1/node3/socket1/core7"}}})");
  EXPECT_EQ(text("/cluster0/rack1/node4/socket0/memory0", held),
            R"({"id": "97", "metadata": {"type": "memory", "id": 0, "rank": -1, "unit": "GB", )"
            R"("exclusive": true, "size": 4, )"
            R"("paths": {"containment": "/cluster0/rack1/node4/socket0/memory0"}}})");
  EXPECT_EQ(text("/cluster0/rack1/node3", {}),
            R"({"id": "6", "metadata": {"type": "node", "id": 3, "rank": 3, )"
            R"("paths": {"containment": "/cluster0/rack1/node3"}}})");
  JgfMarks found;
  found.extra = {{"agfilter", {{"core", "used:1, total:8"}}}};
  EXPECT_THAT(text("/cluster0/rack1/node3", found),
              HasSubstr(R"(}, "agfilter": {"core": "used:1, total:8"}}})"));
  std::string edge;
  append_jgf_edge(edge, {16, 52});
  EXPECT_EQ(edge, R"({"source": "16", "target": "52"})");
  edge.clear();
  append_jgf_edge(edge, {1, 2, "power"});
  EXPECT_EQ(edge, R"({"source": "1", "target": "2", "metadata": {"subsystem": "power"}})");
}

TEST(JgfWriter, WhatIsWrittenIsReadBack) {
  ResourceGraph graph = lab();
  const Vertices vertices(graph);
  graph.set_status(*vertices.find_path("/cluster0/rack0/node1"), Status::down);
  graph.set_status(*vertices.find_path("/cluster0/rack1/node3/socket0"), Status::down);
  graph.set_status(*vertices.find_path("/cluster0/rack1/ssd0"), Status::down);
  graph.set_property(*vertices.find_path("/cluster0/rack0/node2"), "perf_class", "3");
  graph.set_property(*vertices.find_path("/cluster0/rack0/node2"), "big \"one\"\n", "");
  graph.set_property(*vertices.find_path("/cluster0/rack1"), "row", "\xc3\xa4\\");
  EXPECT_EQ(describe(read_back(jgf_of(graph))), describe(graph));
}

TEST(JgfWriter, SubsystemsAreReadBack) {
  const std::string subsystem = "e_subsystem=power relation=supplies_to";
  const std::string recipe_text = recipe(
      recipe_node("c", "type=cluster root=1") + recipe_node("r", "type=rack") +
      recipe_node("n", "type=node") + recipe_node("p", "type=pdu size=50 unit=kW") +
      recipe_node("s", "type=powerpanel root=1 subsystem=power") +
      recipe_edge("c", "r", "multi_scale=2") + recipe_edge("r", "n", "multi_scale=2 id_scope=1") +
      recipe_edge("s", "p", subsystem + " multi_scale=2") +
      recipe_edge("p", "n", subsystem + " gen_method=ASSOCIATE_IN"));
  const auto made = read_grug(recipe_text);
  ASSERT_TRUE(made) << made.error().message;
  ResourceGraph graph = *made;
  graph.mark_up_all();
  const std::string text = jgf_of(graph);
  EXPECT_THAT(text, HasSubstr(R"("power": "/powerpanel0/pdu1")"));
  EXPECT_EQ(describe(read_back(text)), describe(graph));
}

TEST(JgfWriter, LostVerticesAreNotWritten) {
  ResourceGraph graph = lab();
  const Vertices vertices(graph);
  ASSERT_TRUE(graph.remove(*vertices.find_path("/cluster0/rack0")));
  ASSERT_TRUE(graph.remove(*vertices.find_path("/cluster0/rack1/node5/socket0")));
  const ResourceGraph read = read_back(jgf_of(graph));
  EXPECT_EQ(read.target_count(), 3U);
  EXPECT_EQ(describe(read), describe(graph));
}

TEST(JgfWriter, ShorthandEndsAtWhatIsHeld) {
  const ResourceGraph graph = lab();
  const std::string text = jgf_of(graph, JgfForm::shorthand);
  EXPECT_THAT(text, ::testing::EndsWith(R"(]}, "writer": "fluxion:jgf_shorthand"})"));
  EXPECT_THAT(text, Not(HasSubstr("socket")));
  const ResourceGraph read = read_back(text);
  EXPECT_EQ(Vertices(read).count(), 1U + 2U + 6U + 4U);
  // Nothing is left out of it a second time.
  EXPECT_THAT(jgf_of(read, JgfForm::shorthand), Not(HasSubstr("writer")));
}

}  // namespace
}  // namespace tenure::graph
