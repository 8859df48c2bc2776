#include "sched/codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace tenure::sched {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

Time at(double seconds) { return *Time::from_seconds(seconds); }
Idset ids(std::string_view text) { return *Idset::parse(text); }

const char* const kInventory = R"({
  "version": 1,
  "execution": {
    "R_lite": [{"rank": "0-5", "children": {"core": "0-5", "gpu": "0"}}],
    "starttime": 0, "expiration": 0, "nodelist": ["host[0-5]"]}})";

graph::ResourceGraph machine() {
  return std::move(graph::read_inventory(json::parse(kInventory))->graph);
}

/// Decodes text and expects an error that has each part.
template <class Decode>
void refused(Decode&& decode, std::string_view text, std::initializer_list<std::string_view> parts,
             ErrorCode code = ErrorCode::invalid) {
  const json::value payload = json::parse(text);
  const auto result = decode(payload);
  ASSERT_FALSE(result.has_value()) << text;
  EXPECT_EQ(result.error().code, code);
  for (const auto part : parts) EXPECT_THAT(result.error().message, HasSubstr(std::string(part)));
}

// ---- the examples of RFC 27 ----------------------------------------------------------------

TEST(Codec, ReadsTheHelloExampleOfRfc27) {
  const auto payload = json::parse(R"({"id": 1552593348, "priority": 43444, "userid": 5588,
    "t_submit": 1552593348.073045, "free": "1-16,18"})");
  const auto r = json::parse(R"({"version": 1, "execution": {
    "R_lite": [{"rank": "0-1", "children": {"core": "0-5", "gpu": "0"}}],
    "starttime": 100, "expiration": 200, "nodelist": ["host[0-1]"]}})");
  const auto hello = decode_hello(payload, r, Duration::seconds(100), machine());
  ASSERT_TRUE(hello) << hello.error().message;
  EXPECT_EQ(hello->id, JobId(1552593348));
  EXPECT_EQ(hello->priority, Priority(43444));
  EXPECT_EQ(hello->user, UserId(5588));
  EXPECT_EQ(hello->submit, Time::microseconds(1552593348073045));
  EXPECT_EQ(hello->freed, ids("1-16,18"));
  EXPECT_EQ(hello->allocation.resources.node_count(), 2u);
  EXPECT_EQ(hello->allocation.times.expiration, at(200));
  EXPECT_EQ(hello->duration, Duration::seconds(100));
}

TEST(Codec, ReadsTheAllocExampleOfRfc27WhichHasNoSubmitTime) {
  const auto payload = json::parse(R"({"id": 1552593348, "priority": 53444, "userid": 5588,
    "jobspec": {"resources": [{"type": "slot", "count": 1, "label": "task",
        "with": [{"type": "core", "count": 1}]}],
      "tasks": [{"command": ["/bin//true"], "slot": "task", "count": {"per_slot": 1}}],
      "attributes": {"system": {"duration": 0, "cwd": "/home/user/project"}}, "version": 1}})");
  const auto alloc = decode_alloc(payload);
  ASSERT_TRUE(alloc) << alloc.error().message;
  EXPECT_EQ(alloc->id, JobId(1552593348));
  EXPECT_EQ(alloc->priority, Priority(53444));
  EXPECT_EQ(alloc->user, UserId(5588));
  EXPECT_EQ(alloc->submit, Time());
  const auto jobspec = jobspec::parse(*alloc->jobspec);
  ASSERT_TRUE(jobspec) << jobspec.error().message;
  EXPECT_TRUE(jobspec->is_unlimited());
}

TEST(Codec, WritesTheAnswersOfRfc27) {
  AllocSuccess success;
  success.start.id = JobId(1552593348);
  success.annotations.resource_summary = "rank[0-1]/core0";
  EXPECT_EQ(json::value(encode_success(success)), json::parse(R"({"id": 1552593348, "type": 0,
    "annotations": {"sched": {"resource_summary": "rank[0-1]/core0"}}})"));
  Annotations annotations;
  annotations.t_estimate = at(593016000.0);
  annotations.reason_pending = "requested GPUs are unavailable";
  EXPECT_EQ(json::value(encode_annotate(JobId(1552593348), annotations)),
            json::parse(R"({"id": 1552593348, "type": 1, "annotations": {"sched": {
    "t_estimate": 593016000, "reason_pending": "requested GPUs are unavailable"}}})"));
  EXPECT_EQ(json::value(encode_deny(JobId(1552593348), "more nodes requested than configured")),
            json::parse(R"({"id": 1552593348, "type": 2,
    "note": "more nodes requested than configured"})"));
  EXPECT_EQ(json::value(encode_cancel(JobId(1552593348))),
            json::parse(R"({"id": 1552593348, "type": 3})"));
}

