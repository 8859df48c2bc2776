// Snapshot: the whole state of the scheduler as one JSON document (docs/snapshots.md).
//
// A snapshot holds facts only: the plan is derived, and an engine made from a snapshot plans
// what the scheduler had planned, decision by decision. Jobs whose R is being stored count as
// running.
//
// Invariants
//  1. write(read(write(state))) == write(state), to the last character; times and durations
//     are integers of microseconds, so that none is rounded on the way.
//  2. The first key is the version of the form. A reader refuses other versions, unknown keys,
//     and facts that contradict each other; it never guesses.
//  3. Everything that arrives is validated by the readers that the messages go through (R,
//     jobspec, configuration keys).
//
// Both are linear in the size of the document, plus one Engine::hold or submit a job.
#pragma once

#include <boost/json.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "plan/engine.hpp"
#include "sched/config.hpp"
#include "sched/scheduler.hpp"

namespace tenure::sched {

inline constexpr std::int64_t kSnapshotVersion = 1;
/// Most jobs of a snapshot, and most levels of its JSON.
inline constexpr std::size_t kMaxSnapshotJobs = 16'777'216;
inline constexpr std::size_t kMaxSnapshotDepth = 128;

/// What a snapshot carries for people only.
struct SnapshotLabels {
  std::map<JobId, std::string> names;  ///< of jobs that have one
  std::optional<Time> origin;          ///< the time that is shown as 0
};

struct Snapshot {
  Time now;
  Config config;
  std::optional<boost::json::value> scheduling;  ///< the inventory's, as it came
  SnapshotLabels labels;
  std::unique_ptr<plan::Engine> engine;  ///< the facts; nothing is planned yet
};

boost::json::object write_snapshot(const Scheduler& scheduler, Time now,
                                   const SnapshotLabels& labels = {});
/// The same of a snapshot that was read.
boost::json::object write_snapshot(const Snapshot& snapshot);

/// The document as text, a job a line: what json::parse() reads back.
std::string to_text(const boost::json::object& snapshot);

/// True for a text that means to be a snapshot, of whatever version: a JSON object with its
/// first key.
bool is_snapshot(std::string_view text);
/// Errors: `invalid` with the field, the value and what would be valid; `unsupported` for
/// another version, or for what this one cannot honour; `limit` for the bounds above.
Result<Snapshot> read_snapshot(const boost::json::value& json);
/// The same from text. Errors: also `invalid` for what is no JSON.
Result<Snapshot> read_snapshot_text(std::string_view text);

}  // namespace tenure::sched
