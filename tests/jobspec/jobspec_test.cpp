#include "jobspec/jobspec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace tenure::jobspec {
namespace {

namespace json = boost::json;
using ::testing::StartsWith;

constexpr std::string_view kTasks =
    R"([{"command": ["app"], "slot": "default", "count": {"per_slot": 1}}])";

/// A jobspec from its resources; the slot's label is "default".
json::value with_resources(std::string_view resources) {
  json::object jobspec;
  jobspec["version"] = 1;
  jobspec["resources"] = json::parse(resources);
  jobspec["tasks"] = json::parse(kTasks);
  jobspec["attributes"] = json::parse(R"({"system": {"duration": 3600.0, "cwd": "/home/flux",
      "environment": {"HOME": "/home/flux"}}})");
  return jobspec;
}

json::value example() {
  return with_resources(R"([{"type": "node", "count": 4, "with": [
      {"type": "slot", "count": 1, "label": "default", "with": [
          {"type": "core", "count": 2}]}]}])");
}

json::value with_attributes(std::string_view attributes) {
  json::value jobspec = example();
  jobspec.as_object()["attributes"] = json::parse(attributes);
  return jobspec;
}

json::value with_system(std::string_view system) {
  return with_attributes(R"({"system": )" + std::string(system) + "}");
}

json::value with_count(std::string_view count) {
  return with_resources(R"([{"type": "slot", "label": "default", "count": 1, "with": [
      {"type": "core", "count": )" +
                        std::string(count) + "}]}]");
}

json::value with_tasks(std::string_view tasks) {
  json::value jobspec = example();
  jobspec.as_object()["tasks"] = json::parse(tasks);
  return jobspec;
}

std::string error_of(const json::value& value) {
  const auto jobspec = parse(value);
  return jobspec ? "no error" : jobspec.error().message;
}

Resource leaf(std::string type, std::uint64_t count) {
  return Resource{std::move(type), count, false, "", {}};
}

Resource slot(std::uint64_t count, std::vector<Resource> with) {
  return Resource{"slot", count, false, "default", std::move(with)};
}

Resource node(std::uint64_t count, Resource inside) {
  return Resource{"node", count, false, "", {std::move(inside)}};
}

TEST(Jobspec, ReadsTheExampleOfTheRfc) {
  const auto jobspec = parse(example());
  ASSERT_TRUE(jobspec) << jobspec.error().message;
  ASSERT_EQ(jobspec->resources.size(), 1U);
  EXPECT_EQ(jobspec->resources[0], node(4, slot(1, {leaf("core", 2)})));
  EXPECT_EQ(jobspec->duration, Duration::seconds(3600));
  EXPECT_TRUE(jobspec->constraint.always());
  EXPECT_EQ(jobspec->queue, "");
  EXPECT_EQ(jobspec->reservation, "");
}

TEST(Jobspec, ReadsTheUseCasesOfTheRfc) {
  const auto resources = [](std::string_view text) {
    const auto jobspec = parse(with_resources(text));
    return jobspec ? jobspec->resources.front() : leaf(jobspec.error().message, 0);
  };
  // 1.1
  EXPECT_EQ(resources(R"([{"type": "node", "count": 4, "with": [{"type": "slot", "count": 1,
      "label": "default", "with": [{"type": "core", "count": 1}]}]}])"),
            node(4, slot(1, {leaf("core", 1)})));
  // 2.2
  EXPECT_EQ(resources(R"([{"type": "slot", "label": "default", "count": 10, "with": [
      {"type": "core", "count": 2}]}])"),
            slot(10, {leaf("core", 2)}));
  // 2.3
  EXPECT_EQ(resources(R"([{"type": "slot", "count": 10, "label": "default", "with": [
      {"type": "core", "count": 2}, {"type": "gpu", "count": 1}]}])"),
            slot(10, {leaf("core", 2), leaf("gpu", 1)}));
  // 2.4, with the gpu first
  EXPECT_EQ(resources(R"([{"type": "node", "count": 4, "with": [{"type": "slot", "count": 4,
      "label": "default",
      "with": [{"type": "gpu", "count": 1}, {"type": "core", "count": 1}]}]}])"),
            node(4, slot(4, {leaf("gpu", 1), leaf("core", 1)})));
}

TEST(Jobspec, UseCaseWithMoreTasksThanSlotsIsAccepted) {  // use case 2.1: 5 tasks, 4 slots
  EXPECT_EQ(error_of(with_tasks(
                R"([{"command": ["hostname"], "slot": "default", "count": {"total": 5}}])")),
            "no error");
}

