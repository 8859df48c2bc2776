// Scenarios: what the reader refuses and how it says so, and how they are played.
#include "emul/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "emul/output.hpp"
#include "emul/scenario_runner.hpp"

namespace tenure::emul {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string error_of(const std::string& text) {
  const auto scenario = read_scenario_text(text, "s.yaml");
  return scenario ? "accepted" : scenario.error().message;
}

struct Played {
  std::string output;
  RunOutcome outcome;
};

Played play(const std::string& text, Link link = Link::wire) {
  const auto scenario = read_scenario_text(text, "s.yaml");
  CHECK(scenario.has_value(), "{}", scenario.error().message);
  std::ostringstream stream;
  const auto output = jsonl_output(stream);
  RunOptions options;
  options.link = link;
  auto outcome = run_scenario(*scenario, options, *output);
  CHECK(outcome.has_value(), "{}", outcome.error().message);
  return {stream.str(), *std::move(outcome)};
}

constexpr const char* kHead = "cluster: {nodes: 2, cores: 2}\nevents:\n";

std::string with(const std::string& event) { return kHead + ("  - " + event + "\n"); }

TEST(ScenarioReader, NamesFileLineKeyAndWhatWouldBeValid) {
  EXPECT_THAT(error_of("cluster: {nodes: 2}\nevets: []\n"),
              AllOf(StartsWith("s.yaml:2"), HasSubstr("evets"), HasSubstr("events")));
  EXPECT_THAT(error_of(with("{at: 0, submit: {id: A, node: 1}}")),
              AllOf(StartsWith("s.yaml:3"), HasSubstr("node"), HasSubstr("nodes")));
  EXPECT_THAT(error_of("cluster: {nodes: 2}\nconfig: {policy: fast}\nevents: []\n"),
              AllOf(StartsWith("s.yaml:2"), HasSubstr("policy"), HasSubstr("conservative")));
  EXPECT_THAT(error_of("cluster: {nodes: two}\nevents: []\n"),
              AllOf(StartsWith("s.yaml:1"), HasSubstr("nodes"), HasSubstr("two")));
}

TEST(ScenarioReader, RefusesEachKindOfMistake) {
  const std::string job = "{at: 0, submit: {id: A, nodes: 1}}";
  for (const std::string& text : std::vector<std::string>{
           "",
           "[]",
           "events: []",
           "cluster: {nodes: 1}",
           "cluster: {}\nevents: []",
           "cluster: {grug: x.graphml}\nevents: []",
           "cluster: {R: no-such-file.json}\nevents: []",
           with("{submit: {id: A, nodes: 1}}"),
           with("{at: 0}"),
           with("{at: -1, plan: {}}"),
           with("{at: soon, plan: {}}"),
           with("{at: 0, plan: {}, expect: {}}"),
           with("{at: 0, fly: {}}"),
           with("{at: 0, submit: {nodes: 1}}"),
           with("{at: 0, submit: {id: A, nodes: 1, duration: -5}}"),
           with("{at: 0, submit: {id: A, nodes: 1, urgency: 32}}"),
           with("{at: 0, submit: {id: A, nodes: 2, slots: 3}}"),
           with("{at: 0, submit: {id: A, nodes: 1, constraint: {foo: [a]}}}"),
           with("{at: 0, submit: {id: A, nodes: 1, queue: x}}"),
           with("{at: 0, submit: {id: A, jobspec: no-such-file.json}}"),
           with("{at: 0, update: {id: Z, duration: 5}}"),
           with(job + "\n  - {at: 0, update: {id: A, duration: fast}}"),
           with(job + "\n  - {at: 0, priority: {A: -3}}"),
           with(job + "\n  - {at: 0, free: {id: A, ranks: 3-1}}"),
           with("{at: 0, down: \"7\"}"),
           with("{at: 0, expect: {running: [Z]}}"),
           with("{at: 0, reconfigure: {policy: fast}}"),
           with("{at: 0, reconfigure: {}}"),
           with("{at: 0, priority: {}}"),
           with("{at: 0, properties: {}}"),
           with("{at: 0, down: \"\"}"),
           with("{at: 1e30, plan: {}}"),
           with(job + "\n  - {at: 0, update: {id: A}}"),
           with(job + "\n  - {at: 0, expiration: {expiration: 5}}"),
           with(job + "\n  - {at: 0, expiration: {id: A, raw-id: 1, expiration: 5}}"),
           with("{at: 0, submit: {id: A, nodes: 1, count: 2}}\n  - {at: 0, cancel: A}"),
           with("{at: 0, submit: {id: A, nodes: 1, reservation: pm}}"),
           with("{at: 0, reserve: {name: pm, start: 1, end: 2, ranks: all}}"),
           "cluster: {nodes: 1}\nqueues: {v: {parent: b}}\nevents: []",
           "cluster: {nodes: 1}\nqueues: {q: {policy: fast}}\nevents: []",
       }) {
    EXPECT_THAT(error_of(text), StartsWith("s.yaml")) << text;
  }
}

TEST(ScenarioReader, SaysInWhichLineTheMistakeIs) {
  const std::string text =
      "cluster: {nodes: 2, cores: 2}\n"
      "events:\n"
      "  - at: 0\n"
      "    submit:\n"
      "      id: A\n"
      "      nodes: 1\n";
  const auto behind = [&](const std::string& more) { return error_of(text + more); };
  EXPECT_THAT(behind("      urgency: 40\n"), StartsWith("s.yaml:7: events[0].submit.urgency: "));
  EXPECT_THAT(behind("      nodes: 2\n"), StartsWith("s.yaml:7: events[0].submit.nodes: "));
  EXPECT_THAT(behind("  - {at: 1, submit: {id: A, nodes: 1}}\n"),
              AllOf(StartsWith("s.yaml:7: events[1].submit.id: "), HasSubstr("line 5")));
  EXPECT_THAT(behind("  - {at: 3, plan: {}}\n  - {at: 2, plan: {}}\n"),
              AllOf(StartsWith("s.yaml:8: events[2].at: "), HasSubstr("line 7")));
  EXPECT_THAT(behind("  - {at: 1, cancel: B}\n"),
              AllOf(StartsWith("s.yaml:7: events[1].cancel: "), HasSubstr("known: A")));
  EXPECT_THAT(behind("  - {at: 1, down: \"2-3\"}\n"),
              AllOf(StartsWith("s.yaml:7: events[1].down: "), HasSubstr("0-1")));
  EXPECT_THAT(behind("  - {at: 1, extend: {id: A, duration: +9}}\n"),
              AllOf(StartsWith("s.yaml:7: events[1].extend: "), HasSubstr("not available")));
  EXPECT_THAT(behind("  - {at: 1, impact: {id: A}}\n"),
              AllOf(StartsWith("s.yaml:7: events[1].impact: "), HasSubstr("duration, expiration")));
  EXPECT_THAT(behind("  - {at: 1, impact: {id: A, duration: long}}\n"),
              StartsWith("s.yaml:7: events[1].impact.duration: "));
  EXPECT_THAT(behind("  - {at: 1, down: \"0\n"), StartsWith("s.yaml:"));  // no YAML at all
}

// A property that the protocol does not allow ended in a failed check of the emulated link.
TEST(ScenarioReader, RefusesPropertyNamesThatNoMessageMayCarry) {
  EXPECT_THAT(error_of(with("{at: 0, properties: {add: {\"a!\": \"0\"}}}")),
              AllOf(StartsWith("s.yaml:3: events[0].properties: "), HasSubstr("a!")));
  EXPECT_THAT(error_of(with("{at: 0, properties: {remove: {\"a!\": \"0\"}}}")),
              StartsWith("s.yaml:3: events[0].properties: "));
  EXPECT_EQ(error_of(with("{at: 0, properties: {add: {\"+local\": \"0\"}}}")), "accepted");
}

TEST(ScenarioReader, ReadsJson) {
  EXPECT_EQ(error_of(R"({"cluster": {"nodes": 1}, "events": [
      {"at": "1m", "submit": {"id": "A", "nodes": 1, "duration": "1h"}}]})"),
            "accepted");
}

