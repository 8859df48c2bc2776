#include "graph/formats/r.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "machines.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The facts of the example in RFC 20.
constexpr std::string_view kExample = R"({
  "version": 1,
  "execution": {
    "R_lite": [{"rank": "19-22", "children": {"core": "0-47", "gpu": "0-7"}}],
    "nodelist": ["node[186-189]"],
    "nslots": 32, "starttime": 1676560542, "expiration": 1676562342}})";

/// An R with the given members of `execution`, and defaults for those that are not given.
json::value r_with(std::string_view members) {
  json::object execution = json::parse(R"({
    "R_lite": [{"rank": "0-1", "children": {"core": "0-3"}}], "nodelist": ["n[0-1]"]})")
                               .get_object();
  const json::value given = json::parse(members);
  for (const auto& [key, value] : given.get_object()) execution[key] = value;
  json::object r;
  r["version"] = 1;
  r["execution"] = std::move(execution);
  return r;
}

std::string inventory_error(std::string_view members) {
  const auto inventory = read_inventory(r_with(members));
  return inventory ? "no error" : inventory.error().message;
}

std::vector<std::string> hosts(const ResourceGraph& graph) {
  std::vector<std::string> hosts;
  for (const Node& node : graph.nodes()) hosts.push_back(node.host);
  return hosts;
}

TEST(ReadInventory, ReadsTheExampleOfTheRfc) {
  const auto inventory = read_inventory(json::parse(kExample));
  ASSERT_TRUE(inventory) << inventory.error().message;
  const ResourceGraph& graph = inventory->graph;
  EXPECT_EQ(graph.node_count(), 4U);
  EXPECT_THAT(hosts(graph), ElementsAre("node186", "node187", "node188", "node189"));
  EXPECT_EQ(graph.node(NodeIndex(0)).rank, Rank(19));
  EXPECT_EQ(graph.shape_of(NodeIndex(3)).count("core"), 48U);
  EXPECT_EQ(graph.shape_of(NodeIndex(3)).count("gpu"), 8U);
  EXPECT_EQ(graph.shapes().size(), 1U);
  EXPECT_EQ(inventory->times.start, Time::seconds(1676560542));
  EXPECT_EQ(inventory->times.expiration, Time::seconds(1676562342));
  EXPECT_FALSE(inventory->scheduling);
}

TEST(ReadInventory, HostNamesGoByRankNotByEntry) {
  const auto inventory = read_inventory(r_with(R"({
    "R_lite": [{"rank": "2,5", "children": {"core": "0"}},
               {"rank": "0-1,3", "children": {"core": "0-1"}}],
    "nodelist": ["a", "b[1-2]", "c,d"]})"));
  ASSERT_TRUE(inventory) << inventory.error().message;
  EXPECT_THAT(hosts(inventory->graph), ElementsAre("a", "b1", "b2", "c", "d"));
  EXPECT_EQ(inventory->graph.shape_of(NodeIndex(2)).count("core"), 1U);
  EXPECT_EQ(inventory->graph.shape_of(NodeIndex(3)).count("core"), 2U);
  EXPECT_EQ(inventory->graph.node(NodeIndex(4)).rank, Rank(5));
}

TEST(ReadInventory, TimesOfZeroOrNoneAreUnset) {  // T3
  for (const auto members :
       {R"({"starttime": 0, "expiration": 0})", R"({"starttime": 0.0, "expiration": 0.0})", "{}"}) {
    const auto inventory = read_inventory(r_with(members));
    ASSERT_TRUE(inventory) << inventory.error().message;
    EXPECT_EQ(inventory->times.start, Time());
    EXPECT_TRUE(inventory->times.expiration.is_never());
  }
}

TEST(ReadInventory, TimesMayBeFractionalAndEitherMayBeUnset) {
  const auto fractional = read_inventory(r_with(R"({"starttime": 1.5, "expiration": 99.25})"));
  ASSERT_TRUE(fractional);
  EXPECT_EQ(fractional->times.start, Time::microseconds(1'500'000));
  EXPECT_EQ(fractional->times.expiration, Time::microseconds(99'250'000));
  const auto open = read_inventory(r_with(R"({"starttime": 10, "expiration": 0})"));
  ASSERT_TRUE(open);
  EXPECT_TRUE(open->times.expiration.is_never());
}

