#include "graph/node_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "machines.hpp"

namespace tenure::graph {
namespace {

/// The naive form: a sorted set of numbers.
using Members = std::set<std::uint32_t>;

NodeSet make(std::uint32_t size, const Members& members) {
  NodeSet set(size);
  for (const std::uint32_t member : members) set.set(NodeIndex(member));
  return set;
}

Members members(const NodeSet& set) {
  Members result;
  set.for_each([&](NodeIndex node) { result.insert(node.value()); });
  return result;
}

NodeRange range(std::uint32_t first, std::uint32_t last) {
  return NodeRange{NodeIndex(first), NodeIndex(last)};
}

/// Sizes around word boundaries are more likely than chance makes them.
rc::Gen<std::uint32_t> sizes() {
  return rc::gen::oneOf(rc::gen::element<std::uint32_t>(1, 63, 64, 65, 127, 128, 129),
                        rc::gen::inRange<std::uint32_t>(1, 300));
}

TEST(NodeSet, FullSetsHaveNoBitsBeyondTheirSize) {
  for (const std::uint32_t size : {0U, 1U, 63U, 64U, 65U, 128U, 200U}) {
    const NodeSet full = NodeSet::full(size);
    EXPECT_EQ(full.count(), size);
    EXPECT_EQ(full.next_gap(NodeIndex(0)).value(), size);
    NodeSet none = full;
    none.complement();
    EXPECT_TRUE(none.none());
    EXPECT_EQ(none, NodeSet(size));
    EXPECT_EQ(none.next(NodeIndex(0)).value(), size);
  }
}

TEST(NodeSet, AnEmptyMachineHasNoMembers) {
  const NodeSet set;
  EXPECT_TRUE(set.none());
  EXPECT_EQ(set.count(), 0U);
  EXPECT_TRUE(set.ranges().empty());
  EXPECT_EQ(set.next(NodeIndex(0)).value(), 0U);
}

TEST(NodeSet, RunsAcrossWordsAreOneRange) {
  NodeSet set(200);
  set.set(range(60, 130));
  set.set(NodeIndex(199));
  EXPECT_EQ(set.ranges(), (std::vector<NodeRange>{range(60, 130), range(199, 199)}));
  EXPECT_TRUE(set.test_all(range(60, 130)));
  EXPECT_FALSE(set.test_all(range(59, 130)));
  EXPECT_FALSE(set.test_any(range(131, 198)));
  EXPECT_TRUE(set.test_any(range(130, 198)));
}

RC_GTEST_PROP(NodeSetProperty, BinaryOperationsEqualThoseOfSets, ()) {
  const std::uint32_t size = *sizes();
  const Members a = *subsets(size);
  const Members b = *subsets(size);
  Members both, either, rest;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::inserter(either, either.end()));
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));

  const NodeSet x = make(size, a);
  const NodeSet y = make(size, b);
  NodeSet result = x;
  RC_ASSERT((result &= y) == make(size, both));
  result = x;
  RC_ASSERT((result |= y) == make(size, either));
  result = x;
  RC_ASSERT((result -= y) == make(size, rest));
  RC_ASSERT(x.count() == a.size());
  RC_ASSERT(x.count_and(y) == both.size());
  RC_ASSERT(x.intersects(y) == !both.empty());
  RC_ASSERT(x.contains(y) == (both == b));
  RC_ASSERT(members(x) == a);
  RC_ASSERT(x.none() == a.empty());
  result.clear();
  RC_ASSERT(result == NodeSet(size));
}

RC_GTEST_PROP(NodeSetProperty, RangeOperationsEqualThoseOfSingleNodes, ()) {
  const std::uint32_t size = *sizes();
  Members naive = *subsets(size);
  NodeSet set = make(size, naive);
  const std::uint32_t first = *rc::gen::inRange<std::uint32_t>(0, size);
  const std::uint32_t last = *rc::gen::inRange<std::uint32_t>(first, size);
  std::uint32_t inside = 0;
  for (std::uint32_t i = first; i <= last; ++i) inside += naive.contains(i) ? 1U : 0U;
  RC_ASSERT(set.test_any(range(first, last)) == (inside > 0));
  RC_ASSERT(set.test_all(range(first, last)) == (inside == last - first + 1));

  const bool add = *rc::gen::arbitrary<bool>();
  for (std::uint32_t i = first; i <= last; ++i) {
    if (add) {
      naive.insert(i);
    } else {
      naive.erase(i);
    }
  }
  if (add) {
    set.set(range(first, last));
  } else {
    set.reset(range(first, last));
  }
  RC_ASSERT(set == make(size, naive));
}

RC_GTEST_PROP(NodeSetProperty, NextGapAndRangesWalkTheMembers, ()) {
  const std::uint32_t size = *sizes();
  const Members naive = *subsets(size);
  const NodeSet set = make(size, naive);
  for (std::uint32_t i = 0; i <= size; ++i) {
    const auto member = naive.lower_bound(i);
    RC_ASSERT(set.next(NodeIndex(i)).value() == (member == naive.end() ? size : *member));
    std::uint32_t gap = i;
    while (gap < size && naive.contains(gap)) ++gap;
    RC_ASSERT(set.next_gap(NodeIndex(i)).value() == gap);
  }
  NodeSet again(size);
  std::uint32_t past = 0;  // one past the previous range
  for (const NodeRange& r : set.ranges()) {
    RC_ASSERT(past == 0 || r.first.value() > past);  // maximal: a gap lies between
    past = r.last.value() + 1;
    again.set(r);
  }
  RC_ASSERT(again == set);
}

}  // namespace
}  // namespace tenure::graph