TEST(ScenarioRun, WritesTheEventsOfTheSpecification) {
  const Played run = play(R"(
cluster: {nodes: 4, cores: 8, gpus: 1}
config: {policy: conservative}
events:
  - {at: 0,   submit: {id: A, nodes: 4, duration: 60s}}
  - {at: 1,   submit: {id: B, nodes: 4, duration: 60s}}
  - {at: 2,   plan: {}}
  - {at: 10,  update: {id: A, duration: +10m}}
  - {at: 11,  submit: {id: C, nodes: 9}}
  - {at: 12,  expiration: {id: A, expiration: -1}}
)");
  EXPECT_THAT(run.outcome.faults, IsEmpty());
  for (const char* line : {
           R"({"t":0,"event":"submit","id":"A"})",
           R"({"t":0,"event":"start","id":"A","ranks":"0-3","end":60,"selection":"immediate"})",
           R"({"t":1,"event":"annotate","id":"B","sched":{"t_estimate":60,)",
           R"({"t":2,"event":"plan","allocations":[{"id":"A","start":0,"end":60,"ranks":"0-3"}],)"
           R"("reservations":[{"id":"B","start":60,"end":120,"ranks":"0-3"}],"unplanned":[]})",
           R"({"t":10,"event":"update","id":"A","ok":true,"end":660})",
           R"({"t":10,"event":"annotate","id":"B","sched":{"t_estimate":660)",
           R"({"t":11,"event":"deny","id":"C","note":")",
           R"({"t":12,"event":"update","id":"A","ok":false,"error":")",
           R"({"t":660,"event":"finish","id":"A","reason":"timeout"})",
           R"({"t":660,"event":"free","id":"A","ranks":"0-3","final":true})",
           R"({"t":660,"event":"start","id":"B","ranks":"0-3","end":720,"selection":"reserved"})",
       }) {
    EXPECT_THAT(run.output, HasSubstr(line));
  }
  EXPECT_THAT(run.output, HasSubstr("\"errnum\""));
  EXPECT_THAT(run.output, HasSubstr("\"event\":\"summary\""));
}

