// Hostlists (RFC 29): round trips, long numbers and bounds.
#include "base/hostlist.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tenure {
namespace {

using Hosts = std::vector<std::string>;

/// Names whose numbers run on, repeat, change their width and exceed 64 bits.
rc::Gen<std::string> some_host() {
  return rc::gen::exec([] {
    const auto prefix = *rc::gen::element<std::string>("n", "", "rack1-", "x99999999999999999");
    const auto width = *rc::gen::element(0, 0, 1, 2, 3);
    const auto number = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 12),
                                        rc::gen::inRange<std::uint64_t>(96, 102));
    const auto suffix = *rc::gen::element<std::string>("", "", "", "-eth0", ".site");
    return fmt::format("{}{:0{}}{}", prefix, number, width, suffix);
  });
}

RC_GTEST_PROP(Hostlist, ReadsBackWhatItWrites, ()) {
  const auto hosts = *rc::gen::container<Hosts>(some_host());
  const auto read = parse_hostlist(format_hostlist(hosts));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == hosts);
}

RC_GTEST_PROP(Hostlist, ARangeIsTheListOfItsNames, ()) {
  const auto first = *rc::gen::inRange<std::uint64_t>(0, 200);
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 120);
  const auto width = *rc::gen::inRange(1, 5);
  const auto start = fmt::format("{:0{}}", first, width);
  Hosts hosts;
  for (std::uint64_t i = first; i < first + count; ++i) {
    hosts.push_back(fmt::format("n{:0{}}-s", i, start.starts_with('0') ? width : 1));
  }
  RC_ASSERT(*parse_hostlist(fmt::format("n[{}-{}]-s", start, first + count - 1)) == hosts);
}

RC_GTEST_PROP(Hostlist, AnyTextIsReadOrRefused, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab0129,,--[[]] ")));
  const auto hosts = parse_hostlist(text);
  if (hosts) RC_ASSERT(*parse_hostlist(format_hostlist(*hosts)) == *hosts);
}

TEST(Hostlist, ExpandsNumbersBeyond64Bits) {  // S2
  EXPECT_EQ(*parse_hostlist("h[4294967296-4294967297]"), (Hosts{"h4294967296", "h4294967297"}));
  EXPECT_EQ(*parse_hostlist("h[99999999999999999999-100000000000000000001]"),
            (Hosts{"h99999999999999999999", "h100000000000000000000", "h100000000000000000001"}));
  EXPECT_EQ(
      *parse_hostlist("[00000000000000000000008-10]"),
      (Hosts{"00000000000000000000008", "00000000000000000000009", "00000000000000000000010"}));
  EXPECT_EQ(*parse_hostlist("h[999999999999999999-1000000000000000000]"),
            (Hosts{"h999999999999999999", "h1000000000000000000"}));
}

TEST(Hostlist, AnEmptyExpressionIsAnEmptyList) {
  EXPECT_EQ(*parse_hostlist("a,,b,"), (Hosts{"a", "b"}));
  EXPECT_EQ(*parse_hostlist(","), Hosts{});
}

TEST(Hostlist, OnlyTheFirstElementSetsTheWidth) {
  EXPECT_EQ(*parse_hostlist("n[1,02,10]"), (Hosts{"n1", "n2", "n10"}));
  EXPECT_EQ(*parse_hostlist("n[0-1,10]"), (Hosts{"n0", "n1", "n10"}));
}

TEST(Hostlist, CompressesRunsInOrder) {
  EXPECT_EQ(format_hostlist(Hosts{"n1", "n1", "n2", "n1"}), "n[1,1-2,1]");
  EXPECT_EQ(format_hostlist(Hosts{"n08", "n09", "n10", "n100"}), "n[08-10,100]");
  EXPECT_EQ(format_hostlist(Hosts{"a1", "b2", "b3", "a2"}), "a1,b[2-3],a2");
  EXPECT_EQ(format_hostlist(Hosts{}), "");
}

TEST(Hostlist, BoundsAreCheckedBeforeExpanding) {
  const auto code = [](std::string_view text) { return parse_hostlist(text).error().code; };
  EXPECT_EQ(parse_hostlist("n[1-4194304]")->size(), kMaxHosts);
  EXPECT_EQ(code("n[0-4194304]"), ErrorCode::limit);
  EXPECT_EQ(code("m,n[1-4194304]"), ErrorCode::limit);
  EXPECT_EQ(code("n[0-99999999999999999999999999999999]"), ErrorCode::limit);
  const std::string prefix(100'000, 'p');
  EXPECT_EQ(code(prefix + "[1-4000]"), ErrorCode::limit);
  EXPECT_LT(parse_hostlist(prefix + "[1-4000]").error().message.size(), 300U);
}

TEST(Hostlist, ErrorsNameTheExpression) {
  EXPECT_EQ(parse_hostlist("a1,b[3-1]").error(),
            (Error{ErrorCode::invalid,
                   "'a1,b[3-1]' is not a hostlist: 'b[3-1]' must be like name[0-3]"}));
}

}  // namespace
}  // namespace tenure
