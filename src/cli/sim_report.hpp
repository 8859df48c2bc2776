// What `tenure sim` prints: the summary of a replay, for people or as JSON.
//
// The names in JSON are those of docs/metrics.md. Both forms say the same.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "emul/metrics.hpp"
#include "emul/replay.hpp"
#include "emul/workload.hpp"

namespace tenure::cli {

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

}  // namespace tenure::cli
