#include "sched/site_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure::sched {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<SiteConfig> read(std::string_view config, std::vector<std::string> arguments = {}) {
  return read_site_config(json::parse(config).as_object(), arguments);
}

SiteConfig valid(std::string_view config, std::vector<std::string> arguments = {}) {
  auto site = read(config, std::move(arguments));
  EXPECT_TRUE(site) << (site ? "" : site.error().message);
  return site ? *std::move(site) : SiteConfig{};
}

void refused(std::string_view config, std::vector<std::string> arguments,
             std::initializer_list<std::string_view> parts) {
  const auto site = read(config, std::move(arguments));
  ASSERT_FALSE(site) << config;
  for (const std::string_view part : parts) {
    EXPECT_THAT(site.error().message, HasSubstr(std::string(part)));
  }
}

TEST(SiteConfig, AnEmptyConfigurationIsTheDefault) {
  const SiteConfig site = valid("{}");
  EXPECT_EQ(site.config, Config{});
  EXPECT_FALSE(site.alloc_limit);
  EXPECT_EQ(site.privacy, SiteConfig::Privacy::open);
  EXPECT_THAT(site.notes, IsEmpty());
}

TEST(SiteConfig, ArgumentsWinOverTheTableAndTheTableOverFluxion) {
  constexpr std::string_view kConfig = R"({
    "sched-fluxion-qmanager": {"queue-policy": "hybrid", "queue-params": {"queue-depth": 7},
                               "policy-params": {"reservation-depth": 3}},
    "sched-tenure": {"queue-depth": 9}})";
  const SiteConfig site = valid(kConfig, {"reservation-depth=5"});
  EXPECT_EQ(site.config.options.policy, plan::QueuePolicy::hybrid);
  EXPECT_EQ(site.config.options.queue_depth, 9U);
  EXPECT_EQ(site.config.options.reservation_depth, 5U);
  EXPECT_THAT(site.notes, IsEmpty());
}

TEST(SiteConfig, WhatFluxionsTablesSayIsTakenOverOrNoted) {
  const SiteConfig site = valid(R"({
    "sched-fluxion-qmanager": {"queue-policy": "slowest", "queue-params": "queue-depth=8",
                               "policy-params": {"max-reservation-depth": 100}},
    "sched-fluxion-resource": {"match-policy": "low", "match-format": "rv1_nosched",
                               "traverser": "simple", "load-allowlist": "node,core",
                               "reserve-vtx-vec": 1000}})");
  EXPECT_EQ(site.config.options.queue_depth, 8U);
  EXPECT_EQ(site.config.options.match_policy, match::Policy::low);
  EXPECT_EQ(site.config.match_format, MatchFormat::rv1_nosched);
  EXPECT_EQ(site.config.traverser, Traverser::simple);
  EXPECT_THAT(site.notes,
              ElementsAre(HasSubstr("queue-policy is not taken over"),
                          HasSubstr("policy-params.max-reservation-depth is not taken over"),
                          HasSubstr("load-allowlist is not taken over"),
                          HasSubstr("reserve-vtx-vec is not taken over")));
}

TEST(SiteConfig, QueuesHaveTheirOwnPolicyAndDepths) {
  const SiteConfig site = valid(R"({
    "queues": {"debug": {"requires": ["d"],
                         "policy": {"limits": {"duration": "1h"},
                                    "scheduler": {"policy": "fcfs"}}},
               "batch": {"requires": ["b"]},
               "late": {"parent": "batch"}},
    "sched-fluxion-qmanager": {
      "queue-policy-per-queue": "batch:conservative debug:easy",
      "queue-params-per-queue": "batch:queue-depth=16,max-queue-depth=32"}})");
  const auto& queues = site.config.options.queues;
  ASSERT_EQ(queues.size(), 3U);
  EXPECT_EQ(queues[0].name, "batch");
  EXPECT_EQ(queues[0].policy, plan::QueuePolicy::conservative);
  EXPECT_EQ(queues[0].queue_depth, 16U);
  EXPECT_EQ(queues[1].policy, plan::QueuePolicy::fcfs);
  EXPECT_EQ(queues[2].parent, "batch");
  EXPECT_THAT(site.notes, ElementsAre(HasSubstr("batch:max-queue-depth")));
}