TEST(ReadInventory, StorageNodesAndUnknownTypesAreResources) {
  const auto inventory = read_inventory(r_with(R"({
    "R_lite": [{"rank": "0", "children": {}}, {"rank": "1", "children": {"ssd": "0-1"}}]})"));
  ASSERT_TRUE(inventory) << inventory.error().message;
  EXPECT_EQ(inventory->graph.shape_of(NodeIndex(0)).units, 0U);
  EXPECT_EQ(inventory->graph.shape_of(NodeIndex(1)).count("ssd"), 2U);
  EXPECT_TRUE(inventory->graph.has_type("ssd"));
}

TEST(ReadInventory, SixtyFiveRanksMayHaveOneHostName) {  // M5
  std::string list = "n";
  for (int i = 1; i < 65; ++i) list += ",n";
  const auto inventory = read_inventory(r_with(R"({"nodelist": [")" + list + R"("],
    "R_lite": [{"rank": "0-64", "children": {"core": "0"}}]})"));
  ASSERT_TRUE(inventory) << inventory.error().message;
  EXPECT_EQ(inventory->graph.find_host("n").size(), 65U);
}

TEST(ReadInventory, HostNamesNeedNoSmallNumbers) {  // S2
  const auto inventory =
      read_inventory(r_with(R"({"nodelist": ["h4294967297", "ip-192-168-32-123.domain"]})"));
  ASSERT_TRUE(inventory) << inventory.error().message;
  EXPECT_EQ(inventory->graph.find_host("h4294967297").size(), 1U);
  EXPECT_EQ(inventory->graph.find_host("ip-192-168-32-123.domain").size(), 1U);
}

TEST(ReadInventory, PropertiesAreLiteralNamesSuffixAndPlusIncluded) {
  const auto inventory = read_inventory(
      r_with(R"({"properties": {"ssd": "0-1", "amd-mi50@gpu": "1", "+batch": "0"}})"));
  ASSERT_TRUE(inventory) << inventory.error().message;
  const ResourceGraph& graph = inventory->graph;
  EXPECT_EQ(graph.ranks_of(*graph.find_property("amd-mi50@gpu")).to_string(), "1");
  EXPECT_EQ(graph.find_property("amd-mi50"), nullptr);
  EXPECT_EQ(graph.ranks_of(*graph.find_property("+batch")).to_string(), "0");
}

TEST(ReadInventory, SchedulingIsKeptAsItCame) {
  json::value r = json::parse(kExample);
  r.as_object()["scheduling"] = json::parse(R"({"writer": "x:", "graph": [1, {"a": null}]})");
  const auto inventory = read_inventory(r);
  ASSERT_TRUE(inventory);
  EXPECT_EQ(inventory->scheduling, r.at("scheduling"));
}

TEST(ReadInventory, ErrorsNameKeyAndValue) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"R_lite": 7})", "execution.R_lite: 7 is not an array"},
      {R"({"R_lite": [3]})", "execution.R_lite[0]: 3 is not an object"},
      {R"({"R_lite": [{"children": {}}]})", "execution.R_lite[0].rank: is missing"},
      {R"({"R_lite": [{"rank": "0"}]})", "execution.R_lite[0].children: is missing"},
      {R"({"R_lite": [{"rank": 0, "children": {}}]})",
       "execution.R_lite[0].rank: 0 is not a string with an idset"},
      {R"({"R_lite": [{"rank": "", "children": {}}]})",
       "execution.R_lite[0].rank: '' is not an idset of one or more ranks"},
      {R"({"R_lite": [{"rank": "0-1", "children": []}]})",
       "execution.R_lite[0].children: an array of 0 is not an object"},
      {R"({"R_lite": [{"rank": "0-1", "children": {"core": null}}]})",
       "execution.R_lite[0].children.core: null is not a string with an idset"},
      {R"({"R_lite": [{"rank": "0-1", "children": {"": "0"}}]})",
       "execution.R_lite[0].children: a type has no name"},
      {R"({"R_lite": [{"rank": "0-1", "children": {}}, {"rank": "1-2", "children": {}}]})",
       "execution.R_lite: rank 1 is in two entries"},
      {R"({"nodelist": ["n0"]})", "execution.nodelist: has 1 host names for the 2 ranks of R_lite"},
      {R"({"nodelist": ["n[0-2]"]})",
       "execution.nodelist: has more host names than the 2 ranks of R_lite"},
      {R"({"nodelist": [1]})", "execution.nodelist[0]: 1 is not a string with a hostlist"},
      {R"({"nodelist": "n[0-1]"})", "execution.nodelist: 'n[0-1]' is not an array of strings"},
      {R"({"properties": []})", "execution.properties: an array of 0 is not an object"},
      {R"({"properties": {"a|b": "0"}})", "execution.properties: 'a|b' is not a property name"},
      {R"({"properties": {"": "0"}})", "execution.properties: '' is not a property name"},
      {R"({"properties": {"ssd": 0}})", "execution.properties.ssd: 0 is not a string"},
      {R"({"properties": {"ssd": "2-3"}})", "execution: property 'ssd' is on rank 2-3"},
      {R"({"expiration": -1})", "execution.expiration: -1 is not a number of seconds >= 0"},
      {R"({"starttime": "0"})", "execution.starttime: '0' is not a number of seconds >= 0"},
      {R"({"starttime": 60, "expiration": 60})",
       "execution.expiration: 60 is not later than execution.starttime"},
  };
  for (const auto& [members, text] : cases) {
    EXPECT_THAT(inventory_error(members), StartsWith(text)) << members;
  }
  EXPECT_THAT(inventory_error(R"({"R_lite": [{"rank": "1-0", "children": {}}]})"),
              StartsWith("execution.R_lite[0].rank: "));
  EXPECT_THAT(inventory_error(R"({"nodelist": ["n[0-"]})"), StartsWith("execution.nodelist[0]: "));
}

