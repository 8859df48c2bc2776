// What the result of a scenario says: each kind of job, changed ends, down nodes.
#include "report/run_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "emul/output.hpp"
#include "emul/scenario.hpp"
#include "emul/scenario_runner.hpp"

namespace tenure::report {
namespace {

namespace json = boost::json;

class Silence final : public emul::Output {
 public:
  void write(const json::object&) override {}
};

struct Played {
  json::value result;
  std::string snapshot;

  /// A row under its columns.
  json::object job(std::string_view id) const {
    const json::object& jobs = result.at("jobs").as_object();
    for (const json::value& row : jobs.at("rows").as_array()) {
      if (std::string_view(row.at(0).as_string()) != id) continue;
      json::object object;
      for (std::size_t k = 0; k < kJobColumns.size(); ++k) object[kJobColumns[k]] = row.at(k);
      return object;
    }
    return {};
  }
  std::string cells(std::string_view id, std::initializer_list<std::string_view> columns) const {
    json::array array;
    const json::object row = job(id);
    for (const std::string_view column : columns) array.push_back(row.at(column));
    return emul::json_text(array);
  }
};

Played play(const std::string& text, std::optional<Duration> until = {}) {
  const auto scenario = emul::read_scenario_text(text, "test.yaml");
  EXPECT_TRUE(scenario) << scenario.error().message;
  RunRecorder recorder;
  Played played;
  emul::RunOptions options;
  options.until = until;
  options.observer = &recorder;
  options.at_start = [&](const emul::Instance& instance) { recorder.watch(instance); };
  options.at_end = [&](const emul::Instance& instance) {
    ResultHead head;
    head.name = "test";
    head.config = sched::to_json(scenario->config);
    const auto result = parse_result(recorder.result(head, scenario->start));
    EXPECT_TRUE(result) << result.error().message;
    played.result = *result;
    sched::SnapshotLabels labels{.names = {}, .origin = scenario->start};
    played.snapshot =
        sched::to_text(sched::write_snapshot(instance.scheduler(), instance.now(), labels));
  };
  Silence silence;
  const auto outcome = emul::run_scenario(*scenario, options, silence);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return played;
}

constexpr const char* kEnds = R"(cluster: {nodes: 4, cores: 8}
config: {policy: conservative}
events:
  - {at: 0, submit: {id: A, nodes: 2, duration: 60, runtime: 100, user: 7, queue: q}}
  - {at: 0, submit: {id: B, nodes: 2, duration: 60, queue: q}}
  - {at: 1, submit: {id: C, nodes: 4, duration: 60, runtime: 10, queue: q}}
  - {at: 2, submit: {id: D, nodes: 9, duration: 60, queue: q}}
  - {at: 3, submit: {id: E, nodes: 4, duration: 60, queue: q}}
  - {at: 4, cancel: E}
  - {at: 5, update: {id: B, duration: +20}}
  - {at: 6, update: {id: B, duration: -10}}
  - {at: 6, update: {id: B, duration: 2}}
queues: {q: {}}
)";

TEST(RunResult, EachEndOfAJobHasItsOutcome) {
  const Played played = play(kEnds);
  EXPECT_EQ(played.cells("A", {"user", "queue", "start", "end", "limit", "runtime", "units",
                               "ranks", "outcome", "extensions"}),
            R"(["7","q",0,60,60,100,2,"0-1","killed",0])");
  EXPECT_EQ(played.cells("B", {"end", "expires", "outcome", "extensions"}), R"([70,70,"done",1])");
  EXPECT_EQ(played.cells("C", {"start", "end", "outcome", "selection", "announced"}),
            R"([70,80,"done","reserved",[[1,60],[5,80],[6,70]]])");
  EXPECT_EQ(played.cells("D", {"start", "outcome"}), R"([null,"refused"])");
  EXPECT_EQ(played.cells("E", {"start", "outcome"}), R"([null,"canceled"])");
  EXPECT_EQ(emul::json_text(played.result.at("events")),
            R"([{"t":5,"event":"extend","id":"B","from":60,"to":80},)"
            R"({"t":6,"event":"cut","id":"B","from":80,"to":70},)"
            R"({"t":6,"event":"refuse","id":"B","from":70}])");
  EXPECT_EQ(played.result.at("cluster").at("unit"), "node");
  EXPECT_EQ(played.result.at("metrics").at("jobs").at("canceled"), 1);
}

TEST(RunResult, TheUnitIsACoreWhereJobsShareNodes) {
  const Played played = play(R"(cluster: {nodes: 2, cores: 8}
events:
  - {at: 0, submit: {id: A, slots: 3, cores: 2, duration: 60}}
  - {at: 0, submit: {id: B, nodes: 1, duration: 60}}
  - {at: 1, submit: {id: C, nodes: 2, duration: 60}}
)",
                             Duration::seconds(10));
  EXPECT_EQ(emul::json_text(played.result.at("cluster")),
            R"({"nodes":2,"cores_per_node":8,"unit":"core","units":16})");
  EXPECT_EQ(played.cells("A", {"units", "ranks", "outcome"}), R"([6,"0","running"])");
  EXPECT_EQ(played.cells("B", {"units", "ranks"}), R"([8,"1"])");
  EXPECT_EQ(played.cells("C", {"units", "ranks", "planned_start", "end", "outcome"}),
            R"([16,"0-1",60,120,"waiting"])");
}

TEST(RunResult, NodesAreDownFromToAndMaybeStill) {
  const Played played = play(R"(cluster: {nodes: 4, cores: 8}
events:
  - {at: 0, submit: {id: A, nodes: 1, duration: 60}}
  - {at: 5, down: "1-2"}
  - {at: 9, down: "2-3"}
  - {at: 20, up: "2"}
)");
  EXPECT_EQ(emul::json_text(played.result.at("down")),
            R"([{"ranks":"2","start":5,"end":20},{"ranks":"1","start":5,"end":null},)"
            R"({"ranks":"3","start":9,"end":null}])");
}

TEST(RunResult, ASnapshotTellsWhatRunsAndWhatIsPlanned) {
  const Played played = play(kEnds, Duration::seconds(5));
  auto snapshot = sched::read_snapshot_text(played.snapshot);
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  Played seen;
  const auto result = parse_result(snapshot_result(*snapshot, "state", "tenure test"));
  ASSERT_TRUE(result) << result.error().message;
  seen.result = *result;
  EXPECT_EQ(seen.result.at("command"), "snapshot");
  EXPECT_EQ(seen.result.at("end"), 5);
  EXPECT_EQ(seen.cells("ƒ3", {"start", "end", "expires", "units", "ranks", "outcome"}),
            R"([0,null,80,2,"2-3","running"])");
  EXPECT_EQ(seen.cells("ƒ4", {"submit", "start", "planned_start", "end", "ranks", "outcome"}),
            R"([1,null,80,140,"0-3","waiting"])");
}

}  // namespace
}  // namespace tenure::report
