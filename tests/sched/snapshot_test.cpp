#include "sched/snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "graph/formats/r.hpp"
#include "rig.hpp"

namespace tenure::sched {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace json = boost::json;

/// A scheduler that lives through random events, drawn from a seed.
class Life {
 public:
  explicit Life(std::uint64_t seed) : random_(seed), nodes_(draw(1, 8)) {
    json::value r = graph::write_r(
        graph::RegularMachine{.nodes = static_cast<std::uint64_t>(nodes_), .cores = 3, .gpus = 1});
    if (draw(0, 1) == 0)
      r.as_object()["scheduling"] = {{"writer", "somebody"}, {"numbers", {1, 2}}};
    auto acquired =
        decode_acquire_initial(json::object{{"resources", r}, {"up", some_ranks().to_string()}});
    SchedulerSettings settings;
    settings.config = config();
    scheduler_ = std::make_unique<Scheduler>(*std::move(acquired), std::move(settings), peer_);
  }

  void step() {
    switch (draw(0, 11)) {
      case 0:
      case 1:
      case 2:
        return alloc();
      case 3:
        return scheduler_->cancel(any_job());
      case 4:
        return scheduler_->free(
            {any_job(), some_ranks(),
             draw(0, 1) == 0 ? plan::Engine::Release::partial : plan::Engine::Release::final});
      case 5:
        return scheduler_->prioritize(
            {{{any_job(), Priority(static_cast<std::uint32_t>(draw(0, 40)))}}});
      case 6: {
        const auto outcome = scheduler_->expiration({any_job(), some_end()});
        EXPECT_TRUE(outcome || !outcome.error().message.empty());
        return;
      }
      case 7:
      case 8:
        return update();
      case 9:
        if (peer_.commits.empty()) return;
        scheduler_->committed(peer_.commits.front().start.id, {});
        peer_.commits.pop_front();
        return;
      default:
        now_ = now_ + Duration::microseconds(draw(0, 30'000'000));
        scheduler_->run_pass(now_);
        return compare();
    }
  }

 private:
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  Idset some_ranks() {
    const auto first = static_cast<std::uint32_t>(draw(0, nodes_ - 1));
    return Idset::range(first, static_cast<std::uint32_t>(draw(first, nodes_ - 1)));
  }
  JobId any_job() { return JobId(static_cast<std::uint64_t>(draw(1, last_id_ + 1))); }
  Time some_end() {
    if (draw(0, 5) == 0) return Time::never();
    if (draw(0, 9) == 0) return Time::microseconds(std::numeric_limits<std::int64_t>::max() - 1);
    return now_ + Duration::microseconds(draw(-10'000'000, 90'000'001));
  }
  Config config() {
    const auto policies = std::to_array({"fcfs", "easy", "hybrid", "conservative"});
    const auto match = std::to_array({"first", "low", "high"});
    const auto any = [&](const auto& names) {
      return names.at(
          static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(names.size()) - 1)));
    };
    json::object keys{{"policy", any(policies)},
                      {"match-policy", any(match)},
                      {"reservation-depth", draw(0, 4)},
                      {"overrun-estimate", "7.5s"}};
    if (draw(0, 1) == 0) keys["queue-depth"] = draw(1, 6);
    Config made = *apply(Config{}, keys);
    if (draw(0, 1) == 0) {
      made.options.queues.push_back(*read_queue("a", {{"policy", any(policies)}}));
      made.options.queues.push_back(*read_queue("b", {{"queue-depth", draw(1, 3)}}));
      made.options.queues.push_back(*read_queue("v", {}));
      made.options.queues.back().parent = "a";
    }
    return made;
  }

  void alloc() {
    jobspec::Shorthand asked;
    if (draw(0, 2) > 0) {
      asked.nodes = static_cast<std::uint64_t>(draw(1, nodes_));
      asked.slots = asked.nodes;
      asked.exclusive = draw(0, 2) > 0;
    }
    asked.gpus_per_slot = draw(0, 3) == 0 ? 1 : 0;
    asked.duration =
        draw(0, 6) == 0 ? Duration::infinite() : Duration::microseconds(draw(1, 100'000'000));
    if (!scheduler_->config().options.queues.empty()) {
      asked.queue = std::vector<std::string>{"a", "b", "v"}[static_cast<std::size_t>(draw(0, 2))];
    }
    if (draw(0, 3) == 0) {
      asked.constraint = json::parse(draw(0, 1) == 0 ? R"({"properties": ["^+local"]})"
                                                     : R"({"hostlist": ["node[0-3]"]})");
    }
    scheduler_->alloc(
        AllocRequest{JobId(static_cast<std::uint64_t>(++last_id_)),
                     Priority(static_cast<std::uint32_t>(draw(14, 18))),
                     UserId(static_cast<std::uint32_t>(draw(1, 3))), now_, Rig::spec(asked)},
        now_);
  }

  void update() {
    AcquireUpdate change;
    switch (draw(0, 5)) {
      case 0:
        change.down = some_ranks();
        break;
      case 1:
        if (draw(0, 3) == 0) change.shrink = some_ranks();
        break;
      case 2:
        change.property_add["+local"] = some_ranks();
        break;
      case 3:
        change.property_remove["+local"] = some_ranks();
        break;
      case 4:
        change.expiration =
            draw(0, 1) == 0 ? Time::never() : now_ + Duration::microseconds(draw(1, 400'000'000));
        break;
      default:
        change.up = some_ranks();
        break;
    }
    scheduler_->update(change);
  }

  void compare() {
    const std::string text = to_text(write_snapshot(*scheduler_, now_));
    auto snapshot = read_snapshot_text(text);
    ASSERT_TRUE(snapshot) << snapshot.error().message << "\n" << text;
    EXPECT_EQ(to_text(write_snapshot(*snapshot)), text);
    const plan::Engine& engine = scheduler_->engine();
    plan::Engine& read = *snapshot->engine;
    EXPECT_EQ(snapshot->config, scheduler_->config());
    EXPECT_EQ(snapshot->scheduling, scheduler_->inventory_scheduling());
    ASSERT_EQ(read.plan(snapshot->now), plan::PassState::complete);
    EXPECT_TRUE(read.take_starts().empty());
    ASSERT_EQ(read.planned().size(), engine.planned().size());
    for (std::size_t i = 0; i < engine.planned().size(); ++i) {
      EXPECT_TRUE(read.planned()[i] == engine.planned()[i]) << "decision " << i << "\n" << text;
    }
    EXPECT_TRUE(read.profile() == engine.profile());
    EXPECT_EQ(read.next_wakeup(), engine.next_wakeup());
  }

  std::mt19937_64 random_;
  std::int64_t nodes_;
  RecordingPeer peer_;
  std::unique_ptr<Scheduler> scheduler_;
  Time now_ = at(1'000'000'000);
  std::int64_t last_id_ = 0;
};

