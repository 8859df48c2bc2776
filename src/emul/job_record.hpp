// JobRecord: what became of one job of a replay. All the metrics are functions of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/idset.hpp"
#include "base/time.hpp"
#include "plan/job.hpp"

namespace tenure::emul {

enum class Outcome : std::uint8_t {
  unsubmitted,  ///< the replay stopped before
  waiting,      ///< when the replay stopped, or for ever
  running,      ///< when the replay stopped
  done,         ///< ended by itself
  killed,       ///< by timeout at its limit, with work left
  refused,      ///< denied: larger than the machine
  canceled      ///< by somebody, before or after its start
};
std::string_view to_string(Outcome outcome);

struct JobRecord {
  std::int64_t number = 0;  ///< as in the trace
  Time submit;
  Duration walltime;        ///< asked for at submission
  Duration runtime;         ///< how long it would run without a limit
  std::uint64_t procs = 1;  ///< as in the trace
  std::uint64_t units = 1;  ///< what it holds: nodes, or cores when nodes are shared
  Outcome outcome = Outcome::unsubmitted;
  plan::Selection selection = plan::Selection::immediate;
  std::uint32_t extensions = 0;  ///< granted
  std::optional<Time> start;
  std::optional<Time> finish;
  std::optional<Time> expires;  ///< the limit of a started job, extensions included
  std::optional<Span> planned;  ///< of a job that waits at the stop and has a planned start
  Idset ranks;                  ///< only when asked for; of `planned` for a waiting job
  std::int64_t user = -1;       ///< as in the trace; below 0: not known
  std::int64_t queue = -1;      ///< likewise

  bool has_ended() const { return finish.has_value(); }
  /// It would be killed at the limit that it asked for.
  bool outlasts_limit() const { return runtime > walltime; }
};

}  // namespace tenure::emul