TEST(Codec, ASuccessWithoutAnnotationsHasNoSuchKey) {
  AllocSuccess success;
  success.start.id = JobId(1);
  EXPECT_FALSE(encode_success(success).contains("annotations"));
}

TEST(Codec, RemovedAnnotationsAreNulls) {
  Annotations annotations;
  annotations.t_estimate.emplace(std::nullopt);
  annotations.selection_type.emplace(std::nullopt);
  EXPECT_EQ(json::serialize(encode(annotations)),
            R"({"sched":{"t_estimate":null,"selection_type":null}})");
}

TEST(Codec, ReadsTheCancelExampleOfRfc27) {
  EXPECT_EQ(*decode_cancel(json::parse(R"({"id": 1552593348})")), JobId(1552593348));
}

TEST(Codec, ReadsThePrioritizeExampleOfRfc27) {
  const auto request = decode_prioritize(json::parse(R"({"jobs": [[49056579584, 444],
    [57428410368, 298], [63988301824, 343205], [69675778048, 99]]})"));
  ASSERT_TRUE(request) << request.error().message;
  ASSERT_EQ(request->jobs.size(), 4u);
  EXPECT_EQ(request->jobs[2], std::pair(JobId(63988301824), Priority(343205)));
}

TEST(Codec, ReadsTheFreeExampleOfRfc27) {
  const auto request = decode_free(json::parse(R"({"id": 1552593348, "R": {"version": 1,
    "execution": {"R_lite": [{"rank": "0", "children": {"core": "0-3"}}], "nodelist": ["test0"],
      "starttime": 1710076092, "expiration": 1710076122}}, "final": true})"));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->id, JobId(1552593348));
  EXPECT_EQ(request->ranks, ids("0"));
  EXPECT_EQ(request->kind, plan::Engine::Release::final);
}

// ---- the examples of RFC 28 ----------------------------------------------------------------

TEST(Codec, ReadsTheInitialAcquireExampleOfRfc28) {
  json::object payload{{"resources", json::parse(kInventory)}, {"up", "0-2"}};
  const auto acquired = decode_acquire_initial(payload);
  ASSERT_TRUE(acquired) << acquired.error().message;
  EXPECT_EQ(acquired->inventory.graph.node_count(), 6u);
  EXPECT_TRUE(acquired->inventory.times.expiration.is_never());
  EXPECT_EQ(acquired->up, ids("0-2"));
}

TEST(Codec, UpMayBeAbsentOrNullOrEmpty) {  // R1
  for (const json::value& up : {json::value(""), json::value(nullptr)}) {
    const auto acquired =
        decode_acquire_initial(json::object{{"resources", json::parse(kInventory)}, {"up", up}});
    ASSERT_TRUE(acquired);
    EXPECT_TRUE(acquired->up.empty());
  }
  ASSERT_TRUE(decode_acquire_initial(json::object{{"resources", json::parse(kInventory)}}));
}

TEST(Codec, ReadsTheUpdateExampleOfRfc28) {
  const auto update = decode_acquire_update(json::parse(R"({"up": "3-6", "down": "2,6",
    "shrink": "6", "property-add": {"foo": "0-1"}, "property-remove": {"bar": "3"}})"));
  ASSERT_TRUE(update) << update.error().message;
  EXPECT_EQ(update->up, ids("3-6"));
  EXPECT_EQ(update->down, ids("2,6"));
  EXPECT_EQ(update->shrink, ids("6"));
  EXPECT_EQ(update->property_add, (std::map<std::string, Idset>{{"foo", ids("0-1")}}));
  EXPECT_EQ(update->property_remove, (std::map<std::string, Idset>{{"bar", ids("3")}}));
  EXPECT_FALSE(update->expiration.has_value());
}

TEST(Codec, UnknownKeysAreIgnored) {  // the RFC's own example has "shink"
  const auto update = decode_acquire_update(json::parse(R"({"down": "2,6", "shink": "6"})"));
  ASSERT_TRUE(update);
  EXPECT_TRUE(update->shrink.empty());
}

TEST(Codec, InstanceExpirationMayBeFractionalOrNone) {
  EXPECT_EQ(decode_acquire_update(json::parse(R"({"expiration": 360.5})"))->expiration, at(360.5));
  EXPECT_EQ(decode_acquire_update(json::parse(R"({"expiration": 0})"))->expiration, Time::never());
}

// ---- values --------------------------------------------------------------------------------

