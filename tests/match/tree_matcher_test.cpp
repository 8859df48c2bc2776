#include "match/tree_matcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "match/trees.hpp"

namespace tenure::match {
namespace {

using ::testing::HasSubstr;

constexpr Time kNow = Time::microseconds(0);
constexpr Time kNever = Time::never();

Time at(std::int64_t seconds) { return kNow + Duration::seconds(seconds); }

/// Jobs one behind the other, each placed as early as it can be, as the query shell does.
class Session {
 public:
  explicit Session(std::string_view policy, Levels levels = Levels::strict)
      : matcher_(lab_, {.policy = *parse_selection_policy(policy), .levels = levels}),
        profile_(lab_) {}

  /// Places a job and holds what it got; "@100 " before it when that is later than now.
  std::string run(std::string_view shape, std::int64_t seconds) {
    const TreeOutcome outcome = matcher_.earliest(request_of(shape), profile_, kNow,
                                                  Duration::seconds(seconds), at(100'000));
    const auto* placed = std::get_if<TreePlacement>(&outcome);
    if (placed == nullptr) return show(lab_, outcome);
    profile_.add(placed->span, placed->selection.held);
    const auto start = (placed->span.start - kNow).count() / 1'000'000;
    return (start > 0 ? fmt::format("@{} ", start) : "") + show(lab_, outcome);
  }
  std::string now(std::string_view shape, std::int64_t seconds = 100) {
    return show(lab_, matcher_.match(request_of(shape), profile_, Span{kNow, at(seconds)}));
  }
  std::string possible(std::string_view shape) {
    return show(lab_, matcher_.satisfiability(request_of(shape)));
  }
  graph::ResourceGraph& graph() { return lab_; }
  TreeMatcher& matcher() { return matcher_; }
  profile::Profile& profile() { return profile_; }

 private:
  graph::ResourceGraph lab_ = make_lab();
  TreeMatcher matcher_;
  profile::Profile profile_;
};

constexpr std::string_view kCore = "slot/core";
constexpr std::string_view kPart = "node/slot/socket/[core=2;gpu]";
constexpr std::string_view kWhole = "node=2{x}/slot/socket=2/core=4";
constexpr std::string_view kFour = "slot=4/node/socket=2/core=4";
constexpr std::string_view kSockets = "slot=2/socket/[core=3;memory=3]";
constexpr std::string_view kRack = "rack/slot/[ssd;node=2/socket/core=4]";
constexpr std::string_view kRange = "slot=2-20:3/core=2";

const std::string kAll0 = "socket0(core0 core1 core2 core3 gpu0 memory0 memory1)";
const std::string kAll1 = "socket1(core4 core5 core6 core7 gpu1 memory2 memory3)";
const std::string kCores0 = "socket0(core0 core1 core2 core3)";
const std::string kCores1 = "socket1(core4 core5 core6 core7)";

std::string whole(std::string_view node) { return fmt::format("{}({} {})", node, kAll0, kAll1); }
std::string cores(std::string_view node) {
  return fmt::format("{}({} {})", node, kCores0, kCores1);
}

TEST(TreeMatcher, LowTakesTheLowestIds) {
  Session s("low");
  EXPECT_EQ(s.run(kCore, 100), "cluster0:s(rack0:s(node0:s(socket0:s(core0))))");
  EXPECT_EQ(s.run(kPart, 100), "cluster0:s(rack0:s(node0:s(socket1(core4 core5 gpu1))))");
  EXPECT_EQ(s.run(kWhole, 200),
            fmt::format("cluster0:s(rack0:s({} {}))", whole("node1"), whole("node2")));
  EXPECT_EQ(s.run(kFour, 300),
            fmt::format("@100 cluster0:s(rack0:s({}) rack1:s({} {} {}))", cores("node0"),
                        cores("node3"), cores("node4"), cores("node5")));
  EXPECT_EQ(s.run(kSockets, 50),
            "cluster0:s(rack1:s(node3:s(socket0(core0 core1 core2 memory0)) "
            "node4:s(socket0(core0 core1 core2 memory0))))");
  EXPECT_EQ(s.run(kRack, 100),
            fmt::format("@200 cluster0:s(rack0:s(node1({0}) node2({0}) ssd0))", kCores0));
  EXPECT_EQ(s.run(kRange, 100),
            "cluster0:s(rack0:s(node0:s(socket0:s(core1 core2))) rack1:s(node3:s(socket1:s(core4 "
            "core5 core6 core7)) node4:s(socket1:s(core4 core5 core6 core7)) "
            "node5:s(socket0:s(core0 core1 core2 core3) socket1:s(core4 core5))))");
  EXPECT_EQ(s.possible("slot=7/node"), "never: slot 'default': needs 7 per cluster, has 6");
  EXPECT_EQ(s.now(kCore), "cluster0:s(rack0:s(node0:s(socket0:s(core3))))");
  EXPECT_EQ(s.now("node/slot/core=2"), "not now") << "levels between may not be left out";
}

TEST(TreeMatcher, LonodeFillsNodesInTurn) {
  Session s("lonode");
  s.run(kCore, 100);
  s.run(kPart, 100);
  s.run(kWhole, 200);
  s.run(kFour, 300);
  EXPECT_EQ(s.run(kSockets, 50),
            "cluster0:s(rack1:s(node3:s(socket0(core0 core1 core2 memory0) "
            "socket1(core4 core5 core6 memory2))))");
  EXPECT_EQ(s.run("rack/slot/[ssd;node=2/socket/core=4]", 100),
            fmt::format("cluster0:s(rack1:s(node4({0}) node5({0}) ssd0))", kCores0));
  EXPECT_EQ(s.now(kRange), "not now");
  EXPECT_EQ(s.now(kCore), "cluster0:s(rack0:s(node0:s(socket0:s(core1))))");
}

TEST(TreeMatcher, HinodeFillsNodesFromTheEnd) {
  Session s("hinode");
  EXPECT_EQ(s.run(kCore, 100), "cluster0:s(rack1:s(node5:s(socket1:s(core7))))");
  EXPECT_EQ(s.run(kPart, 100), "cluster0:s(rack1:s(node5:s(socket0(core2 core3 gpu0))))");
  EXPECT_EQ(s.run(kWhole, 200),
            fmt::format("cluster0:s(rack1:s({} {}))", whole("node3"), whole("node4")));
  EXPECT_EQ(s.run(kFour, 300),
            fmt::format("@100 cluster0:s(rack0:s({} {} {}) rack1:s({}))", cores("node0"),
                        cores("node1"), cores("node2"), cores("node5")));
  EXPECT_EQ(s.run(kSockets, 50),
            "cluster0:s(rack0:s(node2:s(socket0(core1 core2 core3 memory1) "
            "socket1(core5 core6 core7 memory3))))");
  EXPECT_EQ(s.run(kRack, 100),
            fmt::format("cluster0:s(rack0:s(node0({0}) node1({0}) ssd1))", kCores1));
}

TEST(TreeMatcher, EqualScoresStandAsTheSortLeavesThem) {
  Session s("high");
  EXPECT_EQ(s.run(kCore, 100), "cluster0:s(rack1:s(node3:s(socket1:s(core7))))");
  EXPECT_EQ(s.run(kPart, 100), "cluster0:s(rack1:s(node5:s(socket1(core6 core7 gpu1))))");
  EXPECT_EQ(s.run(kWhole, 200),
            fmt::format("cluster0:s(rack0:s({}) rack1:s({}))", whole("node2"), whole("node4")));
}

TEST(TreeMatcher, LocalityGoesByRunsOfScores) {
  Session s("locality");
  EXPECT_EQ(s.run(kCore, 100), "cluster0:s(rack1:s(node4:s(socket1:s(core7))))");
  EXPECT_EQ(s.run(kPart, 100), "cluster0:s(rack0:s(node0:s(socket1(core6 core7 gpu1))))");
  EXPECT_EQ(s.run(kWhole, 200),
            fmt::format("cluster0:s(rack0:s({}) rack1:s({}))", whole("node1"), whole("node5")));
  s.run(kFour, 300);
  EXPECT_EQ(s.run(kSockets, 50),
            "cluster0:s(rack0:s(node0:s(socket0(core1 core2 core3 memory1)) "
            "node2:s(socket1(core5 core6 core7 memory3))))");
}

TEST(TreeMatcher, OrSlotsAreMixedToMakeUpMostSlots) {
  Session s("low");
  const auto request = request_of_json(boost::json::parse(R"([
      {"type": "or_slot", "count": {"min": 1}, "label": "s",
       "with": [{"type": "core", "count": 3}]},
      {"type": "or_slot", "count": {"min": 1}, "label": "t",
       "with": [{"type": "core", "count": 1}, {"type": "gpu", "count": 1}]}])"));
  const auto outcome = s.matcher().match(request, s.profile(), Span{kNow, at(10)});
  ASSERT_TRUE(std::holds_alternative<TreePlacement>(outcome));
  // Of 4 cores and a gpu: one of each kind, not one of the first kind and nothing else.
  EXPECT_EQ(std::get<TreePlacement>(outcome).selection.slots, 24U);
}

TEST(TreeMatcher, FirstGoesWhereMostIsFree) {
  Session s("first");
  EXPECT_EQ(s.run(kCore, 100), "cluster0:s(rack1:s(node5:s(socket1:s(core7))))");
  EXPECT_EQ(s.run(kPart, 100), "cluster0:s(rack0:s(node2:s(socket1(core6 core7 gpu1))))");
  EXPECT_EQ(s.run(kWhole, 200),
            fmt::format("cluster0:s(rack1:s({} {}))", whole("node3"), whole("node4")));
  EXPECT_EQ(s.run(kFour, 300),
            fmt::format("@100 cluster0:s(rack0:s({} {} {}) rack1:s({}))", cores("node0"),
                        cores("node1"), cores("node2"), cores("node5")));
  EXPECT_EQ(s.run(kSockets, 50),
            "cluster0:s(rack0:s(node1:s(socket0(core1 core2 core3 memory1) "
            "socket1(core5 core6 core7 memory3))))");
}

TEST(TreeMatcher, NodexPoliciesTakeAndGrantWholeNodes) {
  Session s("lonodex");
  EXPECT_EQ(s.run(kCore, 100), fmt::format("cluster0:s(rack0:s({}))", whole("node0")));
  EXPECT_EQ(s.run(kPart, 100), fmt::format("cluster0:s(rack0:s({}))", whole("node1")));
  EXPECT_EQ(s.run(kWhole, 200),
            fmt::format("cluster0:s(rack0:s({}) rack1:s({}))", whole("node2"), whole("node3")));
  EXPECT_EQ(s.run(kSockets, 50), fmt::format("cluster0:s(rack1:s({}))", whole("node4")));
}

TEST(TreeMatcher, LevelsMayLieBetweenWhenTheSchedulerAsks) {
  Session s("low", Levels::any);
  EXPECT_EQ(s.now("node/slot/core=6"),
            "cluster0:s(rack0:s(node0:s(socket0:s(core0 core1 core2 core3) socket1:s(core4 "
            "core5))))");
  EXPECT_EQ(s.now("slot/core=6"), s.now("node/slot/core=6")) << "a slot is on one node";
  EXPECT_EQ(s.possible("node/slot/core=9"), "never: core: needs 9 per node, has 8");
  EXPECT_EQ(s.now("slot/[ssd;node]"), "cluster0:s(rack0:s(node0 ssd0))");
}

TEST(TreeMatcher, WhatIsMissingIsNamed) {
  Session s("low");
  EXPECT_EQ(s.possible("rack/ssd=3"), "never: ssd: needs 3 per rack, has 2");
  EXPECT_EQ(s.possible("node/slot/socket/core=5"), "never: core: needs 5 per socket, has 4");
  EXPECT_EQ(s.possible("slot/unobtainium"), "never: slot 'default': needs 1 per cluster, has 0");
  EXPECT_EQ(s.possible("slot=9223372036854775807/node"),
            "never: slot 'default': needs 9223372036854775807 per cluster, has 6");
}

TEST(TreeMatcher, OnlyWhatIsUpIsChosenAndStatusDoesNotMakeInfeasible) {
  Session s("lonode");
  const graph::Vertices vertices(s.graph());
  s.graph().set_status(*vertices.find_path("/cluster0/rack0"), graph::Status::down);
  EXPECT_EQ(s.now(kFour), "not now");
  EXPECT_THAT(s.possible(kFour), HasSubstr("node0"));
  s.graph().set_status(*vertices.find_path("/cluster0/rack0"), graph::Status::up);
  s.graph().set_status(*vertices.find_path("/cluster0/rack0/node0/socket0/core0"),
                       graph::Status::down);
  EXPECT_EQ(s.now(kCore), "cluster0:s(rack0:s(node0:s(socket0:s(core1))))");
}

TEST(TreeMatcher, ConstraintsChooseNodes) {
  Session s("low");
  const auto constraint = jobspec::Constraint::parse(boost::json::parse(R"({"ranks": ["2-3"]})"));
  const auto outcome =
      s.matcher().match(request_of("slot/node", *constraint), s.profile(), Span{kNow, kNever});
  EXPECT_EQ(show(s.graph(), outcome), "cluster0:s(rack0:s(node2))");
}

TEST(TreeMatcher, CompetingSiblingsAreSearchedExactly) {
  Session s("low", Levels::any);
  // Use case 2.4: two slots of one node that both need cores.
  EXPECT_THAT(s.now("node/[slot=3{a}/core;slot{b}/core=5]"), HasSubstr("node0:s(socket0:s("));
  EXPECT_EQ(s.now("node/[slot=4{a}/core;slot{b}/core=5]"), "not now");
  // The lowest core lies in the only socket that is free: found by the oracle.
  const LabShape narrow{.racks = 1, .nodes = 1, .cores = 1, .gpus = 0, .memories = 0, .ssds = 0};
  const graph::ResourceGraph lab = make_lab(narrow);
  const profile::Profile profile(lab);
  TreeMatcher matcher(lab, {.policy = *parse_selection_policy("low")});
  EXPECT_EQ(
      show(lab, matcher.match(request_of("[core{x};socket=1{x}]"), profile, Span{kNow, kNever})),
      "cluster0:s(rack0:s(node0:s(socket0:s(core0) socket1(core1))))");
  EXPECT_EQ(
      show(lab, matcher.match(request_of("[socket=2{x};core{x}]"), profile, Span{kNow, kNever})),
      "not now");
  // Greedy gives the first slot the whole of socket 0, which the second asks for.
  EXPECT_THAT(s.now("node/[slot=4{a}/core;slot{b}/socket/core=4]"), HasSubstr("node0:s("));
}

TEST(TreeMatcher, AlternativesAreTriedInOrder) {
  Session s("low", Levels::strict);
  const auto choice = request_of_json(boost::json::parse(R"([
      {"type": "xor_slot", "count": 1, "with": [{"type": "socket", "count": 3}]},
      {"type": "xor_slot", "count": 1, "with": [{"type": "gpu", "count": 1}]}])"));
  EXPECT_EQ(show(s.graph(), s.matcher().match(choice, s.profile(), Span{kNow, kNever})),
            "cluster0:s(rack0:s(node0:s(socket0:s(gpu0))))");
  const auto mixed = request_of_json(boost::json::parse(R"([{"type": "node", "count": 1, "with": [
      {"type": "or_slot", "count": 3, "label": "s", "with": [{"type": "socket", "count": 2}]},
      {"type": "or_slot", "count": 3, "label": "s",
       "with": [{"type": "socket", "count": 1}]}]}])"));
  EXPECT_EQ(show(s.graph(), s.matcher().match(mixed, s.profile(), Span{kNow, kNever})), "not now");
}

TEST(TreeMatcher, AHostileRequestEndsWithTheBudget) {
  Session s("low", Levels::any);
  TreeMatcher matcher(s.graph(), {.policy = *parse_selection_policy("low"), .step_budget = 1000});
  const auto hostile = request_of("[slot=20{a}/core;slot=12{b}/socket/core=2;slot=9{c}/core=3]");
  EXPECT_EQ(show(s.graph(), matcher.match(hostile, s.profile(), Span{kNow, kNever})),
            "over budget");
  EXPECT_EQ(matcher.counters().over_budget, 1U);
  EXPECT_LE(matcher.counters().steps, 1001U);
}

TEST(TreeMatcher, VariationTakesNodesOfClassesThatLieClose) {
  Session s("variation");
  const int classes[] = {1, 9, 4, 5, 7, 2};
  for (std::uint32_t n = 0; n < 6; ++n) {
    s.graph().set_property(graph::Vertex::target(NodeIndex(n)), kPerfClass,
                           std::to_string(classes[n]));
  }
  EXPECT_EQ(s.now("node=2{x}/slot/socket"),
            fmt::format("cluster0:s(rack0:s({}) rack1:s({}))", whole("node0"), whole("node5")));
  EXPECT_THAT(s.now("node=3{x}/slot/socket"), HasSubstr("node2("));
}

TEST(TreeMatcher, LocalityTakesTheLargestRun) {
  Session s("locality");
  const auto held = s.graph().whole_nodes([&] {
    graph::NodeSet nodes(s.graph().node_count());
    nodes.set(NodeIndex(1));
    return nodes;
  }());
  s.profile().add(Span{kNow, kNever}, held);
  EXPECT_EQ(s.now("node=2{x}/slot/socket"),
            fmt::format("cluster0:s(rack0:s({}) rack1:s({}))", whole("node2"), whole("node3")));
}

TEST(SelectionPolicy, NamesAndCustomCombinations) {
  EXPECT_EQ(*parse_selection_policy("policy=high node_centric=true stop_on_1_matches=true"),
            *parse_selection_policy("first"));
  EXPECT_EQ(*parse_selection_policy("policy=low node_centric=true node_exclusive=true"),
            *parse_selection_policy("lonodex"));
  EXPECT_THAT(parse_selection_policy("best").error().message, HasSubstr("'best' is not a match"));
  EXPECT_THAT(parse_selection_policy("set_stop_on_1_matches=true").error().message,
              HasSubstr("invalid policy option"));
  EXPECT_THAT(parse_selection_policy("policy=middle").error().message,
              HasSubstr("accepts only low or high"));
  EXPECT_THAT(parse_selection_policy("node_centric=maybe").error().message,
              HasSubstr("requires true or false, got maybe"));
}

TEST(PruneFilters, AreReadAndRefused) {
  const auto filters = PruneFilters::parse("ALL:core, rack:ssd");
  ASSERT_TRUE(filters);
  EXPECT_TRUE(filters->counts("node", "core"));
  EXPECT_TRUE(filters->counts("rack", "ssd"));
  EXPECT_FALSE(filters->counts("node", "ssd"));
  EXPECT_TRUE(PruneFilters::parse("")->empty());
  for (const char* bad : {"core", "ALL:", ":core", "a:b:c", "a:b,", ",", "a:b,,c:d"}) {
    EXPECT_FALSE(PruneFilters::parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace tenure::match