TEST(Jobspec, ExclusiveMayStandOnNodeOrSlot) {
  const auto on_node = parse(with_resources(R"([{"type": "node", "count": 1, "exclusive": true,
      "unit": "x", "with": [{"type": "slot", "count": 1, "label": "default", "with": [
          {"type": "core", "count": 1, "unit": "y"}]}]}])"));
  ASSERT_TRUE(on_node) << on_node.error().message;
  EXPECT_TRUE(on_node->resources[0].exclusive);
  EXPECT_FALSE(on_node->resources[0].with[0].exclusive);
  const auto on_slot = parse(with_resources(R"([{"type": "slot", "count": 1, "label": "default",
      "exclusive": true, "with": [{"type": "core", "count": 1}]}])"));
  ASSERT_TRUE(on_slot) << on_slot.error().message;
  EXPECT_TRUE(on_slot->resources[0].exclusive);
}

TEST(Jobspec, CountsGoUpTo63Bits) {  // S3
  for (const auto& [text, count] : {std::pair<const char*, std::uint64_t>{"1", 1},
                                    {"4294967296", 4294967296},
                                    {"9223372036854775807", kMaxCount}}) {
    const auto jobspec = parse(with_count(text));
    ASSERT_TRUE(jobspec) << jobspec.error().message;
    EXPECT_EQ(jobspec->resources[0].with[0].count, count);
  }
  for (const char* text :
       {"0", "-1", "9223372036854775808", "18446744073709551615", "1.5", "2.0", "\"2\"", "null",
        "{\"min\": 1}", "[1]", "true", "-9223372036854775808"}) {
    EXPECT_THAT(error_of(with_count(text)), StartsWith("resources[0].with[0].count: ")) << text;
  }
  EXPECT_EQ(error_of(with_count("9223372036854775808")),
            "resources[0].with[0].count: 9223372036854775808 is not an integer from 1 to "
            "9223372036854775807");
  EXPECT_EQ(error_of(with_count("-1")),
            "resources[0].with[0].count: -1 is not an integer from 1 to 9223372036854775807");
  // beyond 64 bits
  EXPECT_THAT(error_of(with_count("99999999999999999999999")),
              StartsWith("resources[0].with[0].count: "));
}

TEST(Jobspec, DurationsAreNeverRoundedDown) {  // T1
  const auto duration = [](std::string_view text) {
    const auto jobspec = parse(with_system(R"({"duration": )" + std::string(text) + "}"));
    return jobspec ? jobspec->duration : Duration::microseconds(-1);
  };
  EXPECT_EQ(duration("0.1"), Duration::microseconds(100'000));
  EXPECT_EQ(duration("1.0"), Duration::seconds(1));
  EXPECT_EQ(duration("1.9"), Duration::microseconds(1'900'000));
  EXPECT_EQ(duration("1e-9"), Duration::microseconds(1));
  EXPECT_GE(duration("59.999"), Duration::microseconds(59'999'000));
  EXPECT_LE(duration("59.999"), Duration::microseconds(59'999'001));
  EXPECT_EQ(duration("60"), Duration::seconds(60));
  EXPECT_TRUE(duration("1e300").is_infinite());
}

TEST(Jobspec, DurationOfZeroOrNoneIsUnlimited) {
  for (const auto* attributes :
       {R"({"system": {"duration": 0}})", R"({"system": {"duration": 0.0}})",
        R"({"system": {"duration": -0.0}})", R"({"system": {}})", "{}", "null"}) {
    const auto jobspec = parse(with_attributes(attributes));
    ASSERT_TRUE(jobspec) << attributes << ": " << jobspec.error().message;
    EXPECT_TRUE(jobspec->is_unlimited()) << attributes;
  }
}

TEST(Jobspec, DurationsThatAreNoneAreRefused) {
  for (const auto* text : {"-1", "-0.5", "\"60\"", "null", "[]", "-1e300"}) {
    EXPECT_THAT(error_of(with_system(R"({"duration": )" + std::string(text) + "}")),
                StartsWith("attributes.system.duration: "))
        << text;
  }
  for (const double number :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    json::value jobspec = example();
    jobspec.at("attributes").at("system").as_object()["duration"] = number;
    EXPECT_THAT(error_of(jobspec), StartsWith("attributes.system.duration: "));
  }
}

TEST(Jobspec, ReadsQueueReservationAndConstraints) {
  const auto jobspec = parse(with_system(R"({"duration": 1, "queue": "batch",
      "reservation": "pm", "constraints": {"properties": ["ssd"]}, "bank": 7, "job": {"name": "x"},
      "shell": {"options": {}}, "preemptible-after": 0, "dependencies": []})"));
  ASSERT_TRUE(jobspec) << jobspec.error().message;
  EXPECT_EQ(jobspec->queue, "batch");
  EXPECT_EQ(jobspec->reservation, "pm");
  EXPECT_EQ(jobspec->constraint.to_string(), R"({"properties":["ssd"]})");
}

TEST(Jobspec, AttributeErrorsNameThePath) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "attributes: an array of 0 is not an object"},
      {R"({"sys": {}})", "attributes.sys: is not a known key (system, user)"},
      {R"({"user": 1})", "attributes.user: 1 is not an object"},
      {R"({"system": null})", "attributes.system: null is not an object"},
      {R"({"system": {"queue": 1}})", "attributes.system.queue: 1 is not a string"},
      {R"({"system": {"reservation": []}})",
       "attributes.system.reservation: an array of 0 is not a string"},
      {R"({"system": {"cwd": {}}})", "attributes.system.cwd: an object is not a string"},
      {R"({"system": {"environment": "A=1"}})",
       "attributes.system.environment: 'A=1' is not an object"},
      {R"({"system": {"dependencies": {}}})",
       "attributes.system.dependencies: an object is not an array"},
      {R"({"system": {"preemptible-after": -1}})",
       "attributes.system.preemptible-after: -1 is not a number of seconds >= 0"},
      {R"({"system": {"constraints": {"propertys": []}}})",
       "attributes.system.constraints: constraint: 'propertys' is not an operator"},
      {R"({"system": {"constraints": null}})",
       "attributes.system.constraints: null is not a constraint object"},
  };
  for (const auto& [attributes, text] : cases) {
    EXPECT_THAT(error_of(with_attributes(attributes)), StartsWith(text)) << attributes;
  }
}

