// What `tenure sim` prints: the summary of a replay, for people or as JSON.
//
// The names in JSON are those of docs/metrics.md. Both forms say the same.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emul/metrics.hpp"
#include "emul/replay.hpp"
#include "emul/workload.hpp"

namespace tenure::report {

struct SimReport {
  const emul::Workload* workload = nullptr;
  const emul::ReplayOptions* options = nullptr;
  std::optional<std::uint64_t> seed;  ///< of a model
  const emul::Replay* replay = nullptr;
  /// The same replay without extensions, if it was made.
  const emul::Replay* baseline = nullptr;
  double wall_seconds = 0;  ///< of all replays
  std::uint64_t peak_memory_bytes = 0;
};

std::string to_text(const SimReport& report);
boost::json::object to_json(const SimReport& report);

/// The whole replay as a result file (docs/result.md). Errors: `io` naming the file.
Result<void> write_result(const std::string& path, const SimReport& report,
                          std::string_view producer);

}  // namespace tenure::report
