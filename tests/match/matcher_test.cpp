// The matcher against brute force over start times, nodes and units.
#include "match/matcher.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "plan/machine.hpp"

namespace tenure::match {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests
using graph::NodeSet;
using graph::ResourceSet;
using graph::UnitMask;
using profile::Profile;

constexpr int kHorizon = 40;
constexpr std::uint32_t kCores = 3;
constexpr std::uint32_t kGpus = 1;

/// Slots a node offers in a span, from the free units alone.
std::uint64_t offered(const Profile& profile, const graph::ResourceGraph& graph, NodeIndex node,
                      std::uint64_t cores, std::uint64_t gpus, Span span) {
  const UnitMask free = profile.free_units(node, span);
  const graph::Shape& shape = graph.shape_of(node);
  const auto count = [&](std::string_view type) -> std::uint64_t {
    const graph::Pool* pool = shape.pool(type);
    return pool == nullptr ? 0 : free.count(pool->first_unit, pool->count());
  };
  std::uint64_t slots = count("core") / cores;
  if (gpus > 0) slots = std::min(slots, count("gpu") / gpus);
  return slots;
}

struct Wish {
  jobspec::Jobspec spec;
  std::uint64_t nodes = 0;
  std::uint64_t slots = 1;
  std::uint64_t cores = 1;
  std::uint64_t gpus = 0;
  bool exclusive = false;
};

Wish draw_wish(std::uint32_t machine_nodes) {
  Wish wish;
  wish.cores = *rc::gen::inRange<std::uint64_t>(1, 3);
  wish.gpus = *rc::gen::inRange<std::uint64_t>(0, 2);
  wish.slots = *rc::gen::inRange<std::uint64_t>(1, 4);
  auto slot = resource("slot", wish.slots, {resource("core", wish.cores)});
  if (wish.gpus > 0) slot.with.push_back(resource("gpu", wish.gpus));
  if (*rc::gen::inRange(0, 3) == 0) {
    wish.spec.resources = {slot};
    return wish;
  }
  wish.nodes = *rc::gen::inRange<std::uint64_t>(1, machine_nodes + 1);
  wish.exclusive = *rc::gen::inRange(0, 2) == 0;
  wish.spec.resources = {resource("node", wish.nodes, {slot})};
  wish.spec.resources[0].exclusive = wish.exclusive;
  return wish;
}

/// Does the wish fit into the span, counting on the up nodes alone?
bool fits(const Wish& wish, const Profile& profile, const graph::ResourceGraph& graph, Span span) {
  std::uint64_t nodes = 0;
  std::uint64_t slots = 0;
  for (std::uint32_t n = 0; n < graph.node_count(); ++n) {
    const NodeIndex node(n);
    if (!graph.up().test(node)) continue;
    const std::uint64_t offer = offered(profile, graph, node, wish.cores, wish.gpus, span);
    const bool idle = profile.free_units(node, span) == UnitMask::full(graph.shape_of(node).units);
    slots += offer;
    if (offer >= wish.slots && (idle || !wish.exclusive)) ++nodes;
  }
  return wish.nodes > 0 ? nodes >= wish.nodes : slots >= wish.slots;
}

std::uint64_t slots_of(const ResourceSet& set, const graph::ResourceGraph& graph,
                       std::uint64_t cores) {
  std::uint64_t slots = 0;
  for (const auto& range : set.whole()) {
    for (auto n = range.first; n <= range.last; n = NodeIndex(n.value() + 1)) {
      slots += graph.shape_of(n).count("core") / cores;
    }
  }
  for (const auto& part : set.parts()) {
    const graph::Pool* pool = graph.shape_of(part.node).pool("core");
    slots += part.units.count(pool->first_unit, pool->count()) / cores;
  }
  return slots;
}

TEST(Matcher, FindsTheEarliestStartThatBruteForceFinds) {
  const bool holds = rc::check([] {
    const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 6);
    graph::ResourceGraph graph = machine(nodes, kCores, kGpus);
    if (*rc::gen::inRange(0, 2) == 0) graph.mark_down(Idset::single(nodes - 1));
    Profile profile(graph);
    Matcher matcher(graph, *rc::gen::element(Policy::first, Policy::low, Policy::high));
    const Time limit = *rc::gen::element(at(kHorizon), Time::never());
    for (int i = *rc::gen::inRange(1, 25); i > 0; --i) {
      const Wish wish = draw_wish(nodes);
      const Request request = *compile(wish.spec);
      const int from = *rc::gen::inRange(0, 20);
      const bool unlimited = *rc::gen::inRange(0, 8) == 0;
      const int length = *rc::gen::inRange(1, 12);
      const auto span_at = [&](int start) {
        return Span{at(start), unlimited ? limit : at(start + length)};
      };
      std::optional<int> expected;
      for (int t = from; t < 400 && !expected; ++t) {
        if (span_at(t).end > limit || span_at(t).empty()) break;
        if (fits(wish, profile, graph, span_at(t))) expected = t;
      }
      const auto found = matcher.find_earliest(
          profile, request, at(from), unlimited ? Duration::infinite() : secs(length), limit);
      RC_ASSERT(found.has_value() == expected.has_value());
      RC_ASSERT(matcher.choose(profile, request, span_at(from)).has_value() ==
                fits(wish, profile, graph, span_at(from)));
      const Time until = matcher.fits_until(profile, request, at(from));
      for (int end = from + 1; end < from + 40; ++end) {
        RC_ASSERT((at(end) <= until) == fits(wish, profile, graph, Span{at(from), at(end)}));
      }
      if (!found) continue;
      RC_ASSERT(found->span == span_at(*expected));
      RC_ASSERT(profile.is_free(found->span, found->resources));
      RC_ASSERT(matcher.choose(profile, request, found->span) == found->resources);
      if (wish.nodes > 0) {
        RC_ASSERT(found->resources.node_count() == wish.nodes);
        if (wish.exclusive) RC_ASSERT(found->resources.parts().empty());
      } else {
        RC_ASSERT(slots_of(found->resources, graph, wish.cores) >= wish.slots);
      }
      if (*rc::gen::inRange(0, 4) > 0) profile.add(found->span, found->resources);
    }
  });
  EXPECT_TRUE(holds);
}