TEST(SnapshotProperty, WhatIsReadBackPlansTheSameDecisionByDecision) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Life life(seed);
    for (int i = 0; i < 80 && !::testing::Test::HasFailure(); ++i) life.step();
    if (::testing::Test::HasFailure()) return;
  }
}

/// One running job, one with a planned start, one that waits without.
json::object example() {
  Rig rig({.config = {{"policy", "easy"}}});
  rig.alloc(1, 4, secs(60), at(1000));
  rig.alloc(2, 4, secs(60), at(1001));
  rig.alloc(3, 4, secs(60), at(1002));
  rig.settle(at(1003));
  return write_snapshot(*rig.scheduler, at(1003),
                        SnapshotLabels{.names = {{JobId(2), "B"}}, .origin = at(1000)});
}

TEST(Snapshot, HoldsFactsAndWhatPeopleCallThem) {
  const json::object object = example();
  EXPECT_EQ(object.at("now"), json::value(1'003'000'000));
  EXPECT_EQ(object.at("allocations").as_array().size(), 1U);
  ASSERT_EQ(object.at("pending").as_array().size(), 2U);
  EXPECT_EQ(object.at("pending").at(0).at("name"), "B");
  EXPECT_EQ(object.at("pending").at(0).at("duration"), json::value(60'000'000));
  EXPECT_EQ(object.at("instance-expiration"), json::value(nullptr));
  const auto snapshot = read_snapshot(object);
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->labels.origin, at(1000));
  EXPECT_EQ(snapshot->labels.names.at(JobId(2)), "B");
  snapshot->engine->plan(snapshot->now);
  EXPECT_EQ(snapshot->engine->find_planned(JobId(2))->placement.span.start, at(1063));
}

TEST(Snapshot, AnExpirationThatNoDoubleCanHoldSurvives) {
  Rig rig;
  rig.alloc(1, 1, Duration::infinite(), at(1000));
  rig.settle(at(1000));
  const Time odd = Time::microseconds(4'611'686'018'427'387'905);  // 2^62 + 1
  ASSERT_TRUE(rig.expire(1, odd));
  const auto snapshot = read_snapshot_text(to_text(write_snapshot(*rig.scheduler, at(1000))));
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->engine->find_allocation(JobId(1))->span.end, odd);
}

TEST(Snapshot, ACommandIsNotTold) {
  json::object spec = jobspec::write({.nodes = 1, .slots = 1});
  spec["tasks"].as_array()[0].as_object()["command"] = json::array{"secret"};
  const auto parsed = jobspec::parse(spec);
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->text, ::testing::Not(HasSubstr("secret")));
  EXPECT_EQ(jobspec::parse(json::parse(parsed->text))->resources, parsed->resources);
}

