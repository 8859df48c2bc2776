// Result file: everything that a replay or a run decided, as one JSON document.
//
// docs/result.md describes each field and its unit. `tenure report` and every other view read
// this file and nothing else, so that they cannot tell different stories.
//
// Invariants
//  1. Times are seconds from `origin`, durations seconds; both are exact to a microsecond.
//  2. Jobs are rows under `jobs.columns`; a row is written as soon as it is given, so that a
//     hundred thousand jobs need no second copy.
//  3. A reader refuses other versions and rows that are not what the columns say; keys that it
//     does not know are left alone, so that later versions may add some.
//
// Linear in the size of the document.
#pragma once

#include <boost/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "emul/announcements.hpp"
#include "emul/down_log.hpp"
#include "emul/job_record.hpp"
#include "emul/replay.hpp"

namespace tenure::report {

inline constexpr std::string_view kResultKey = "tenure-result";
inline constexpr std::int64_t kResultVersion = 1;
/// Largest file, and most rows, that are read.
inline constexpr std::uintmax_t kMaxResultBytes = std::uintmax_t{2} << 30U;
inline constexpr std::size_t kMaxResultJobs = 5'000'000;

/// The columns of `jobs`, in order.
inline constexpr std::array<std::string_view, 18> kJobColumns{
    "id",      "user",      "queue",      "submit",     "start",         "end",
    "limit",   "expires",   "runtime",    "processors", "units",         "ranks",
    "outcome", "selection", "extensions", "announced",  "planned_start", "baseline_start"};

struct Cluster {
  std::uint64_t nodes = 0;
  std::uint64_t cores_per_node = 1;
  std::string unit = "node";  ///< what `units` of a job counts: node or core
  std::uint64_t units = 0;
};

/// All but the jobs.
struct ResultHead {
  std::string producer;  ///< "tenure 0.1.0"
  std::string command;   ///< sim, run
  std::string name;      ///< of the workload or the scenario
  Time origin;           ///< shown as 0
  Span span;             ///< from the first submission to the stop
  Cluster cluster;
  boost::json::object config;   ///< of the scheduler (docs/configuration.md)
  boost::json::object options;  ///< of the command, such as extend
  boost::json::object metrics;  ///< docs/metrics.md
  boost::json::object series;   ///< see series.hpp
  boost::json::array events;    ///< in time order
  boost::json::array down;      ///< see down_json()
  boost::json::array windows;   ///< advance reservations: name, start, end, ranks, users
};

/// A row. The texts must live as long as the call.
struct JobRow {
  std::string_view id;
  std::string_view user;   ///< empty: not known
  std::string_view queue;  ///< likewise
  const emul::JobRecord* record = nullptr;
  std::span<const emul::Announcement> announced{};
  std::optional<Time> baseline_start{};  ///< in the same replay without extensions
};

class ResultWriter {
 public:
  /// Errors: as FileReplacement::open.
  static Result<ResultWriter> open(const std::filesystem::path& path, const ResultHead& head);
  void add(const JobRow& row);
  /// The file is there, whole. Errors: as FileReplacement::commit.
  Result<void> finish();

 private:
  ResultWriter(FileReplacement file, Time origin) : file_(std::move(file)), origin_(origin) {}

  FileReplacement file_;
  Time origin_;
  bool any_ = false;
};

/// The whole document as text.
std::string result_text(const ResultHead& head, std::span<const JobRow> rows);

/// {"t", "event", "id", "from", "to"} of each change of an end; `id` names the job at a place.
boost::json::array events_json(std::span<const emul::ExtensionEvent> events, Time origin,
                               const std::function<std::string(std::size_t)>& id);
/// {"ranks", "start", "end"} of each span.
boost::json::array down_json(std::span<const emul::DownSpan> spans, Time origin);

/// A number of seconds: an integer when it is whole; null for never and infinite.
boost::json::value seconds_of(Duration duration);
/// The same of the time since `origin`.
boost::json::value seconds_of(const std::optional<Time>& time, Time origin);

/// True for a text that means to be a result, of whatever version.
bool is_result(std::string_view text);
/// Checks everything that the views read. Errors: `invalid` with the field, the value and what
/// would be valid; `unsupported` for another version; `limit` beyond the bounds above.
Result<boost::json::value> parse_result(std::string_view text);

}  // namespace tenure::report
