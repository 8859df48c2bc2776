// Idset against std::set, and the places that its errors name.
#include "base/idset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace tenure {
namespace {

using Id = Idset::Id;
using Ids = std::set<Id>;

/// Ids at both ends of the range, close together, so that ranges touch and overlap.
rc::Gen<std::vector<Id>> some_ids() {
  const auto low = rc::gen::inRange<Id>(0, 24);
  const auto high = rc::gen::map(low, [](Id id) { return Idset::kMaxId - id; });
  return rc::gen::container<std::vector<Id>>(rc::gen::oneOf(low, low, high));
}

Ids to_set(const Idset& idset) {
  Ids ids;
  idset.for_each([&](Id id) { ids.insert(id); });
  return ids;
}

void assert_canonical(const Idset& idset) {
  const auto ranges = idset.ranges();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    RC_ASSERT(ranges[i].first <= ranges[i].last);
    if (i > 0) RC_ASSERT(ranges[i - 1].last + 1 < ranges[i].first);
  }
}

RC_GTEST_PROP(Idset, SetAlgebraIsThatOfStdSet, ()) {
  const auto left = *some_ids();
  const auto right = *some_ids();
  const Idset a = Idset::of(left);
  const Idset b = Idset::of(right);
  const Ids x(left.begin(), left.end());
  const Ids y(right.begin(), right.end());
  Ids both;
  Ids common;
  Ids rest;
  std::ranges::set_union(x, y, std::inserter(both, both.end()));
  std::ranges::set_intersection(x, y, std::inserter(common, common.end()));
  std::ranges::set_difference(x, y, std::inserter(rest, rest.end()));
  for (const auto& [idset, set] :
       {std::pair{a, x}, {a | b, both}, {a & b, common}, {a - b, rest}}) {
    assert_canonical(idset);
    RC_ASSERT(to_set(idset) == set);
    RC_ASSERT(idset.size() == set.size());
    RC_ASSERT(idset.empty() == set.empty());
  }
  for (Id id = 0; id < 26; ++id) {
    RC_ASSERT(a.contains(id) == x.contains(id));
    RC_ASSERT(a.contains(Idset::kMaxId - id) == x.contains(Idset::kMaxId - id));
  }
}

RC_GTEST_PROP(Idset, InsertionsInAnyOrderGiveTheSameSet, ()) {
  Idset idset;
  Ids set;
  const auto firsts = *some_ids();
  for (const Id first : firsts) {
    const Id last = first + std::min<Id>(*rc::gen::inRange<Id>(0, 6), Idset::kMaxId - first);
    idset.insert({first, last});
    for (Id id = first; id <= last; ++id) set.insert(id);
    assert_canonical(idset);
  }
  RC_ASSERT(to_set(idset) == set);
}

RC_GTEST_PROP(Idset, ReadsBackWhatItWritesWithAndWithoutBrackets, ()) {
  const Idset idset = Idset::of(*some_ids());
  RC_ASSERT(*Idset::parse(idset.to_string()) == idset);
  RC_ASSERT(*Idset::parse("[" + idset.to_string() + "]") == idset);
}

RC_GTEST_PROP(Idset, AnyTextIsReadOrRefused, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0129,,--[] x")));
  const auto idset = Idset::parse(text);
  if (idset) RC_ASSERT(*Idset::parse(idset->to_string()) == *idset);
}

TEST(Idset, ErrorsNameTheTextAndThePlace) {
  const auto message = [](std::string_view text) { return Idset::parse(text).error().message; };
  using testing::EndsWith;
  EXPECT_EQ(message("1,03"),
            "'1,03' is not an idset: no id from 0 to 4294967294 in decimal "
            "without leading zeroes at position 2");
  EXPECT_THAT(message("[1,1]"), EndsWith("ids that do not ascend at position 3"));
  EXPECT_THAT(message("5,2-3"), EndsWith("ids that do not ascend at position 2"));
  EXPECT_THAT(message("1,9-2"), EndsWith("a range that goes backwards at position 2"));
  EXPECT_THAT(message("[1-3"), EndsWith("no closing bracket at position 4"));
  EXPECT_THAT(message("1-3]"), EndsWith("an unexpected character at position 3"));
  EXPECT_THAT(message("1-2-3"), EndsWith("an unexpected character at position 3"));
  EXPECT_THAT(message("[[1]]"), EndsWith("leading zeroes at position 1"));
  EXPECT_THAT(message("[1,]"), EndsWith("leading zeroes at position 3"));
}

TEST(Idset, AHostileRangeCostsOneRange) {
  const auto idset = Idset::parse("0-4294967294");
  EXPECT_EQ(idset->ranges().size(), 1U);
  EXPECT_EQ(idset->size(), 4'294'967'295U);
  EXPECT_TRUE((*idset - *idset).empty());
}

TEST(IdsetDeathTest, AnIdAboveTheLargestIsABug) {
  EXPECT_DEATH((void)Idset::single(Idset::kMaxId + 1), "CHECK failed");
  EXPECT_DEATH((void)Idset::of(std::vector<Id>{Idset::kMaxId + 1}), "CHECK failed");
}

}  // namespace
}  // namespace tenure