TEST(ReadInventory, ErrorsOfTheOuterObject) {
  const auto error = [](std::string_view text) {
    const auto inventory = read_inventory(json::parse(text));
    return inventory ? "no error" : inventory.error().message;
  };
  EXPECT_EQ(error("[]"), "R: an array of 0 is not an object");
  EXPECT_EQ(error("{}"), "version: is missing");
  EXPECT_EQ(error(R"({"version": 2})"), "version: 2 is not 1");
  EXPECT_EQ(error(R"({"version": 1})"), "execution: is missing");
  EXPECT_EQ(error(R"({"version": 1, "execution": null})"), "execution: null is not an object");
  EXPECT_EQ(error(R"({"version": 1, "execution": {}})"), "execution.R_lite: is missing");
  EXPECT_EQ(error(R"({"version": 1, "execution": {"R_lite": []}})"),
            "execution.nodelist: is missing");
}

TEST(ReadInventory, HostileSizesAreLimitsNotAllocations) {
  EXPECT_THAT(inventory_error(R"({"R_lite": [{"rank": "0-4294967294", "children": {}}]})"),
              HasSubstr("4294967295 ranks are more than"));
  EXPECT_THAT(inventory_error(R"({"R_lite": [{"rank": "0-1",
                                  "children": {"core": "0-4294967294"}}]})"),
              HasSubstr("resources in a node are more than"));
  const std::string shown =
      inventory_error(R"({"starttime": ")" + std::string(100'000, 'x') + R"("})");
  EXPECT_LT(shown.size(), 200U);
}

TEST(ReadInventory, AnInventoryWithoutNodesIsAMachineWithoutNodes) {
  const auto inventory = read_inventory(r_with(R"({"R_lite": [], "nodelist": []})"));
  ASSERT_TRUE(inventory) << inventory.error().message;
  EXPECT_EQ(inventory->graph.node_count(), 0U);
}

TEST(ReadAllocation, GoesByRankAndById) {  // R5
  const ResourceGraph graph = make_machine({{0, 1}, {1, 2}, {2, 0}, {3, 1}});
  const auto allocation = read_allocation(json::parse(R"({"version": 1, "execution": {
      "R_lite": [{"rank": "3", "children": {"core": "1-2"}}, {"rank": "2", "children": {}},
                 {"rank": "1", "children": {"core": "0-3", "gpu": "0-1"}}],
      "expiration": 50}})"),
                                          graph);
  ASSERT_TRUE(allocation) << allocation.error().message;
  EXPECT_EQ(to_naive(graph, allocation->resources),
            (Naive{{1, {0, 1, 2, 3, 4, 5}}, {2, {0}}, {3, {1, 2}}}));
  EXPECT_EQ(allocation->times.expiration, Time::seconds(50));
  EXPECT_EQ(allocation->unknown_ranks, 0U);
  EXPECT_EQ(allocation->unknown_units, 0U);
}