TEST(Matcher, LowTakesTheLowestAndHighTheHighest) {
  const graph::ResourceGraph graph = machine(4, 4);
  const Profile profile(graph);
  const Span span{at(0), at(10)};
  const auto ranks_of = [&](Policy policy) {
    return graph.ranks_of(*Matcher(graph, policy).choose(profile, *whole_nodes(2), span))
        .to_string();
  };
  EXPECT_EQ(ranks_of(Policy::low), "0-1");
  EXPECT_EQ(ranks_of(Policy::first), "0-1");
  EXPECT_EQ(ranks_of(Policy::high), "2-3");
}

TEST(Matcher, InfeasibleNamesWhatIsMissing) {
  graph::ResourceGraph graph = machine(2, 4);
  const Matcher matcher(graph, Policy::first);
  EXPECT_FALSE(matcher.infeasible(*whole_nodes(2)));
  graph.mark_down(ranks(0, 1));
  EXPECT_FALSE(matcher.infeasible(*whole_nodes(2)));
  EXPECT_EQ(matcher.infeasible(*whole_nodes(5))->missing,
            "needs 5 nodes with at least 1 core, the machine has 2");
  EXPECT_EQ(matcher.infeasible(*slots_anywhere(9, 1))->missing,
            "needs 9 slots of 1 core, the machine has 8");
  EXPECT_EQ(matcher.infeasible(*slots_anywhere(1, 1, 1))->missing,
            "needs 1 slot of 1 core, 1 gpu, the machine has no gpu");
  graph.shrink(ranks(1, 1));
  EXPECT_TRUE(matcher.infeasible(*whole_nodes(2)));
}

TEST(Matcher, HugeCountsAreComparedNotAllocated) {  // S3
  const graph::ResourceGraph graph = machine(2, 4);
  const Matcher matcher(graph, Policy::first);
  EXPECT_TRUE(matcher.infeasible(*whole_nodes(std::uint64_t{1} << 32)));
  EXPECT_TRUE(matcher.infeasible(*whole_nodes(jobspec::kMaxCount)));
  EXPECT_TRUE(matcher.infeasible(*slots_anywhere(jobspec::kMaxCount, jobspec::kMaxCount)));
}

TEST(Matcher, LargeMachinesMatchUnderEveryPolicy) {  // S1
  for (const auto policy : {Policy::first, Policy::low, Policy::high}) {
    const graph::ResourceGraph wide = machine(900, 113, 9);
    EXPECT_TRUE(Matcher(wide, policy)
                    .choose(Profile(wide), *slots_anywhere(8100, 12, 1), Span{at(0), at(10)}));
    const graph::ResourceGraph tall = machine(10'000, 48);
    EXPECT_TRUE(
        Matcher(tall, policy).choose(Profile(tall), *whole_nodes(10'000), Span{at(0), at(10)}));
  }
}

}  // namespace
}  // namespace tenure::match
