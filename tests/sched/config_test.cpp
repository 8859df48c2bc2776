#include "sched/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tenure::sched {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

Config with(std::string_view key, json::value value) {
  auto config = apply(Config{}, {{key, std::move(value)}});
  EXPECT_TRUE(config) << (config ? "" : config.error().message);
  return config ? *config : Config{};
}

/// Expects a refusal with the code and with each part in its text.
void refused(std::string_view key, json::value value, ErrorCode code,
             std::initializer_list<std::string_view> parts) {
  const auto config = apply(Config{}, {{key, value}});
  ASSERT_FALSE(config) << key << " = " << value;
  EXPECT_EQ(config.error().code, code) << config.error().message;
  for (const std::string_view part : parts) {
    EXPECT_THAT(config.error().message, HasSubstr(std::string(part)));
  }
}

TEST(Config, DefaultsAreThoseOfTheDocumentation) {
  EXPECT_EQ(json::serialize(to_json(Config{})),
            R"({"policy":"easy","queue-depth":1024,"reservation-depth":64,)"
            R"("match-policy":"first","match-format":"auto","prune-filters":"",)"
            R"("traverser":"flexible","load-file":"","load-format":"","load-allowlist":"",)"
            R"("overrun-estimate":"1m","expiration-conflict":"allow","pass-budget":"10ms",)"
            R"("annotate-interval":"1s","extend":{"policy":"off"},"reservations":[]})");
}

TEST(Config, NumbersMayBeNumbersOrTheirText) {
  EXPECT_EQ(with("queue-depth", 32).options.queue_depth, 32u);
  EXPECT_EQ(with("queue-depth", "32").options.queue_depth, 32u);
  EXPECT_EQ(with("queue-depth", "unlimited").options.queue_depth, plan::kUnlimitedDepth);
  EXPECT_EQ(with("reservation-depth", 0).options.reservation_depth, 0u);
  EXPECT_EQ(with("queue-depth", 9'223'372'036'854'775'808ULL).options.queue_depth,
            9'223'372'036'854'775'808ULL);
}

TEST(Config, DepthsOutOfRangeNameKeyValueAndRange) {
  refused("queue-depth", 0, ErrorCode::invalid, {"queue-depth", "0", "from 1", "unlimited"});
  refused("queue-depth", -1, ErrorCode::invalid, {"-1"});
  refused("queue-depth", 1.5, ErrorCode::invalid, {"queue-depth"});
  refused("queue-depth", "12x", ErrorCode::invalid, {"'12x'"});
  refused("queue-depth", "", ErrorCode::invalid, {"''"});
  refused("queue-depth", " 3", ErrorCode::invalid, {"' 3'"});
  refused("queue-depth", nullptr, ErrorCode::invalid, {"null"});
  refused("queue-depth", "18446744073709551615", ErrorCode::invalid, {"unlimited"});
  refused("queue-depth", "18446744073709551616", ErrorCode::invalid, {"18446744073709551616"});
  refused("reservation-depth", "-1", ErrorCode::invalid, {"from 0"});
}

