#include "jobspec/canonical.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "jobspec/shape.hpp"
#include "jobspec/yaml.hpp"

namespace tenure::jobspec {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

/// A jobspec whose task runs in the slot "default", from its resources in YAML.
std::string with(std::string_view resources, std::string_view tasks = {}) {
  constexpr std::string_view kTasks = "[{command: [app], slot: default, count: {per_slot: 1}}]";
  return fmt::format(
      "version: 999\nresources: {}\ntasks: {}\nattributes: {{system: {{duration: 3600.}}}}\n",
      resources, tasks.empty() ? kTasks : tasks);
}

std::string read(const std::string& text) {
  const auto document = read_yaml(text, "job.yaml");
  if (!document) return document.error().message;
  const auto parsed = parse_canonical(document->value);
  return parsed ? to_shape(parsed->resources) : parsed.error().message;
}

std::string count(std::string_view text) {
  return read(
      with(fmt::format("[{{type: slot, label: default, count: {}, with: [{{type: core, "
                       "count: 1}}]}}]",
                       text)));
}

/// The resources of RFC 14's use cases as shapes (RFC 46 has them in both forms).
constexpr const char* kUseCases[] = {
    "slot=4{default}/node",
    "slot=3-30{default}/node",
    "slot=4{nodelevel}/node{-x}/socket=2+/core=4+",
    "slot=4{nodelevel}/node/socket=2/core=4",
    "[cluster/slot=2{ib}/node/[memory=4{unit:GB};ib10g];switch/slot=2{bicore}/node/core=2]",
    "cluster=2/slot{default}/node=1+{-x}/core=30",
    "switch=3/slot{default}/node=1+{-x}/core",
    "slot=4,9,16,25{default}/node",
    "slot=10{default}/core=2",
    "node/[slot=10{read-db}/[core;memory=4{unit:GB}];slot{db}/[core=6;memory=24{unit:GB}]]",
    "slot=10{default}/[memory=2+{unit:GB};core]",
    "slot=2{4GB-node}/node/memory=4+{unit:GB}",
};

TEST(Canonical, TheUseCasesOfRfc14AreRead) {
  for (const char* shape : kUseCases) {
    const auto list = parse_shape(shape);
    ASSERT_TRUE(list) << list.error().message;
    const auto resources = parse_resources(*list, "resources");
    ASSERT_TRUE(resources) << shape << ": " << resources.error().message;
    EXPECT_EQ(*parse_resources(to_json(*resources), "resources"), *resources) << shape;
  }
}

TEST(Canonical, TasksAndAttributesOfUseCase27) {
  const auto document = read_yaml(R"(
version: 999
resources:
  - {type: slot, count: 1, label: default, with: [{type: node, count: 1}]}
tasks:
  - {command: [first], slot: default, count: {per_slot: 1}}
  - command: [second]
    slot: default
    count: {per_resource: {type: node, count: 2}}
    attributes: {environment: {FOO: null, BAR: "2"}}
  - {command: [third, -x], slot: default, count: {total: 5}, distribution: cyclic}
attributes:
  system: {duration: 3600., cwd: /home/flux, environment: {HOME: /home/flux},
           constraints: {properties: [amd-mi50]}, queue: batch,
           dependencies: [{type: in, scope: user, scheme: string, value: foo}]}
)",
                                  "job.yaml");
  ASSERT_TRUE(document) << document.error().message;
  const auto job = parse_canonical(document->value);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->version, 999U);
  EXPECT_EQ(job->duration, Duration::seconds(3600));
  EXPECT_EQ(job->queue, "batch");
  EXPECT_EQ(job->constraint.to_string(), R"({"properties":["amd-mi50"]})");
  ASSERT_EQ(job->tasks.size(), 3U);
  EXPECT_EQ(job->tasks[1].kind, Task::Count::per_resource);
  EXPECT_EQ(job->tasks[1].resource, "node");
  EXPECT_EQ(job->tasks[2].kind, Task::Count::total);
  EXPECT_EQ(job->tasks[2].command, "third -x");
}

TEST(Canonical, CountsHaveThreeForms) {
  EXPECT_EQ(count("4"), "slot=4{default}/core");
  EXPECT_EQ(count("\"2,4,8\""), "slot=2,4,8{default}/core");
  EXPECT_EQ(count("\"2-16:2:*\""), "slot=2-16:2:*{default}/core");
  EXPECT_EQ(count("{min: 1}"), "slot=1+{default}/core");
  EXPECT_EQ(count("{min: 2, max: 20, operator: +, operand: 3}"), "slot=2-20:3{default}/core");
  EXPECT_EQ(count("{min: 2, max: 20}"), "slot=2-20{default}/core");
  EXPECT_EQ(count("9223372036854775807"), "slot=9223372036854775807{default}/core");
}

TEST(Canonical, BadCountsNameTheFieldTheValueAndTheRule) {
  const std::string path = "resources[0].count";
  EXPECT_EQ(count("{max: 4}"), path + ": Key \"min\" missing from count");
  EXPECT_THAT(count("{min: 0}"), HasSubstr(path + ".min: \"min\" must be greater than zero"));
  EXPECT_THAT(count("{min: 4, max: 3}"), HasSubstr("\"max\" must be greater than or equal"));
  EXPECT_THAT(count("{min: 2, operator: +}"), HasSubstr("must both be specified"));
  EXPECT_THAT(count("{min: 2, max: 8, operator: x, operand: 2}"),
              HasSubstr(path + ".operator: Invalid count operator"));
  EXPECT_THAT(count("{min: 2, max: 8, operator: '*', operand: 1}"),
              HasSubstr("greater than one for multiplication '*'"));
  EXPECT_THAT(count("{min: 1, max: 8, operator: ^, operand: 2}"),
              HasSubstr("\"min\" must be greater than one for exponentiation '^'"));
  EXPECT_THAT(count("{min: 2, colour: 3}"), HasSubstr(path + ".colour: is not a known key"));
  for (const char* text : {"0", "-1", "1.5", "\"0\"", "\"a\"", "\"\"", "[]", "null", "true",
                           "9223372036854775808", "{min: 99999999999999999999}"}) {
    EXPECT_THAT(count(text), HasSubstr(path)) << text;
  }
}