/// The error for the example after a change.
template <class Change>
std::string error_after(Change&& change) {
  json::object object = example();
  change(object);
  const auto snapshot = read_snapshot(object);
  return snapshot ? "no error" : snapshot.error().message;
}

TEST(Snapshot, ErrorsNameFieldAndValue) {
  const auto set = [](std::string_view key, json::value value) {
    return error_after([&](json::object& object) { object[key] = std::move(value); });
  };
  EXPECT_THAT(set("tenure-snapshot", 2), StartsWith("tenure-snapshot: 2 is not a version"));
  EXPECT_THAT(set("colour", 2), StartsWith("'colour': is not a known key (tenure-snapshot, now"));
  EXPECT_THAT(set("now", 1.5), StartsWith("now: 1.5 is not an integer of microseconds"));
  EXPECT_THAT(set("now", nullptr), StartsWith("now: null is not an integer of microseconds"));
  EXPECT_THAT(set("config", {{"policy", "best"}}), StartsWith("config: policy: 'best' is not"));
  EXPECT_THAT(set("up", "0-9"), StartsWith("up: '0-9' has ranks that are not in R"));
  EXPECT_THAT(set("lost", "7"), StartsWith("lost: '7' has ranks that are not in R"));
  EXPECT_THAT(set("R", json::object{}), StartsWith("R: "));
  EXPECT_THAT(set("advance-reservations", {1}), StartsWith("advance-reservations: 1 entries"));
  EXPECT_THAT(set("queues", json::parse(R"([{"name": "a"}, {"name": "a"}])")),
              StartsWith("queues[1].name: 'a' is empty or named before"));
  EXPECT_THAT(set("queues", json::parse(R"([{"name": "a", "parent": "b"}])")),
              StartsWith("queues[0].parent: 'b' is not a queue"));
  EXPECT_THAT(set("queues", json::parse(R"([{"name": "a", "policy": "best"}])")),
              StartsWith("queues[0]: policy: 'best' is not"));
  EXPECT_THAT(error_after([](json::object& object) { object.erase("lost"); }),
              StartsWith("lost: is missing"));
  EXPECT_THAT(read_snapshot(json::object{}).error().message,
              StartsWith("tenure-snapshot: is missing"));
  EXPECT_THAT(read_snapshot_text("{").error().message, StartsWith("not JSON: "));
}

TEST(Snapshot, ErrorsOfJobsNameTheEntry) {
  const auto set = [](std::string_view list, std::string_view key, json::value value) {
    return error_after([&](json::object& object) {
      object[list].as_array()[0].as_object()[key] = std::move(value);
    });
  };
  EXPECT_THAT(set("allocations", "id", -1), StartsWith("allocations[0].id: -1 is not an integer"));
  EXPECT_THAT(set("allocations", "end", "soon"), StartsWith("allocations[0].end: 'soon' is not"));
  EXPECT_THAT(set("allocations", "R_lite", json::parse(R"([{"rank": "9", "children": {}}])")),
              StartsWith("allocations[0].R_lite: 1 ranks and 0 units are not in R, or lost"));
  EXPECT_THAT(set("allocations", "planned_end", 1),
              StartsWith("allocations[0].'planned_end': is not a known key"));
  EXPECT_THAT(set("pending", "duration", 0),
              StartsWith("pending[0].duration: 0 is not a positive integer"));
  EXPECT_THAT(set("pending", "jobspec", json::object{}), StartsWith("pending[0].jobspec: "));
  EXPECT_THAT(set("pending", "id", 1), StartsWith("pending[0]: id: job ƒ2 is holding resources"));
  EXPECT_THAT(set("pending", "priority", 4294967296),
              StartsWith("pending[0].priority: 4294967296 is not an integer from 0 to 4294967295"));
  EXPECT_THAT(error_after([](json::object& object) {
                json::array& list = object["allocations"].as_array();
                list.push_back(list[0]);
                list[1].as_object()["id"] = 77;
              }),
              StartsWith("allocations[1].R_lite: 4 nodes are held by allocations before it"));
}

TEST(Snapshot, IsKnownByItsFirstKey) {
  EXPECT_TRUE(is_snapshot(to_text(example())));
  EXPECT_TRUE(is_snapshot(" {\n \"tenure-snapshot\" : 99}"));
  EXPECT_FALSE(is_snapshot(R"({"cluster": {"nodes": 1}})"));
  EXPECT_FALSE(is_snapshot(""));
}

}  // namespace
}  // namespace tenure::sched