TEST(ScenarioRun, ReportsAMismatchWithItsLine) {
  const Played run = play(with("{at: 0, expect: {free-nodes: 1}}"));
  ASSERT_EQ(run.outcome.mismatches.size(), 1U);
  EXPECT_EQ(run.outcome.mismatches[0], "s.yaml:3: free-nodes: expected 1, actual 2");
}

TEST(ScenarioRun, AQuestionBehindTheChangesOfItsTimeSeesTheNewPlan) {
  const Played run =
      play(with("{at: 0, submit: {id: A, nodes: 2, duration: 10}}\n"
                "  - {at: 0, submit: {id: B, nodes: 2, duration: 10}}\n"
                "  - {at: 0, expect: {running: [A], planned: {B: 10}}}\n"
                "  - {at: 5, expect: {planned: {B: 10}}}\n"
                "  - {at: 5, update: {id: A, duration: 20}}\n"
                "  - {at: 5, expect: {planned: {B: 20}}}"));
  EXPECT_THAT(run.outcome.mismatches, IsEmpty());
}

TEST(ScenarioRun, AQuestionAheadOfAChangeOfItsTimeSeesTheOldPlan) {
  const Played run =
      play(with("{at: 0, submit: {id: A, nodes: 2, duration: 10}}\n"
                "  - {at: 0, expect: {pending: [A], start: {A: null}}}\n"
                "  - {at: 0, submit: {id: B, nodes: 2, duration: 10}}"));
  EXPECT_THAT(run.outcome.mismatches, IsEmpty());
}

TEST(ScenarioRun, AnEmptyListOfJobsMeansNone) {
  const Played run =
      play(with("{at: 0, submit: {id: A, nodes: 2, duration: 10}}\n"
                "  - {at: 0, expect: {running: [], denied: []}}"));
  ASSERT_EQ(run.outcome.mismatches.size(), 1U);
  EXPECT_EQ(run.outcome.mismatches[0], "s.yaml:4: running jobs: expected none, actual A");
}

// A job planned behind an overrun that is never freed was planned anew for ever.
TEST(ScenarioRun, EndsWhenWhatEverybodyWaitsForNeverComes) {
  for (const char* events : {
           "{at: 0, submit: {id: A, nodes: 1, duration: 5, epilog: inf}}",
           "{at: 0, submit: {id: A, nodes: 1}}\n"
           "  - {at: 5, expiration: {id: A, expiration: 4}}",
       }) {
    const Played run =
        play(with(std::string(events) + "\n  - {at: 6, submit: {id: B, nodes: 2, duration: 10}}"));
    EXPECT_THAT(run.output, HasSubstr("\"running\":[\"A\"]"));
    EXPECT_THAT(run.output, HasSubstr("\"never_started\":[\"B\"]"));
  }
}