TEST(Jobspec, ResourceErrorsNameThePath) {
  const std::pair<const char*, const char*> cases[] = {
      {"{}", "resources: an object is not an array of 1"},
      {"[]", "resources: an array of 0 is not an array of 1"},
      {R"([{"type": "slot"}, {"type": "slot"}])", "resources: an array of 2 is not an array of 1"},
      {"[7]", "resources[0]: 7 is not a resource object"},
      {"[{}]", "resources[0].type: is missing"},
      {R"([{"type": 1}])", "resources[0].type: 1 is not a string"},
      {R"([{"type": "rack", "count": 1}])", "resources[0].type: 'rack' is not 'node' or 'slot'"},
      {R"([{"type": "core", "count": 1}])", "resources[0].type: 'core' is not 'node' or 'slot'"},
      {R"([{"type": "node"}])", "resources[0].count: is missing"},
      {R"([{"type": "node", "count": 1}])", "resources[0].with: is missing"},
      {R"([{"type": "node", "count": 1, "colour": 1}])",
       "resources[0].colour: is not a known key (type, count, unit, with, label, exclusive)"},
      {R"([{"type": "node", "count": 1, "unit": 1}])", "resources[0].unit: 1 is not a string"},
      {R"([{"type": "node", "count": 1, "exclusive": 1}])",
       "resources[0].exclusive: 1 is not true or false"},
      {R"([{"type": "node", "count": 1, "with": []}])",
       "resources[0].with: an array of 0 is not an array of 1"},
      {R"([{"type": "node", "count": 1, "with": [{"type": "core", "count": 1}]}])",
       "resources[0].with[0].type: 'core' is not 'slot'"},
      {R"([{"type": "slot", "count": 1}])", "resources[0].label: is missing"},
      {R"([{"type": "slot", "count": 1, "label": 1}])", "resources[0].label: 1 is not a string"},
      {R"([{"type": "slot", "count": 1, "label": "default", "with": [1, 2, 3]}])",
       "resources[0].with: an array of 3 is not an array of 1 to 2"},
      {R"([{"type": "slot", "count": 1, "label": "default", "with": [
          {"type": "gpu", "count": 1}]}])",
       "resources[0].with: has no 'core'"},
      {R"([{"type": "slot", "count": 1, "label": "default", "with": [
          {"type": "core", "count": 1}, {"type": "core", "count": 1}]}])",
       "resources[0].with: has 'core' twice"},
      {R"([{"type": "slot", "count": 1, "label": "default", "with": [
          {"type": "socket", "count": 1}]}])",
       "resources[0].with[0].type: 'socket' is not 'core' or 'gpu'"},
      {R"([{"type": "slot", "count": 1, "label": "default", "with": [
          {"type": "core", "count": 1, "with": []}]}])",
       "resources[0].with[0].with: is not a known key (type, count, unit, label)"},
      {R"([{"type": "slot", "count": 1, "label": "default", "with": [
          {"type": "core", "count": 1, "exclusive": true}]}])",
       "resources[0].with[0].exclusive: is not a known key"},
      {R"([{"type": "node", "count": 1, "label": "default", "with": [
          {"type": "slot", "count": 1, "label": "default", "with": [
              {"type": "core", "count": 1}]}]}])",
       "resources[0].with[0].label: 'default' is given twice"},
  };
  for (const auto& [resources, text] : cases) {
    EXPECT_THAT(error_of(with_resources(resources)), StartsWith(text)) << resources;
  }
}