TEST(Codec, LargeIdsSurviveExactly) {  // S3
  for (const std::uint64_t id : {9007199254740993ULL, 9223372036854775807ULL}) {
    const json::value payload = json::parse(fmt::format(R"({{"id": {}}})", id));
    EXPECT_EQ(decode_cancel(payload)->value(), id);
    PrioritizeRequest request{{{JobId(id), Priority(4294967295)}}};
    const json::value sent = json::parse(json::serialize(encode(request)));
    EXPECT_EQ(decode_prioritize(sent)->jobs, request.jobs);
  }
}

TEST(Codec, IdsOutOfRangeAreRefusedWithTheRange) {
  refused(decode_cancel, R"({"id": -1})", {"id", "-1", "9223372036854775807"});
  refused(decode_cancel, R"({"id": 9223372036854775808})", {"9223372036854775808"});
  refused(decode_cancel, R"({"id": 1.0})", {"id", "integer"});
  refused(decode_cancel, R"({"id": "1"})", {"'1'"});
  refused(decode_cancel, R"({})", {"id", "missing"});
  refused(decode_cancel, R"([1])", {"payload", "object"});
}

TEST(Codec, AllocFieldsAreChecked) {
  refused(decode_alloc, R"({"id":1,"priority":4294967296,"userid":1,"jobspec":{}})",
          {"priority", "4294967295"});
  refused(decode_alloc, R"({"id":1,"priority":1,"userid":-1,"jobspec":{}})", {"userid", "-1"});
  refused(decode_alloc, R"({"id":1,"priority":1,"userid":1})", {"jobspec", "missing"});
  refused(decode_alloc, R"({"id":1,"priority":1,"userid":1,"t_submit":-3,"jobspec":{}})",
          {"t_submit", "-3"});
}

TEST(Codec, ExpirationTakesIntegersRealsAndZero) {
  const auto read = [](std::string_view number) {
    return decode_expiration(json::parse(fmt::format(R"({{"id": 1, "expiration": {}}})", number)))
        ->expiration;
  };
  EXPECT_EQ(read("1000"), at(1000));
  EXPECT_EQ(read("99.25"), at(99.25));
  EXPECT_EQ(read("0"), Time::never());
  EXPECT_EQ(read("0.0"), Time::never());
  EXPECT_EQ(read("-0.0"), Time::never());
  EXPECT_FALSE(read("1e-9").is_never());
}

TEST(Codec, AnExpirationBeyondAllTimesIsNotTakenForUnset) {  // E4
  for (const char* huge : {"1e18", "1e300", "9223372036854775807", "18446744073709551615"}) {
    const auto request =
        decode_expiration(json::parse(fmt::format(R"({{"id": 1, "expiration": {}}})", huge)));
    ASSERT_TRUE(request) << huge;
    EXPECT_FALSE(request->expiration.is_never()) << huge;
    EXPECT_GT(request->expiration, Time::seconds(1'000'000'000'000)) << huge;
  }
}

TEST(Codec, ExpirationRefusesWhatIsNoTimeWithTheValue) {  // E4
  refused(decode_expiration, R"({"id": 1, "expiration": -1})", {"expiration", "-1"});
  refused(decode_expiration, R"({"id": 1, "expiration": -0.5})", {"-0.5"});
  refused(decode_expiration, R"({"id": 1, "expiration": "soon"})", {"'soon'"});
  refused(decode_expiration, R"({"id": 1, "expiration": null})", {"null"});
  refused(decode_expiration, R"({"id": 1})", {"expiration", "missing"});
  for (const double bad :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    const auto result = decode_expiration(json::object{{"id", 1}, {"expiration", bad}});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::invalid);
  }
}

TEST(Codec, AFreeJoinsTheRanksOfAllEntries) {
  const auto request = decode_free(json::parse(R"({"id": 1, "R": {"version": 1, "execution": {
    "R_lite": [{"rank": "0-1"}, {"rank": "4"}]}}})"));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->ranks, ids("0-1,4"));
  EXPECT_EQ(request->kind, plan::Engine::Release::partial);
}

TEST(Codec, OnlyAFinalFreeMayLackR) {
  for (const char* r : {"", R"(, "R": null)", R"(, "R": {"version": 1})", R"(, "R": 7)"}) {
    const auto request =
        decode_free(json::parse(fmt::format(R"({{"id": 1, "final": true{}}})", r)));
    ASSERT_TRUE(request) << r;
    EXPECT_EQ(request->kind, plan::Engine::Release::final);
    EXPECT_TRUE(request->ranks.empty());
  }
  refused(decode_free, R"({"id": 1})", {"R", "missing"});
  refused(decode_free, R"({"id": 1, "final": 1})", {"final", "1"});
  refused(decode_free, R"({"id": 1, "R": {"version": 1}})", {"R.execution", "missing"});
  refused(decode_free, R"({"id": 1, "R": {"execution": {"R_lite": [{"rank": "2-1"}]}}})",
          {"R.execution.R_lite[0].rank"});
}