TEST(SiteConfig, TheAllocLimitIsANumberOrUnlimited) {
  EXPECT_EQ(valid(R"({"sched-tenure": {"alloc-limit": 8}})").alloc_limit, 8U);
  EXPECT_EQ(valid("{}", {"alloc-limit=16"}).alloc_limit, 16U);
  EXPECT_FALSE(
      valid(R"({"sched-tenure": {"alloc-limit": 8}})", {"alloc-limit=unlimited"}).alloc_limit);
  refused(R"({"sched-tenure": {"alloc-limit": 0}})", {},
          {"[sched-tenure]", "alloc-limit", "0", "from 1 to 2147483647"});
  refused("{}", {"alloc-limit=2147483648"}, {"module argument", "alloc-limit"});
  refused("{}", {"alloc-limit=8x"}, {"8x"});
}

TEST(SiteConfig, PrivateModeIsThatOfTheInstance) {
  EXPECT_EQ(valid(R"({"access": {"private-mode": true}})").privacy,
            SiteConfig::Privacy::own_jobs_only);
  refused(R"({"access": {"private-mode": 1}})", {}, {"access.private-mode", "1", "true or false"});
}

TEST(SiteConfig, ErrorsNameTheirPlace) {
  refused(R"({"sched-tenure": {"color": "red"}})", {}, {"[sched-tenure]", "color", "known keys"});
  refused(R"({"sched-tenure": 1})", {}, {"[sched-tenure]", "1", "a table"});
  refused("{}", {"queue-depth=-3"}, {"module argument", "queue-depth", "-3"});
  refused("{}", {"easy"}, {"module argument", "'easy'", "KEY=VALUE"});
  refused("{}", {"=easy"}, {"KEY=VALUE"});
  refused(R"({"queues": {"q": {"policy": {"scheduler": {"policy": "none"}}}}})", {},
          {"[queues.q.policy.scheduler]", "none"});
  refused(R"({"queues": {"q": {"parent": "p"}}})", {}, {"queues.q.parent", "'p'", "not a conf"});
  refused(R"({"queues": {"a": {}, "b": {"parent": "a"}, "c": {"parent": "b"}}})", {},
          {"queues.c.parent", "'b'", "virtual"});
  refused(R"({"queues": {"q": 3}})", {}, {"[queues.q]", "3", "a table"});
}

TEST(SiteConfig, NothingOfFluxionIsDroppedWithoutANote) {
  const auto notes = [](std::string_view table) {
    const SiteConfig site = valid(table);
    EXPECT_EQ(site.config, Config{});
    return site.notes;
  };
  EXPECT_THAT(notes(R"({"sched-fluxion-qmanager": 7})"),
              ElementsAre("[sched-fluxion-qmanager]: 7 is not a table; it is not taken over"));
  EXPECT_THAT(notes(R"({"sched-fluxion-qmanager": {"queue-params": 7}})"),
              ElementsAre(HasSubstr("queue-params is not taken over: its value is neither")));
  EXPECT_THAT(notes(R"({"sched-fluxion-qmanager": {"queue-params": "queue-depth,color=red"}})"),
              ElementsAre(HasSubstr("queue-params.queue-depth is not taken over: queue-depth: ''"),
                          HasSubstr("color is not taken over: there is no such key")));
  EXPECT_THAT(notes(R"({"sched-fluxion-qmanager": {"queue-policy-per-queue": "easy a:fcfs"}})"),
              ElementsAre(HasSubstr("'easy' names no queue"),
                          HasSubstr("names the queue 'a', which is not configured")));
}

}  // namespace
}  // namespace tenure::sched