TEST(Jobspec, TaskErrorsNameThePath) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "tasks: an array of 0 is not an array of 1"},
      {"[1]", "tasks[0]: 1 is not an object"},
      {"[{}]", "tasks[0].command: is missing"},
      {R"([{"command": []}])", "tasks[0].command: an array of 0 is not an array of one or more"},
      {R"([{"command": ["a", 1]}])", "tasks[0].command[1]: 1 is not a string"},
      {R"([{"command": 1}])", "tasks[0].command: 1 is not an array"},
      {R"([{"command": ["a"]}])", "tasks[0].slot: is missing"},
      {R"([{"command": ["a"], "slot": "other"}])",
       "tasks[0].slot: 'other' is not the label of the slot, 'default'"},
      {R"([{"command": ["a"], "slot": "default"}])", "tasks[0].count: is missing"},
      {R"([{"command": ["a"], "slot": "default", "count": 1}])",
       "tasks[0].count: 1 is not an object"},
      {R"([{"command": ["a"], "slot": "default", "count": {}}])",
       "tasks[0].count: must have one of per_slot and total"},
      {R"([{"command": ["a"], "slot": "default", "count": {"per_slot": 1, "total": 1}}])",
       "tasks[0].count: must have one of per_slot and total"},
      {R"([{"command": ["a"], "slot": "default", "count": {"per_slot": 2}}])",
       "tasks[0].count.per_slot: 2 is not 1"},
      {R"([{"command": ["a"], "slot": "default", "count": {"total": 0}}])",
       "tasks[0].count.total: 0 is not an integer from 1"},
      {R"([{"command": ["a"], "slot": "default", "count": {"per_resource": {}}}])",
       "tasks[0].count.per_resource: is not a known key (per_slot, total)"},
      {R"([{"command": ["a"], "slot": "default", "count": {"total": 1}, "distribution": ""}])",
       "tasks[0].distribution: is not a known key (command, slot, count)"},
  };
  for (const auto& [tasks, text] : cases) {
    EXPECT_THAT(error_of(with_tasks(tasks)), StartsWith(text)) << tasks;
  }
  EXPECT_EQ(
      error_of(with_tasks(R"([{"command": "a b", "slot": "default", "count": {"per_slot": 1}}])")),
      "no error");
}

TEST(Jobspec, OuterErrorsNameTheKey) {
  EXPECT_EQ(error_of(json::parse("[]")), "jobspec: an array of 0 is not an object");
  for (const char* key : {"version", "resources", "tasks", "attributes"}) {
    json::value jobspec = example();
    jobspec.as_object().erase(key);
    EXPECT_EQ(error_of(jobspec), std::string(key) + ": is missing");
  }
  json::value jobspec = example();
  jobspec.as_object()["version"] = 9999;
  EXPECT_EQ(error_of(jobspec), "version: 9999 is not 1");
  jobspec = example();
  jobspec.as_object()["walltime"] = 1;
  EXPECT_EQ(error_of(jobspec),
            "walltime: is not a known key (version, resources, tasks, attributes)");
}

TEST(Jobspec, HostileKeysAndValuesGiveShortTexts) {
  json::value jobspec = example();
  jobspec.as_object()[std::string(1'000'000, 'k')] = 1;
  EXPECT_LT(error_of(jobspec).size(), 200U);
  EXPECT_LT(error_of(with_count("\"" + std::string(1'000'000, 'x') + "\"")).size(), 240U);
  jobspec = example();
  jobspec.as_object()["a\nb"] = 1;
  EXPECT_EQ(error_of(jobspec).find('\n'), std::string::npos);
}