TEST(ReadAllocation, WhatTheGraphDoesNotHaveIsCountedAndLeftOut) {  // R2
  ResourceGraph graph = make_machine({{0, 1}, {1, 1}, {2, 1}});
  graph.shrink(*Idset::parse("1"));
  const auto allocation = read_allocation(json::parse(R"({"version": 1, "execution": {
      "R_lite": [{"rank": "0-1,7-4294967294",
                  "children": {"core": "2-4294967294", "gpu": "0", "fpga": "0-9"}}]}})"),
                                          graph);
  ASSERT_TRUE(allocation) << allocation.error().message;
  EXPECT_EQ(to_naive(graph, allocation->resources), (Naive{{0, {2, 3}}}));
  EXPECT_EQ(allocation->unknown_ranks, 1U + (4294967294U - 7U + 1U));
  EXPECT_EQ(allocation->unknown_units, (4294967294ULL - 4U + 1U) + 1U + 10U);
}

TEST(ReadAllocation, MalformedRIsAnError) {
  const ResourceGraph graph = make_machine({{0, 1}});
  EXPECT_FALSE(read_allocation(json::parse("null"), graph));
  EXPECT_FALSE(read_allocation(r_with(R"({"R_lite": null})"), graph));
  EXPECT_FALSE(read_allocation(r_with(R"({"expiration": "never"})"), graph));
  EXPECT_FALSE(
      read_allocation(r_with(R"({"R_lite": [{"rank": "9", "children": {"core": "x"}}]})"), graph));
}

TEST(ReadRanks, ListsAllRanksKnownOrNot) {
  const auto ranks = read_ranks(json::parse(R"({"version": 1, "execution": {
    "R_lite": [{"rank": "9", "children": {}}, {"rank": "0-1,3", "children": {"core": "0"}}]}})"));
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->to_string(), "0-1,3,9");
  EXPECT_FALSE(read_ranks(json::parse("{}")));
}

TEST(WriteR, GroupsEqualChildrenInRankOrder) {
  const ResourceGraph graph =
      make_machine({{0, 2}, {1, 1}, {2, 0}, {3, 1}, {4, 2}, {6, 1}, {7, 3}});
  // Four of the six units of node 4 are what nodes 1 and 3 are as a whole.
  const ResourceSet set = to_set(graph, {{0, {0, 1, 2, 3, 4, 5}},
                                         {1, {0, 1, 2, 3}},
                                         {2, {0}},
                                         {3, {0, 1, 2, 3}},
                                         {4, {0, 1, 2, 3}},
                                         {6, {5, 69}}});
  EXPECT_EQ(write_r_lite(set, graph), json::parse(R"([
      {"rank": "0", "children": {"core": "0-3", "gpu": "0-1"}},
      {"rank": "1,3-4", "children": {"core": "0-3"}},
      {"rank": "2", "children": {}},
      {"rank": "7", "children": {"core": "5,69"}}])"));
  EXPECT_EQ(resource_summary(set, graph),
            "rank0/core[0-3],gpu[0-1] rank[1,3-4]/core[0-3] rank2 rank7/core[5,69]");
}

TEST(WriteR, HasNodelistSlotsTimesAndTheNodesOwnProperties) {
  ResourceGraph graph = make_machine({{0, 1}, {1, 1}, {2, 1}, {3, 1}});
  graph.add_property("ssd", *Idset::parse("0-2"));
  graph.add_property("huge", *Idset::parse("0"));
  graph.add_property("+batch", *Idset::parse("0-3"));
  graph.add_property("amd@gpu", *Idset::parse("3"));
  const ResourceSet set = to_set(graph, {{1, {0}}, {2, {0, 1, 2, 3}}, {3, {1}}});
  const json::value scheduling = json::parse(R"({"writer": "x"})");
  const json::value r = write_r(
      set, graph, RHeader{{Time::seconds(100), Time::microseconds(160'500'000)}, 3, &scheduling});
  EXPECT_EQ(r, json::parse(R"({"version": 1, "execution": {
      "R_lite": [{"rank": "1", "children": {"core": "0"}},
                 {"rank": "2", "children": {"core": "0-3"}},
                 {"rank": "3", "children": {"core": "1"}}],
      "nodelist": ["n[1-3]"], "nslots": 3, "starttime": 100, "expiration": 160.5,
      "properties": {"ssd": "1-2", "amd@gpu": "3"}}, "scheduling": {"writer": "x"}})"));
  EXPECT_TRUE(r.at("execution").at("starttime").is_int64());
}

TEST(WriteR, UnsetTimesAreZeroAndEmptyPropertiesAbsent) {
  const ResourceGraph graph = make_machine({{0, 1}});
  const json::object r = write_r(to_set(graph, {{0, {0}}}), graph, RHeader{});
  const json::object& execution = r.at("execution").as_object();
  EXPECT_EQ(execution.at("starttime"), json::value(0));
  EXPECT_EQ(execution.at("expiration"), json::value(0));
  EXPECT_EQ(execution.at("nslots"), json::value(1));
  EXPECT_FALSE(execution.contains("properties"));
  EXPECT_FALSE(r.contains("scheduling"));
}

