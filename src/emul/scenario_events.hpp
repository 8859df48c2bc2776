// The `events:` of a scenario: see docs/scenarios.md for each kind.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emul/scenario.hpp"
#include "emul/scenario_yaml.hpp"
#include "graph/resource_graph.hpp"

namespace tenure::emul {

/// A queue of RFC 33: what the job manager adds to the constraint of its jobs.
struct Queue {
  std::vector<std::string> properties;  ///< of the parent, for a virtual queue
};

class EventReader {
 public:
  /// Everything given must outlive the reader. `machine` is the cluster as it starts.
  EventReader(Document& document, std::filesystem::path folder, const Scenario& scenario,
              const graph::ResourceGraph& machine, const std::map<std::string, Queue>& queues)
      : document_(&document),
        folder_(std::move(folder)),
        scenario_(&scenario),
        machine_(&machine),
        queues_(&queues),
        config_(scenario.config) {}

  /// The first error is in the document.
  std::vector<ScenarioEvent> read(const Item& sequence);

 private:
  using Action = decltype(ScenarioEvent::action);

  std::optional<Action> read_action(const Item& item, std::string_view kind);
  action::Submit submit(const Item& item);
  std::optional<boost::json::object> jobspec(const Item& item);
  std::optional<boost::json::object> jobspec_file(const Item& item);
  std::optional<boost::json::object> shorthand(const Item& item);
  void add_queue_constraint(const Item& item, boost::json::object& jobspec);
  action::Update update(const Item& item);
  action::RawExpiration raw_expiration(const Item& item);
  action::Prioritize prioritize(const Item& item);
  action::Free free(const Item& item);
  action::NodeState node_state(const Item& item, action::NodeState::Kind kind);
  action::Properties properties(const Item& item);
  action::Reconfigure reconfigure(const Item& item);
  action::Impact impact(const Item& item);
  action::Impact::Expected expected_impact(const Item& item);
  action::Expect expect(const Item& item);
  action::Expect::Times times(const Item& item);
  action::Expect::Labels labels(const Item& item);

  DurationChange duration_change(const Item& item);
  Time instant(const Item& item);
  Idset ranks(const Item& item);
  std::string known_label(const Item& item);
  std::string known_label(const Item& item, const std::string& label);
  void new_label(const Item& item, const std::string& label);

  Document* document_;
  std::filesystem::path folder_;
  const Scenario* scenario_;
  const graph::ResourceGraph* machine_;
  const std::map<std::string, Queue>* queues_;
  sched::Config config_;               ///< as changed by the events so far
  std::map<std::string, int> labels_;  ///< to the line of the submit
};

/// Applies configuration keys one after the other, so that an error has the line of its
/// key. Returns the keys as given.
boost::json::object read_config(Document& document, const Item& map, sched::Config& config);

}  // namespace tenure::emul
