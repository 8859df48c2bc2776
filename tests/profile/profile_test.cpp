// The profile against an array over time, and its invariants.
#include "profile/profile.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "plan/machine.hpp"
#include "profile/idle_window.hpp"

namespace tenure::profile {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests
using graph::NodeSet;
using graph::ResourceSet;
using graph::UnitMask;

constexpr int kTimes = 24;  ///< the array covers [0, kTimes); behind it nothing is taken
constexpr int kNodes = 5;
constexpr int kUnits = 3;

/// taken[t][node] is the set of units taken in [t, t+1).
struct Array {
  std::set<int> taken[kTimes][kNodes];

  bool is_free(int start, int end, const std::map<int, std::set<int>>& units) const {
    for (int t = start; t < end; ++t) {
      for (const auto& [node, wanted] : units) {
        for (const int unit : wanted) {
          if (taken[t][node].contains(unit)) return false;
        }
      }
    }
    return true;
  }

  void change(int start, int end, const std::map<int, std::set<int>>& units, bool take) {
    for (int t = start; t < end; ++t) {
      for (const auto& [node, wanted] : units) {
        for (const int unit : wanted) {
          if (take) {
            taken[t][node].insert(unit);
          } else {
            taken[t][node].erase(unit);
          }
        }
      }
    }
  }

  bool idle(int node, int start, int end) const {
    for (int t = start; t < end; ++t) {
      if (!taken[t][node].empty()) return false;
    }
    return true;
  }
};

struct Span2 {
  int start;
  int end;
  std::map<int, std::set<int>> units;
};

ResourceSet to_set(const std::map<int, std::set<int>>& units, const graph::ResourceGraph& graph) {
  ResourceSet set;
  for (const auto& [node, wanted] : units) {
    UnitMask mask(kUnits);
    for (const int unit : wanted) mask.set(static_cast<std::uint32_t>(unit));
    const NodeIndex index(static_cast<std::uint32_t>(node));
    set.append_part(index, mask, graph.shape_of(index));
  }
  return set;
}

Span to_span(int start, int end) { return {at(start), at(end)}; }

std::map<int, std::set<int>> draw_units() {
  std::map<int, std::set<int>> units;
  for (int node = 0; node < kNodes; ++node) {
    if (*rc::gen::inRange(0, 3) != 0) continue;
    for (int unit = 0; unit < kUnits; ++unit) {
      if (*rc::gen::inRange(0, 3) != 0) units[node].insert(unit);
    }
    if (*rc::gen::inRange(0, 2) == 0) units[node] = {0, 1, 2};
    if (units[node].empty()) units.erase(node);
  }
  return units;
}

void compare(const Profile& profile, const Array& array, const graph::ResourceGraph& graph) {
  for (const auto& segment : profile.segments()) {
    RC_ASSERT(segment.idle_count == segment.idle.count());
  }
  for (std::size_t i = 1; i < profile.segments().size(); ++i) {
    RC_ASSERT(profile.segments()[i - 1].idle != profile.segments()[i].idle);
  }
  const int start = *rc::gen::inRange(0, kTimes - 1);
  const int end = *rc::gen::inRange(start + 1, kTimes);
  const NodeSet idle = profile.idle_throughout(to_span(start, end));
  for (int node = 0; node < kNodes; ++node) {
    const NodeIndex index(static_cast<std::uint32_t>(node));
    RC_ASSERT(idle.test(index) == array.idle(node, start, end));
    const UnitMask free = profile.free_units(index, to_span(start, end));
    for (int unit = 0; unit < kUnits; ++unit) {
      RC_ASSERT(free.test(static_cast<std::uint32_t>(unit)) ==
                array.is_free(start, end, {{node, {unit}}}));
    }
  }
  const auto units = draw_units();
  RC_ASSERT(profile.is_free(to_span(start, end), to_set(units, graph)) ==
            array.is_free(start, end, units));
}

void compare_window(const Profile& profile, const Array& array) {
  NodeSet eligible(kNodes);
  for (std::uint32_t n = 0; n < kNodes; ++n) {
    if (*rc::gen::inRange(0, 4) > 0) eligible.set(NodeIndex(n));
  }
  const int length = *rc::gen::inRange(1, 8);
  const int from = *rc::gen::inRange(0, kTimes / 2);
  const auto wanted = *rc::gen::inRange<std::uint32_t>(1, kNodes + 1);
  std::optional<int> expected;
  for (int t = from; t + length <= kTimes && !expected; ++t) {
    std::uint32_t idle = 0;
    for (std::uint32_t n = 0; n < kNodes; ++n) {
      if (eligible.test(NodeIndex(n)) && array.idle(static_cast<int>(n), t, t + length)) ++idle;
    }
    if (idle >= wanted) expected = t;
  }
  IdleWindow window(profile, eligible, to_span(from, from + length));
  const bool found = window.seek(wanted, at(kTimes));
  RC_ASSERT(found == expected.has_value());
  if (!found) return;
  RC_ASSERT(window.span() == to_span(*expected, *expected + length));
  RC_ASSERT(window.count() >= wanted);
  NodeSet idle = profile.idle_throughout(window.span());
  idle &= eligible;
  RC_ASSERT(window.idle() == idle);
}

TEST(Profile, EqualsAnArrayOverTime) {
  const bool holds = rc::check([] {
    const graph::ResourceGraph graph = machine(kNodes, kUnits);
    Profile profile(graph);
    Array array;
    std::vector<Span2> spans;
    for (int i = *rc::gen::inRange(1, 50); i > 0; --i) {
      const int what = *rc::gen::inRange(0, 5);
      if (what < 3 || spans.empty()) {
        const int start = *rc::gen::inRange(0, kTimes - 1);
        Span2 span{start, *rc::gen::inRange(start + 1, kTimes), draw_units()};
        if (span.units.empty() || !array.is_free(span.start, span.end, span.units)) continue;
        profile.add(to_span(span.start, span.end), to_set(span.units, graph));
        array.change(span.start, span.end, span.units, true);
        spans.push_back(span);
      } else {
        const auto index = *rc::gen::inRange<std::size_t>(0, spans.size());
        Span2& span = spans[index];
        const ResourceSet set = to_set(span.units, graph);
        if (what == 3) {
          profile.remove(to_span(span.start, span.end), set);
          array.change(span.start, span.end, span.units, false);
          spans.erase(spans.begin() + static_cast<std::ptrdiff_t>(index));
        } else {
          const int end = *rc::gen::inRange(span.start + 1, kTimes);
          if (end > span.end && !array.is_free(span.end, end, span.units)) continue;
          profile.move_end(at(span.end), at(end), set);
          array.change(span.start, span.end, span.units, false);
          array.change(span.start, end, span.units, true);
          span.end = end;
        }
      }
      compare(profile, array, graph);
      compare_window(profile, array);
    }
    // Canonical: another history with the same contents gives an equal profile.
    Profile again(graph);
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
      again.add(to_span(span->start, span->end), to_set(span->units, graph));
    }
    RC_ASSERT(again == profile);
  });
  EXPECT_TRUE(holds);
}

