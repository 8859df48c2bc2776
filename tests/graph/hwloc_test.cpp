#include "graph/formats/hwloc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "graph/vertices.hpp"

namespace tenure::graph {
namespace {

using ::testing::HasSubstr;

/// A file of the data beside the source tree, or "" when it is not there.
std::string real_file(const std::string& name) {
  const auto path = std::filesystem::path(TENURE_DATA_DIR) / "hwloc" / name;
  const auto text = read_file(path);
  return text ? *text : "";
}

/// "socket 2, core 12 …": how many there are of each type below the cluster.
std::string counts(const ResourceGraph& graph) {
  const Vertices vertices(graph);
  std::map<std::string, int> counts;
  vertices.for_each_in_preorder(vertices.root(), [&](Vertex v) {
    if (!v.is_interior() && !v.is_target()) ++counts[vertices.type(v)];
    return true;
  });
  std::vector<std::string> words;
  for (const auto& [type, count] : counts) words.push_back(fmt::format("{} {}", type, count));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string object(std::string_view attributes, std::string_view inside = "") {
  return fmt::format("<object {}>{}</object>", attributes, inside);
}

std::string topology(std::string_view inside, std::string_view version = "2.0") {
  return fmt::format(
      R"(<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd">)"
      R"(<topology version="{}">{}</topology>)",
      version,
      object(R"(type="Machine")", R"(<info name="HostName" value="tux7"/>)" + std::string(inside)));
}

std::string error_of(const std::string& text) {
  const auto graph = read_hwloc(text);
  return graph ? "" : graph.error().message;
}

TEST(Hwloc, RealNodesHaveTheirSocketsDomainsCachesCoresAndDevices) {
  struct Case {
    const char* file;
    const char* host;
    const char* counts;
  };
  const Case cases[] = {
      {"16em64t-4s2c2t.xml", "node0",
       "L1cache 8, L2cache 8, L3cache 4, core 8, numanode 1, pu 16, socket 4"},
      {"24em64t-2n6c2t-pci.xml", "mirage004",
       "L1cache 12, L2cache 12, L3cache 2, core 12, numanode 2, pu 24, socket 2, storage 1"},
      {"64intel64-heteromem.xml", "localhost.localdomain",
       "L1cache 16, L2cache 8, L3cache 4, core 16, numanode 8, pu 64, socket 1"},
      {"96em64t-4n4d3ca2co-pci.xml", "bertha",
       "L1cache 96, L2cache 48, L3cache 16, core 96, group 4, numanode 4, pu 96, socket 16, "
       "storage 4"},
      {"fakecpukinds.xml", "node0", "core 2, numanode 1, pu 4, socket 1"},
      {"memorysidecaches.xml", "leonide",
       "L2cache 40, L3cache 2, core 40, group 4, numanode 4, pu 80, socket 2"},
      {"power8gpudistances.xml", "drac-12.grenoble.grid5000.fr",
       "L3cache 8, core 8, gpu 4, numanode 2, pu 16, socket 2"},
  };
  if (real_file(cases[0].file).empty()) GTEST_SKIP() << "no hwloc files in " << TENURE_DATA_DIR;
  for (const Case& c : cases) {
    const auto graph = read_hwloc(real_file(c.file));
    ASSERT_TRUE(graph) << c.file << ": " << graph.error().message;
    EXPECT_EQ(counts(*graph), c.counts) << c.file;
    EXPECT_EQ(graph->target_count(), 1U) << c.file;
    EXPECT_EQ(graph->node(NodeIndex(0)).host, c.host);
  }
}

TEST(Hwloc, AGpuIsInItsSocketWithItsNumber) {
  const std::string text = real_file("power8gpudistances.xml");
  if (text.empty()) GTEST_SKIP() << "no hwloc files in " << TENURE_DATA_DIR;
  const ResourceGraph graph = *read_hwloc(text);
  const Vertices vertices(graph);
  for (const Vertex socket : vertices.find_type("socket")) {
    EXPECT_EQ(vertices.count(socket, "gpu"), 2U);
    EXPECT_EQ(vertices.count(socket, "core"), 4U);
    EXPECT_EQ(vertices.count(socket, "numanode"), 1U);
  }
  EXPECT_TRUE(vertices.find_path("/cluster0/drac-12.grenoble.grid5000.fr/socket0/numanode0/gpu1"));
  EXPECT_TRUE(vertices.find_path("/cluster0/drac-12.grenoble.grid5000.fr/socket1/numanode1/gpu2"));
}

TEST(Hwloc, OnlyAllowedTypesAreLoaded) {
  const std::string text = topology(object(
      R"(type="Package")",
      object(R"(type="NUMANode")") +
          object(R"(type="L3Cache")", object(R"(type="Core")", object(R"(type="PU")")) +
                                          object(R"(type="Core")", object(R"(type="PU")")))));
  EXPECT_EQ(counts(*read_hwloc(text)), "L3cache 1, core 2, numanode 1, pu 2, socket 1");
  const ResourceGraph graph = *read_hwloc(text, {.allow = {"socket", "core"}});
  EXPECT_EQ(counts(graph), "core 2, socket 1");
  EXPECT_TRUE(Vertices(graph).find_path("/cluster0/tux7/socket0/core1"));
}

TEST(Hwloc, ANumanodeIsAroundWhatIsLocalToItAndFurtherOnesBesideIt) {
  const ResourceGraph graph = *read_hwloc(topology(
      object(R"(type="Package")", object(R"(type="MemCache")", object(R"(type="NUMANode")")) +
                                      object(R"(type="NUMANode")") + object(R"(type="Core")"))));
  const Vertices vertices(graph);
  EXPECT_TRUE(vertices.find_path("/cluster0/tux7/socket0/numanode0/core0"));
  EXPECT_TRUE(vertices.find_path("/cluster0/tux7/socket0/numanode1"));
}

TEST(Hwloc, FilesOfVersionOneAreReadAlike) {
  std::string text = topology(object(
      R"(type="NUMANode")",
      object(R"(type="Socket")",
             object(R"(type="Cache" depth="3" cache_type="0")",
                    object(R"(type="Cache" depth="1" cache_type="2")",
                           object(R"(type="Core")", object(R"(type="PU")")))) +
                 object(R"(type="Bridge")",
                        object(R"(type="PCIDev" pci_busid="0000:03:00.0")",
                               object(R"(type="OSDev" name="cuda1" osdev_type="5")",
                                      R"(<info name="CoProcType" value="CUDA"/>)") +
                                   object(R"(type="OSDev" name="sda" osdev_type="0")",
                                          R"(<info name="Size" value="468851544"/>)"
                                          R"(<info name="LinuxDeviceID" value="8:0"/>)"))))));
  text.replace(text.find(R"( version="2.0")"), 14, "");
  const auto graph = read_hwloc(text);
  ASSERT_TRUE(graph) << graph.error().message;
  const Vertices vertices(*graph);
  EXPECT_TRUE(vertices.find_path("/cluster0/tux7/numanode0/socket0/L3cache0/core0/pu0"));
  EXPECT_TRUE(vertices.find_path("/cluster0/tux7/numanode0/socket0/gpu1"));
  const auto disk = vertices.find_path("/cluster0/tux7/numanode0/socket0/sda");
  ASSERT_TRUE(disk);
  EXPECT_EQ(vertices.size(*disk), 480);
  EXPECT_EQ(vertices.unit(*disk), "GB");
  EXPECT_EQ(vertices.property(*disk, "LinuxDeviceID"), "8:0");
}

TEST(Hwloc, SeveralNodesAreNumbered) {
  const ResourceGraph graph = *read_hwloc(topology(object(R"(type="Core")")), {.nodes = 3});
  EXPECT_EQ(graph.target_count(), 3U);
  EXPECT_EQ(graph.shapes().size(), 1U);
  EXPECT_TRUE(Vertices(graph).find_path("/cluster0/node2/core0"));
  EXPECT_EQ(read_hwloc(topology(""), {.nodes = 0}).error().message,
            "0 nodes are not from 1 to 4194304");
}

TEST(Hwloc, HostileFilesAreErrors) {
  EXPECT_THAT(error_of(""), HasSubstr("byte 0"));
  EXPECT_THAT(error_of("<a/>"), HasSubstr("topology: is missing"));
  EXPECT_THAT(error_of("<topology/>"), HasSubstr("topology.object: has no Machine"));
  EXPECT_THAT(error_of(topology("").substr(0, 100)), HasSubstr("byte"));
  EXPECT_THAT(error_of(topology(object(""))), HasSubstr("an object has no type"));
  EXPECT_THAT(error_of(topology(object(R"(type="Machine")"))), HasSubstr("inside another"));
  EXPECT_THAT(error_of("<topology><object type=\"Machine\"/><object type=\"Machine\"/></topology>"),
              HasSubstr("more than one machine"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += R"(<object type="MemCache">)";
  EXPECT_THAT(error_of("<topology>" + deep), HasSubstr("byte"));
  for (int i = 0; i < 100'000; ++i) deep += "</object>";
  EXPECT_THAT(error_of("<topology>" + deep + "</topology>"), HasSubstr("deeper than 200 levels"));
  const std::string disk = R"(type="OSDev" osdev_type="0" name="sd)";
  EXPECT_THAT(error_of(topology(object(disk + "\xff\""))), HasSubstr("is not UTF-8"));
  EXPECT_THAT(error_of(topology(object(disk + "/\""))), HasSubstr("has a '/'"));
}

}  // namespace
}  // namespace tenure::graph
