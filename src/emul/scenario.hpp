// Scenario: a cluster, a policy, and what happens when; see docs/scenarios.md.
//
// This is the file as values, fully validated: times are absolute, labels and ranks exist,
// events are in order, configuration changes apply. Playing it (scenario_runner.hpp) can
// therefore only meet what the scheduler does, not what the author mistyped.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "base/idset.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "emul/instance.hpp"
#include "sched/config.hpp"

namespace tenure::emul {

/// What an event does. Labels are the scenario's names of jobs.
namespace action {

struct Submit {
  std::vector<Submission> jobs;  ///< several with `count`
};
struct Update {
  std::string label;
  DurationChange change;
};
struct RawExpiration {
  std::string label;  ///< empty: `raw_id`
  JobId raw_id;
  boost::json::value expiration;  ///< as sent; null: the key is missing
};
struct InstanceExpiration {
  Time expiration;
};
struct Cancel {
  std::string label;
};
struct Prioritize {
  std::vector<std::pair<std::string, Priority>> priorities;
};
struct Free {
  std::string label;
  Idset ranks;
  bool final = false;
};
struct NodeState {
  enum class Kind { up, down, shrink } kind;
  Idset ranks;
};
struct Properties {
  std::map<std::string, Idset> add;
  std::map<std::string, Idset> remove;
};
struct Reload {};
struct Reconfigure {
  boost::json::object changes;
};
struct Plan {};
/// A preview; nothing changes.
struct Impact {
  /// Members that are absent are not looked at; `delayed` and `advanced` name all jobs.
  struct Expected {
    using Starts = std::vector<std::pair<std::string, std::optional<Time>>>;
    std::optional<bool> ok;
    std::optional<Starts> delayed;  ///< to when; no time: no planned start any more
    std::optional<Starts> advanced;
    std::optional<Time> free_until;  ///< never(): no limit
  };

  std::string label;
  std::optional<Time> expiration;  ///< never(): unset; absent: `change`
  DurationChange change;
  Expected expected;
};
struct Expect {
  using Times = std::vector<std::pair<std::string, std::optional<Time>>>;
  using Labels = std::optional<std::vector<std::string>>;

  Times start;    ///< no time: has not started
  Times planned;  ///< no time: has no planned start
  Labels denied;  ///< these are; an empty list: none is
  Labels pending;
  Labels running;
  std::optional<std::uint64_t> free_nodes;
  std::optional<std::uint64_t> up_nodes;
};

}  // namespace action

struct ScenarioEvent {
  Time at;
  int line = 0;
  std::variant<action::Submit, action::Update, action::RawExpiration, action::InstanceExpiration,
               action::Cancel, action::Prioritize, action::Free, action::NodeState,
               action::Properties, action::Reload, action::Reconfigure, action::Impact,
               action::Plan, action::Expect>
      action;

  /// `plan`, `impact` and `expect` look, everything else changes something.
  bool is_question() const {
    return std::holds_alternative<action::Plan>(action) ||
           std::holds_alternative<action::Impact>(action) ||
           std::holds_alternative<action::Expect>(action);
  }
};

struct Scenario {
  std::string file;  ///< as named by the user, for messages
  Time start;
  boost::json::value r;
  Idset up;  ///< ranks that are up at first: all
  sched::Config config;
  std::vector<ScenarioEvent> events;
};

/// Reads and validates a scenario. `overrides` are configuration keys that go over the
/// file's own (the command line's). Errors: `invalid` or `io`, "FILE:LINE: key: …" with
/// what would be valid.
Result<Scenario> read_scenario(const std::filesystem::path& file,
                               const boost::json::object& overrides = {});
/// The same from text; files that it names are relative to the folder of `file`.
Result<Scenario> read_scenario_text(const std::string& text, const std::filesystem::path& file,
                                    const boost::json::object& overrides = {});

/// As `flux update` has it: "1h" and 3600 are the whole duration, "+1h" and "-30m" relative to
/// the present one, 0 and "inf" unlimited.
Result<DurationChange> parse_duration_change(std::string_view text);

/// Seconds or an RFC 23 duration ("90", "1.5h", "1e-9", "inf").
Result<Duration> parse_duration(std::string_view text);

}  // namespace tenure::emul