TEST(Codec, PrioritizeNamesTheBadEntry) {
  refused(decode_prioritize, R"({"jobs": [[1, 2], [3]]})", {"jobs[1]"});
  refused(decode_prioritize, R"({"jobs": [[1, -2]]})", {"jobs[0][1]", "-2"});
  refused(decode_prioritize, R"({"jobs": {}})", {"jobs"});
}

TEST(Codec, UpdatesAreChecked) {
  refused(decode_acquire_update, R"({"up": "3-1"})", {"up"});
  refused(decode_acquire_update, R"({"down": 3})", {"down", "3"});
  refused(decode_acquire_update, R"({"property-add": {"a|b": "0"}})", {"property-add", "a|b"});
  refused(decode_acquire_update, R"({"property-remove": {"a": "x"}})", {"property-remove.a"});
  refused(decode_acquire_update, R"({"expiration": -5})", {"expiration", "-5"});
}

TEST(Codec, HelloNamesWhatIsWrongWithR) {
  const auto payload = json::parse(R"({"id": 1, "priority": 1, "userid": 1, "t_submit": 1})");
  const auto hello = decode_hello(payload, json::object{}, std::nullopt, machine());
  ASSERT_FALSE(hello);
  EXPECT_THAT(hello.error().message, HasSubstr("R"));
}

TEST(Codec, AnRCarriesTimesSlotsAndScheduling) {
  const graph::ResourceGraph graph = machine();
  AllocSuccess success;
  success.start.placement.resources = graph.whole_nodes(graph.nodes_with_ranks(ids("1-2")));
  success.start.placement.span = Span{at(1000), Time::never()};
  success.start.nslots = 2;
  const json::value scheduling = json::parse(R"({"graph": {}})");
  const json::value r = encode_r(success, graph, &scheduling);
  EXPECT_EQ(r.at("execution").at("starttime").to_number<double>(), 1000);
  EXPECT_EQ(r.at("execution").at("expiration").to_number<double>(), 0);
  EXPECT_EQ(r.at("execution").at("nslots").to_number<int>(), 2);
  EXPECT_EQ(r.at("scheduling"), scheduling);
  EXPECT_EQ(graph::read_allocation(r, graph)->resources, success.start.placement.resources);
  EXPECT_FALSE(encode_r(success, graph, nullptr).contains("scheduling"));
}

RC_GTEST_PROP(CodecProperty, WhatThePeersSendComesBack, ()) {
  const auto id = JobId(*rc::gen::inRange<std::uint64_t>(0, kMaxJobId));
  const auto carry = [](const json::object& o) { return json::parse(json::serialize(o)); };
  const auto some_ids = [] {
    return Idset::of(
        *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1000)));
  };
  const auto time = [] {
    return Time::microseconds(*rc::gen::inRange<std::int64_t>(1, 4'000'000'000'000'000));
  };
  const AllocRequest alloc{id, Priority(*rc::gen::arbitrary<std::uint32_t>()),
                           UserId(*rc::gen::arbitrary<std::uint32_t>()), time(), nullptr};
  const json::value alloc_payload = carry(encode(alloc, json::object{}));
  const auto alloc_again = decode_alloc(alloc_payload);
  RC_ASSERT(alloc_again.has_value());
  RC_ASSERT(alloc_again->id == id && alloc_again->priority == alloc.priority);
  RC_ASSERT(alloc_again->user == alloc.user && alloc_again->submit == alloc.submit);

  const ExpirationRequest expiration{id, *rc::gen::arbitrary<bool>() ? time() : Time::never()};
  const auto expiration_again = decode_expiration(carry(encode(expiration)));
  RC_ASSERT(expiration_again.has_value());
  RC_ASSERT(expiration_again->expiration == expiration.expiration);

  const AcquireUpdate update{some_ids(), some_ids(), some_ids(), {{"a", some_ids()}}, {}, time()};
  const auto update_again = decode_acquire_update(carry(encode(update)));
  RC_ASSERT(update_again.has_value());
  RC_ASSERT(update_again->up == update.up && update_again->down == update.down);
  RC_ASSERT(update_again->shrink == update.shrink);
  RC_ASSERT(update_again->property_add == update.property_add);
  RC_ASSERT(update_again->expiration == update.expiration);
}

}  // namespace
}  // namespace tenure::sched