TEST(Config, DurationsAreFsdTextOrSeconds) {
  EXPECT_EQ(with("overrun-estimate", "5m").options.overrun_estimate, Duration::seconds(300));
  EXPECT_EQ(with("overrun-estimate", 90).options.overrun_estimate, Duration::seconds(90));
  EXPECT_EQ(with("pass-budget", 0.25).pass_budget, Duration::microseconds(250'000));
  EXPECT_EQ(with("pass-budget", "250ms").pass_budget, Duration::microseconds(250'000));
  EXPECT_EQ(with("annotate-interval", 0).annotate_interval, Duration::zero());
}

TEST(Config, DurationsOutOfRangeAreRefused) {
  refused("overrun-estimate", 0, ErrorCode::invalid, {"overrun-estimate", "greater than 0"});
  refused("overrun-estimate", "inf", ErrorCode::invalid, {"'inf'", "finite"});
  refused("overrun-estimate", -1, ErrorCode::invalid, {"-1"});
  refused("pass-budget", "0s", ErrorCode::invalid, {"'0s'"});
  refused("pass-budget", "ten", ErrorCode::invalid, {"'ten'", "FSD"});
  refused("annotate-interval", "-1s", ErrorCode::invalid, {"annotate-interval"});
  refused("annotate-interval", true, ErrorCode::invalid, {"true"});
}

TEST(Config, PoliciesAreNamed) {
  EXPECT_EQ(with("policy", "conservative").options.policy, plan::QueuePolicy::conservative);
  EXPECT_EQ(with("match-policy", "high").options.match_policy, match::Policy::high);
  refused("policy", "lifo", ErrorCode::invalid, {"policy", "lifo", "fcfs", "conservative"});
  refused("policy", 3, ErrorCode::invalid, {"policy", "3"});
  refused("match-policy", "best", ErrorCode::invalid, {"match-policy", "best", "first"});
}

TEST(Config, SpecifiedButUnavailableValuesAreUnsupportedNotInvalid) {
  refused("match-policy", "variation", ErrorCode::unsupported, {"match-policy", "variation"});
  refused("match-policy", "policy=high node_centric=true", ErrorCode::unsupported, {"first"});
  refused("match-format", "treepool", ErrorCode::unsupported, {"treepool", "rv1_nosched"});
  refused("load-file", "/etc/machine.json", ErrorCode::unsupported, {"resource.acquire"});
  refused("extend", json::object{{"policy", "harmless"}}, ErrorCode::unsupported, {"extend"});
  refused("extend", json::object{{"quota-uses", 3}}, ErrorCode::unsupported, {"quota-uses"});
  refused("reservations", json::array{json::object{{"name", "pm"}}}, ErrorCode::unsupported,
          {"reservations"});
}

TEST(Config, TablesAreCheckedInside) {
  EXPECT_EQ(with("extend", json::object{{"policy", "off"}}), Config{});
  EXPECT_EQ(with("reservations", json::array{}), Config{});
  refused("extend", json::object{{"polcy", "off"}}, ErrorCode::invalid, {"polcy", "delay-budget"});
  refused("extend", json::object{{"policy", "on"}}, ErrorCode::invalid, {"extend", "on", "off"});
  refused("extend", "off", ErrorCode::invalid, {"extend"});
  refused("reservations", json::object{}, ErrorCode::invalid, {"array"});
}

TEST(Config, ChoicesAndFiltersAreStored) {
  EXPECT_EQ(with("match-format", "rv1_nosched").match_format, MatchFormat::rv1_nosched);
  EXPECT_EQ(with("traverser", "simple").traverser, Traverser::simple);
  EXPECT_EQ(with("expiration-conflict", "deny").expiration_conflict, ExpirationConflict::deny);
  EXPECT_EQ(with("prune-filters", "ALL:core,rack:node").prune_filters, "ALL:core,rack:node");
  for (const char* bad :
       {"core", "ALL:", ":core", "ALL:core,", ",ALL:core", "ALL:co re", "a:b:c"}) {
    refused("prune-filters", bad, ErrorCode::invalid, {"prune-filters", bad});
  }
  refused("prune-filters", json::string(5000, 'a'), ErrorCode::limit, {"4096"});
  refused("traverser", "fast", ErrorCode::invalid, {"simple", "flexible"});
}

TEST(Config, ErrorsStayOneLineWhateverIsGiven) {
  refused("policy", "no\nsuch", ErrorCode::invalid, {"'no\\x0asuch'"});
  refused("match-policy", "no\nsuch", ErrorCode::invalid, {"'no\\x0asuch'"});
  refused("traverser", "no\nsuch", ErrorCode::invalid, {"'no\\x0asuch'"});
  refused("no\nsuch", 1, ErrorCode::invalid, {"'no\\x0asuch'"});
}

TEST(Config, UnknownKeysAreErrorsThatListTheKnownOnes) {
  refused("queue_depth", 3, ErrorCode::invalid, {"'queue_depth'", "queue-depth", "reservations"});
}

TEST(Config, NothingIsAppliedUnlessAllIs) {
  Config base = with("queue-depth", 7);
  const auto changed = apply(base, {{"policy", "fcfs"}, {"queue-depth", 0}});
  EXPECT_FALSE(changed);
  EXPECT_EQ(base, with("queue-depth", 7));
}

TEST(Config, LongValuesAreCutInErrors) {
  const auto config = apply(Config{}, {{"policy", json::array(1000, 1)}});
  ASSERT_FALSE(config);
  EXPECT_LT(config.error().message.size(), 300u);
}

RC_GTEST_PROP(ConfigProperty, ToJsonComesBack, ()) {
  Config config;
  config.options.policy =
      *rc::gen::element(plan::QueuePolicy::fcfs, plan::QueuePolicy::easy, plan::QueuePolicy::hybrid,
                        plan::QueuePolicy::conservative);
  config.options.match_policy =
      *rc::gen::element(match::Policy::first, match::Policy::low, match::Policy::high);
  config.options.queue_depth = std::max<std::uint64_t>(1, *rc::gen::arbitrary<std::uint64_t>());
  config.options.reservation_depth =
      *rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(), rc::gen::just(plan::kUnlimitedDepth));
  config.match_format =
      *rc::gen::element(MatchFormat::automatic, MatchFormat::rv1, MatchFormat::rv1_nosched);
  config.expiration_conflict =
      *rc::gen::element(ExpirationConflict::allow, ExpirationConflict::deny);
  const auto duration = [] {
    return Duration::microseconds(*rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000));
  };
  config.options.overrun_estimate = duration();
  config.pass_budget = duration();
  config.annotate_interval = duration();
  const auto again = apply(Config{}, to_json(config));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == config);
}

}  // namespace
}  // namespace tenure::sched