TEST(Canonical, MistakesKeepTheWordsThatSitesKnow) {
  const std::string slot = "{type: slot, label: default, count: 1, with: [{type: core, count: 1}]}";
  const std::pair<std::string, std::string> cases[] = {
      {"7", "Top level of jobspec is not a mapping"},
      {"{version: 1}", "Missing key \"resources\" in top level mapping"},
      {with("7"), "resources: \"resources\" is not a sequence"},
      {with("[]"), "resources: an array of 0"},
      {with("[7]"), "resources[0]: resource is not a mapping"},
      {with("[{count: 1}]"), "resources[0]: Key \"type\" missing from resource"},
      {with("[{type: [], count: 1}]"), "resources[0].type: Value of \"type\" must be a scalar"},
      {with("[{type: node}]"), "resources[0]: Key \"count\" missing from resource"},
      {with("[{type: node, count: 1, colour: red}]"),
       "resources[0].colour: Unrecognized key in resource mapping"},
      {with("[{type: node, count: 1, exclusive: 3}]"),
       "resources[0].exclusive: Value of \"exclusive\" must be either"},
      {with("[{type: slot, count: 1, with: [{type: core, count: 1}]}]"),
       "resources[0]: All slots must be labeled"},
      {with("[{type: slot, count: 1, label: default}]"), "resources[0]: Key \"with\" missing"},
      {with("[" + slot + "," + slot + "]"), "resources[1].label: 'default' is given twice"},
      {with("[" + slot + "]", "7"), "tasks: \"tasks\" is not a sequence"},
      {with("[" + slot + "]", "[7]"), "tasks[0]: task is not a mapping"},
      {with("[" + slot + "]", "[{slot: default, count: {total: 1}}]"),
       "tasks[0]: Key \"command\" missing from task"},
      {with("[" + slot + "]", "[{command: [], slot: default, count: {total: 1}}]"),
       "tasks[0].command: an array of 0"},
      {with("[" + slot + "]", "[{command: a, slot: default, count: {total: 1}}]"),
       "tasks[0].command: \"command\" value must be a sequence"},
      {with("[" + slot + "]", "[{command: [a], slot: other, count: {total: 1}}]"),
       "tasks[0].slot: 'other' is not the label of a slot (default)"},
      {with("[" + slot + "]", "[{command: [a], slot: default, count: {total: 1, per_slot: 1}}]"),
       "tasks[0].count: \"count\" in task must have exactly one entry"},
      {with("[" + slot + "]",
            "[{command: [a], slot: default, count: {per_resource: {type: gpu, count: 1}}}]"),
       "tasks[0].count.per_resource.type: 'gpu' is not a type of the task's slot"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(read(text), HasSubstr(message)) << text;
}

TEST(Canonical, HostileRequestsAreRefused) {
  std::string deep = "{type: a, count: 1}";
  for (int i = 0; i < 60; ++i) deep = "{type: a, count: 1, with: [" + deep + "]}";
  EXPECT_THAT(read(with("[" + deep + "]")), HasSubstr("is nested deeper than 32"));
  std::string wide;
  for (int i = 0; i < 2000; ++i) wide += "{type: a, count: 1},";
  EXPECT_THAT(read(with("[" + wide + "]")), HasSubstr("more than 1000 resource vertices"));
  std::string choices;
  for (int list = 0; list < 4; ++list) {
    choices += "{type: node, count: 1, with: [";
    for (int i = 0; i < 10; ++i) {
      choices += "{type: xor_slot, count: 1, with: [{type: core, count: 1}]},";
    }
    choices += "]},";
  }
  EXPECT_THAT(read(with("[" + choices + "]")), HasSubstr("more than 1000 requests"));
}

TEST(Yaml, OneDocumentWithUniqueKeysAndBoundedSize) {
  const auto message = [](const std::string& text) {
    const auto document = read_yaml(text, "f");
    return document ? "no error" : document.error().message;
  };
  EXPECT_EQ(message("a: 1\n---\nb: 2\n"), "f:3: a second document begins; one is valid");
  EXPECT_EQ(message("a: 1\nb: {c: 1, c: 2}\n"), "f:2: b.c: the key is given twice");
  EXPECT_THAT(message("a: [1\nb: 2\n"), HasSubstr("f:"));
  EXPECT_EQ(message("a: \"\xff\"\n"), "f: is not UTF-8 text");
  EXPECT_THAT(message(std::string(5000, '[')), HasSubstr("f:1: "));
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("a{0}: &a{0} [", i);
    for (int k = 0; k < 10; ++k) bomb += fmt::format("*a{},", i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(message(bomb), HasSubstr("more than 16000000 values"));
}

TEST(Yaml, ErrorsHaveTheLineOfTheField) {
  const auto document = read_yaml("version: 1\nresources:\n  - type: node\n    count: -1\n", "f");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->locate(failure(ErrorCode::invalid, "resources[0].count: bad")).message,
            "f:4: resources[0].count: bad");
  EXPECT_EQ(document->locate(failure(ErrorCode::invalid, "resources[0].with: bad")).message,
            "f:3: resources[0].with: bad");
  EXPECT_EQ(document->locate(failure(ErrorCode::invalid, "no path")).message, "f:1: no path");
}

}  // namespace
}  // namespace tenure::jobspec
