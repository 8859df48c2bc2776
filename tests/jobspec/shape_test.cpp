#include "jobspec/shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "jobspec/canonical.hpp"
#include "jobspec/yaml.hpp"

namespace tenure::jobspec {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

std::string shape(std::string_view text) {
  const auto parsed = parse_shape(text);
  return parsed ? json::serialize(*parsed) : parsed.error().message;
}

struct Vector {
  const char* shape;
  const char* yaml;
};

/// The use cases of RFC 46, in flow style.
constexpr Vector kVectors[] = {
    {"slot=4/node", "[{type: slot, count: 4, label: default, with: [{type: node, count: 1}]}]"},
    {"slot=3-30/node",
     "[{type: slot, count: {min: 3, max: 30, operator: +, operand: 1}, label: default, "
     "with: [{type: node, count: 1}]}]"},
    {"slot=4{nodelevel}/node{-x}/socket=2+/core=4+",
     "[{type: slot, count: 4, label: nodelevel, with: [{type: node, count: 1, exclusive: false, "
     "with: [{type: socket, count: {min: 2}, with: [{type: core, count: {min: 4}}]}]}]}]"},
    {"slot=4{nodelevel}/node/socket=2/core=4",
     "[{type: slot, count: 4, label: nodelevel, with: [{type: node, count: 1, with: [{type: "
     "socket, count: 2, with: [{type: core, count: 4}]}]}]}]"},
    {"[cluster/slot=2{ib}/node/[memory=4{unit:GB};ib10g];switch/slot=2{bicore}/node/core=2]",
     "[{type: cluster, count: 1, with: [{type: slot, count: 2, label: ib, with: [{type: node, "
     "count: 1, with: [{type: memory, count: 4, unit: GB}, {type: ib10g, count: 1}]}]}]}, "
     "{type: switch, count: 1, with: [{type: slot, count: 2, label: bicore, with: [{type: node, "
     "count: 1, with: [{type: core, count: 2}]}]}]}]"},
    {"cluster=2/slot/node=1+{-x}/core=30",
     "[{type: cluster, count: 2, with: [{type: slot, count: 1, label: default, with: [{type: "
     "node, count: {min: 1}, exclusive: false, with: [{type: core, count: 30}]}]}]}]"},
    {"switch=3/slot/node=1+{-x}/core",
     "[{type: switch, count: 3, with: [{type: slot, count: 1, label: default, with: [{type: "
     "node, count: {min: 1}, exclusive: false, with: [{type: core, count: 1}]}]}]}]"},
    {"slot=4,9,16,25/node",
     "[{type: slot, count: \"4,9,16,25\", label: default, with: [{type: node, count: 1}]}]"},
    {"slot=10/core=2", "[{type: slot, count: 10, label: default, with: [{type: core, count: 2}]}]"},
    {"node/[slot=10{read-db}/[core;memory=4{unit:GB}];slot{db}/[core=6;memory=24{unit:GB}]]",
     "[{type: node, count: 1, with: [{type: slot, count: 10, label: read-db, with: [{type: core, "
     "count: 1}, {type: memory, count: 4, unit: GB}]}, {type: slot, count: 1, label: db, with: "
     "[{type: core, count: 6}, {type: memory, count: 24, unit: GB}]}]}]"},
    {"slot=10/[memory=2+{unit:GB};core]",
     "[{type: slot, count: 10, label: default, with: [{type: memory, count: {min: 2}, unit: GB}, "
     "{type: core, count: 1}]}]"},
    {"slot=2{4GB-node}/node/memory=4+{unit:GB}",
     "[{type: slot, count: 2, label: 4GB-node, with: [{type: node, count: 1, with: [{type: "
     "memory, count: {min: 4}, unit: GB}]}]}]"},
    {"slot/node", "[{type: slot, count: 1, label: default, with: [{type: node, count: 1}]}]"},
};

TEST(Shape, EveryUseCaseOfRfc46) {
  for (const Vector& vector : kVectors) {
    const auto parsed = parse_shape(vector.shape);
    ASSERT_TRUE(parsed) << parsed.error().message;
    const auto expected = read_yaml(vector.yaml, "rfc46");
    ASSERT_TRUE(expected) << expected.error().message;
    EXPECT_EQ(json::value(*parsed), expected->value) << vector.shape;
    const auto resources = parse_resources(*parsed, "resources");
    ASSERT_TRUE(resources) << vector.shape << ": " << resources.error().message;
    // And back: a shape of what was read is read alike.
    const auto again = parse_shape(to_shape(*resources));
    ASSERT_TRUE(again) << to_shape(*resources) << ": " << again.error().message;
    EXPECT_EQ(*parse_resources(*again, "resources"), *resources) << to_shape(*resources);
    EXPECT_EQ(*parse_resources(to_json(*resources), "resources"), *resources);
  }
}

TEST(Shape, KeysHaveShortAndLongForms) {
  EXPECT_EQ(shape("node{x}"), shape("node{+exclusive}"));
  EXPECT_EQ(shape("node{x}"), shape("node{exclusive:true}"));
  EXPECT_EQ(shape("node{-x}"), shape("node=1{x:false}"));
  EXPECT_EQ(shape("node{}"), shape("node"));
  EXPECT_EQ(shape("[node]"), shape("node"));
  EXPECT_EQ(shape("core=[2-8:2:*]"), shape("core=2-8:2:*"));
  EXPECT_EQ(shape("\"my type\"{id:\"a,b\"}"), R"([{"type":"my type","count":1,"id":"a,b"}])");
  EXPECT_EQ(shape("node{a:{b:c,+d,e:[1,2]}}"),
            R"([{"type":"node","count":1,"a":{"b":"c","d":true,"e":[1,2]}}])");
}

TEST(Shape, MistakesSayWhere) {
  EXPECT_THAT(shape(""), HasSubstr("at byte 1: expected a word"));
  EXPECT_THAT(shape("slot"), HasSubstr("expected '/' and what the slot holds"));
  EXPECT_THAT(shape("node/"), HasSubstr("expected a word"));
  EXPECT_THAT(shape("node=0"), HasSubstr("at byte 6"));
  EXPECT_THAT(shape("node=x"), HasSubstr("at byte 6"));
  EXPECT_THAT(shape("[node"), HasSubstr("expected ';' or ']'"));
  EXPECT_THAT(shape("node]"), HasSubstr("expected ';', '/' or the end"));
  EXPECT_THAT(shape("node{x"), HasSubstr("expected ',' or '}'"));
  EXPECT_THAT(shape("node{x,-x}"), HasSubstr("given twice"));
  EXPECT_THAT(shape("[slot/core;slot{b}/core]"), HasSubstr("a slot without a label"));
  EXPECT_THAT(shape("\"open"), HasSubstr("a quote is not closed"));
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "a/";
  EXPECT_THAT(shape(deep + "a"), HasSubstr("is nested deeper than 32"));
  EXPECT_THAT(shape("n{a:" + std::string(5000, '[') + "}"), HasSubstr("expected a JSON value"));
}

RC_GTEST_PROP(Shape, AnyTextIsReadOrRefused, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("slotn=12-+:*[]{},;/x\"\\ ")));
  const auto parsed = parse_shape(text);
  if (!parsed) RC_ASSERT(!parsed.error().message.empty());
}

}  // namespace
}  // namespace tenure::jobspec
