#include "graph/shape.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "machines.hpp"

namespace tenure::graph {
namespace {

using Members = std::set<std::uint32_t>;

UnitMask make(std::uint32_t units, const Members& members) {
  UnitMask mask(units);
  for (const std::uint32_t unit : members) mask.set(unit);
  return mask;
}

RC_GTEST_PROP(UnitMaskProperty, EqualsASetOfUnits, ()) {
  const std::uint32_t units = *rc::gen::oneOf(
      rc::gen::element<std::uint32_t>(1, 63, 64, 65, 128, 129), rc::gen::inRange(1U, 260U));
  const Members a = *subsets(units);
  const Members b = *subsets(units);
  Members both, either, rest;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::inserter(either, either.end()));
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));

  const UnitMask x = make(units, a);
  const UnitMask y = make(units, b);
  UnitMask result = x;
  RC_ASSERT((result &= y) == make(units, both));
  result = x;
  RC_ASSERT((result |= y) == make(units, either));
  result = x;
  RC_ASSERT((result -= y) == make(units, rest));
  RC_ASSERT(x.count() == a.size());
  RC_ASSERT(x.none() == a.empty());
  RC_ASSERT(x.intersects(y) == !both.empty());
  RC_ASSERT(x.contains(y) == (both == b));

  const std::uint32_t first = *rc::gen::inRange<std::uint32_t>(0, units);
  const std::uint32_t length = *rc::gen::inRange<std::uint32_t>(0, units - first + 1);
  const auto inside = std::count_if(a.begin(), a.end(), [&](std::uint32_t unit) {
    return first <= unit && unit < first + length;
  });
  RC_ASSERT(x.count(first, length) == static_cast<std::uint32_t>(inside));
}

TEST(UnitMask, FullMasksEndWithTheLastUnit) {
  for (const std::uint32_t units : {0U, 1U, 64U, 65U, 128U, 129U}) {
    const UnitMask full = UnitMask::full(units);
    EXPECT_EQ(full.count(), units);
    UnitMask built(units);
    for (std::uint32_t unit = 0; unit < units; ++unit) built.set(unit);
    EXPECT_EQ(full, built);
    for (std::uint32_t unit = 0; unit < units; ++unit) built.reset(unit);
    EXPECT_TRUE(built.none());
  }
}

TEST(Shape, FindsPoolsByTypeAndUnitsByLogicalId) {
  const Shape shape{{Pool{"core", {0, 1, 2, 8}, 0}, Pool{"gpu", {3, 4}, 4}}, 6};
  ASSERT_NE(shape.pool("gpu"), nullptr);
  EXPECT_EQ(shape.pool("ssd"), nullptr);
  EXPECT_EQ(shape.count("core"), 4U);
  EXPECT_EQ(shape.count("ssd"), 0U);
  const UnitMask mask = make(6, {1, 2, 3, 5});
  EXPECT_EQ(Shape::ids(*shape.pool("core"), mask).to_string(), "1-2,8");
  EXPECT_EQ(Shape::ids(*shape.pool("gpu"), mask).to_string(), "4");
}

}  // namespace
}  // namespace tenure::graph