TEST(Profile, MovingAnEndTouchesOnlyTheTimeBetween) {  // E3
  const graph::ResourceGraph graph = machine(4);
  Profile profile(graph);
  const ResourceSet all = graph.whole_nodes(NodeSet::full(4));
  profile.add(to_span(0, 10), all);
  profile.remove(to_span(0, 10), all);
  profile.add(to_span(0, 10), all);
  profile.move_end(at(10), at(15), all);
  for (const auto& segment : profile.segments()) {
    EXPECT_EQ(segment.idle_count, segment.start >= at(0) && segment.start < at(15) ? 0U : 4U);
  }
  EXPECT_EQ(profile.segments().size(), 3U);
  IdleWindow window(profile, graph.up(), to_span(0, 1));
  ASSERT_TRUE(window.seek(4, Time::never()));
  EXPECT_EQ(window.span().start, at(15));
  profile.move_end(at(15), at(3), all);
  EXPECT_TRUE(profile.is_free(to_span(3, 20), all));
  EXPECT_FALSE(profile.is_free(to_span(2, 3), all));
}

TEST(ProfileDeathTest, TakingANodeTwiceIsABug) {
  const graph::ResourceGraph graph = machine(2);
  Profile profile(graph);
  const ResourceSet all = graph.whole_nodes(NodeSet::full(2));
  profile.add(to_span(0, 10), all);
  EXPECT_DEATH(profile.add(to_span(9, 11), all), "taken twice");
}

}  // namespace
}  // namespace tenure::profile