TEST(Write, WholeNodesAreAnExclusiveNodeRequest) {
  EXPECT_EQ(write(Shorthand{.nodes = 4, .slots = 8, .cores_per_slot = 2, .exclusive = true})
                .at("resources"),
            json::parse(R"([{"type": "node", "count": 4, "exclusive": true, "with": [
                {"type": "slot", "count": 2, "label": "task", "with": [
                    {"type": "core", "count": 2}]}]}])"));
}

TEST(Write, SlotsAnywhereAreASlotRequest) {
  const json::object jobspec = write(Shorthand{.slots = 3,
                                               .gpus_per_slot = 2,
                                               .duration = Duration::seconds(90),
                                               .queue = "q",
                                               .reservation = "pm",
                                               .constraint = json::parse(R"({"ranks": ["1"]})")});
  EXPECT_EQ(jobspec.at("resources"), json::parse(R"([{"type": "slot", "count": 3,
      "label": "task", "with": [{"type": "core", "count": 1}, {"type": "gpu", "count": 2}]}])"));
  EXPECT_EQ(jobspec.at("attributes"), json::parse(R"({"system": {"duration": 90, "queue": "q",
      "reservation": "pm", "constraints": {"ranks": ["1"]}}})"));
}

TEST(Write, CountsOfZeroAreRefusedByTheReader) {
  EXPECT_THAT(error_of(write(Shorthand{.cores_per_slot = 0})),
              StartsWith("resources[0].with[0].count: 0 is not an integer"));
}

RC_GTEST_PROP(WriteProperty, WhatIsWrittenIsReadBack, ()) {
  Shorthand request;
  request.nodes = *rc::gen::inRange<std::uint64_t>(0, 5);
  request.slots =
      *rc::gen::inRange<std::uint64_t>(1, 5) * std::max<std::uint64_t>(request.nodes, 1);
  request.cores_per_slot = *rc::gen::inRange<std::uint64_t>(1, 100);
  request.gpus_per_slot = *rc::gen::inRange<std::uint64_t>(0, 3);
  request.exclusive = request.nodes > 0 && *rc::gen::arbitrary<bool>();
  const auto seconds = *rc::gen::inRange<std::int64_t>(0, 100'000'000);
  if (seconds > 0) request.duration = Duration::seconds(seconds);
  request.queue = *rc::gen::element<std::string>("", "batch");

  const auto jobspec = parse(json::parse(json::serialize(write(request))));
  RC_ASSERT(jobspec.has_value());
  RC_ASSERT(jobspec->duration == request.duration);
  RC_ASSERT(jobspec->queue == request.queue);
  const Resource& root = jobspec->resources.front();
  RC_ASSERT(root.exclusive == request.exclusive);
  RC_ASSERT(root.type == (request.nodes > 0 ? "node" : "slot"));
  const Resource& slots = request.nodes > 0 ? root.with.front() : root;
  const std::uint64_t nodes = request.nodes > 0 ? root.count : 1;
  RC_ASSERT(nodes * slots.count == request.slots);
  RC_ASSERT(slots.with[0] == leaf("core", request.cores_per_slot));
  RC_ASSERT(slots.with.size() == (request.gpus_per_slot > 0 ? 2U : 1U));
}

RC_GTEST_PROP(WriteProperty, DamagedJobspecsGiveAnErrorOrAJobspecNothingElse, ()) {
  std::string text = json::serialize(
      write(Shorthand{.nodes = 2,
                      .slots = 2,
                      .gpus_per_slot = 1,
                      .duration = Duration::seconds(60),
                      .constraint = json::parse(R"({"and": [{"ranks": ["0-3"]}, {"not": [
                          {"properties": ["a"]}]}, {"hostlist": ["h[1-2]"]}]})")}));
  const int edits = *rc::gen::inRange(1, 4);
  for (int i = 0; i < edits; ++i) {
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, text.size());
    text[at] = *rc::gen::element('"', '0', '9', '-', ',', '[', ']', '{', '}', 'x', ':', '.');
  }
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error) return;
  const auto jobspec = parse(value);
  RC_ASSERT(jobspec.has_value() || !jobspec.error().message.empty());
}

}  // namespace
}  // namespace tenure::jobspec