TEST(ScenarioRun, StopsAtTheTimeAskedFor) {
  const auto scenario =
      read_scenario_text(with("{at: 0, submit: {id: A, nodes: 2, duration: 60}}\n"
                              "  - {at: 1, submit: {id: B, nodes: 2, duration: 60}}\n"
                              "  - {at: 90, cancel: B}"),
                         "s.yaml");
  ASSERT_TRUE(scenario);
  std::ostringstream stream;
  RunOptions options;
  options.until = Duration::seconds(30);
  ASSERT_TRUE(run_scenario(*scenario, options, *jsonl_output(stream)));
  EXPECT_THAT(stream.str(), HasSubstr(R"({"t":30,"event":"summary","jobs":2,"started":1,)"));
  EXPECT_THAT(stream.str(), HasSubstr(R"("running":["A"],"pending":["B"],"never_started":[])"));
}

// ---- random scenarios ------------------------------------------------------------------------

/// A scenario drawn from a seed: submissions, updates, cancels, node and instance changes.
std::string random_scenario(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const char* policies[] = {"fcfs", "easy", "hybrid", "conservative"};
  std::string text = fmt::format(
      "cluster: {{nodes: 4, cores: 3, gpus: 1}}\nconfig: {{policy: {}, queue-depth: {}, "
      "match-policy: {}, annotate-interval: {}}}\n",
      policies[draw(0, 3)], draw(1, 20), draw(0, 1) == 0 ? "low" : "high", draw(0, 5));
  if (draw(0, 2) == 0) text += fmt::format("expiration: {}\n", draw(50, 600));
  text += "events:\n";
  int now = 0;
  int jobs = 0;
  for (int i = 0; i < 40; ++i) {
    now += draw(0, 12);
    const auto event = [&](const std::string& body) {
      text += fmt::format("  - {{at: {}, {}}}\n", now, body);
    };
    const int what = jobs == 0 ? 0 : draw(0, 13);
    const int job = draw(1, std::max(1, jobs));
    if (what < 5) {
      const int limit = draw(0, 8) == 0 ? 0 : draw(1, 80);
      std::string shape = draw(0, 2) == 0
                              ? fmt::format("slots: {}, cores: {}", draw(1, 4), draw(1, 3))
                              : fmt::format("nodes: {}", draw(1, 5));
      event(fmt::format(
          "submit: {{id: J{}, {}, duration: {}, runtime: {}, epilog: {}, urgency: {}}}", ++jobs,
          shape, limit, draw(1, 90), draw(0, 3) == 0 ? draw(1, 9) : 0, draw(14, 18)));
    } else if (what < 7) {
      event(fmt::format("update: {{id: J{}, duration: {}{}}}", job, draw(0, 1) == 0 ? "+" : "",
                        draw(1, 60)));
    } else if (what == 7) {
      event(fmt::format("expiration: {{id: J{}, expiration: {}}}", job, now + draw(-20, 60)));
    } else if (what == 8) {
      event(fmt::format("cancel: J{}", job));
    } else if (what == 9) {
      event(fmt::format("priority: {{J{}: {}}}", job, draw(1, 40)));
    } else if (what == 10) {
      event(fmt::format("{}: \"{}\"", draw(0, 1) == 0 ? "down" : "up", draw(0, 3)));
    } else if (what == 11) {
      event(fmt::format("free: {{id: J{}, ranks: \"{}\"}}", job, draw(0, 3)));
    } else if (what == 12) {
      event(draw(0, 1) == 0 ? std::string("reload: {}")
                            : fmt::format("instance-expiration: {}",
                                          draw(0, 1) == 0 ? 0 : now + draw(10, 300)));
    } else {
      event("plan: {}");
    }
  }
  return text;
}

TEST(ScenarioRun, RandomScenariosShowNoFaultAndRepeatThemselvesOverEitherLink) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const std::string text = random_scenario(seed);
    const Played wire = play(text);
    ASSERT_THAT(wire.outcome.faults, IsEmpty()) << "seed " << seed << "\n" << text;
    ASSERT_EQ(wire.output, play(text).output) << "seed " << seed;
    ASSERT_EQ(wire.output, play(text, Link::direct).output) << "seed " << seed << "\n" << text;
  }
}

}  // namespace
}  // namespace tenure::emul