RC_GTEST_PROP(RProperty, WhatIsWrittenIsReadBack, ()) {
  const ResourceGraph graph = make_machine(*machine_nodes(40));
  const ResourceSet set = to_set(graph, *naive_resources(graph));
  // Microseconds of the present century survive the way through a double.
  const auto start = *rc::gen::inRange<std::int64_t>(0, 4'000'000'000'000'000);
  const auto length = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000);
  RTimes times{Time::microseconds(start), Time::microseconds(start + length)};
  if (*rc::gen::arbitrary<bool>()) times.expiration = Time::never();

  const std::string text = json::serialize(write_r(set, graph, RHeader{times}));
  const auto allocation = read_allocation(json::parse(text), graph);
  RC_ASSERT(allocation.has_value());
  RC_ASSERT(allocation->resources == set);
  RC_ASSERT(allocation->times.start == times.start);
  RC_ASSERT(allocation->times.expiration == times.expiration);
  RC_ASSERT(allocation->unknown_ranks == 0U);
  RC_ASSERT(allocation->unknown_units == 0U);
  RC_ASSERT(*read_ranks(json::parse(text)) == graph.ranks_of(set));
}

RC_GTEST_PROP(RProperty, AMachineWrittenAsAWholeIsTheSameInventory, ()) {
  ResourceGraph graph = make_machine(*machine_nodes(40));
  for (const char* name : {"a", "b@core"}) {
    for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
      if (*rc::gen::arbitrary<bool>()) {
        graph.add_property(name, Idset::single(graph.node(NodeIndex(i)).rank.value()));
      }
    }
  }
  const ResourceSet all = graph.whole_nodes(NodeSet::full(graph.node_count()));
  const auto inventory = read_inventory(write_r(all, graph, RHeader{}));
  RC_ASSERT(inventory.has_value());
  RC_ASSERT(inventory->graph.node_count() == graph.node_count());
  for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
    const NodeIndex node(i);
    RC_ASSERT(inventory->graph.node(node).rank == graph.node(node).rank);
    RC_ASSERT(inventory->graph.node(node).host == graph.node(node).host);
    RC_ASSERT(inventory->graph.shape_of(node) == graph.shape_of(node));
  }
  RC_ASSERT(inventory->graph.properties() == graph.properties());
}

RC_GTEST_PROP(RProperty, DamagedTextGivesAnErrorOrAnInventoryNothingElse, ()) {
  std::string text(kExample);
  const int edits = *rc::gen::inRange(1, 4);
  for (int i = 0; i < edits; ++i) {
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, text.size());
    text[at] = *rc::gen::element('"', '0', '9', '-', ',', '[', ']', '{', '}', 'x', ':', ' ');
  }
  boost::system::error_code error;
  const json::value r = json::parse(text, error);
  if (error) return;
  const auto inventory = read_inventory(r);
  if (inventory) {
    RC_ASSERT(inventory->graph.node_count() <= kMaxNodes);
  } else {
    RC_ASSERT(!inventory.error().message.empty());
  }
}

TEST(WriteR, ARegularMachineIsReadBackAsItself) {
  const auto read = [](RegularMachine machine, RTimes times) {
    return read_inventory(write_r(machine, times)).value();
  };
  const Inventory inventory =
      read({.nodes = 12, .cores = 4, .gpus = 2}, {Time::seconds(5), Time::seconds(9)});
  EXPECT_EQ(inventory.graph.node_count(), 12U);
  EXPECT_EQ(inventory.graph.node(NodeIndex(11)).host, "node11");
  EXPECT_EQ(inventory.graph.node(NodeIndex(11)).rank, Rank(11));
  EXPECT_EQ(inventory.graph.shape_of(NodeIndex(0)).units, 6U);
  EXPECT_EQ(inventory.times.start, Time::seconds(5));
  EXPECT_EQ(inventory.times.expiration, Time::seconds(9));
  const Inventory storage = read({.nodes = 1, .cores = 0}, {});
  EXPECT_EQ(storage.graph.node(NodeIndex(0)).host, "node0");
  EXPECT_EQ(storage.graph.shape_of(NodeIndex(0)).units, 0U);
  EXPECT_TRUE(storage.times.expiration.is_never());
}

}  // namespace
}  // namespace tenure::graph
