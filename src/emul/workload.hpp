// Workload: the jobs of a trace or a model as a replay needs them, in submission order.
//
// Invariants
//  1. `jobs` is ascending by submit time; jobs submitted at one time keep the order of the
//     trace.
//  2. Every job of the trace is there. What had to be assumed is counted in `oddities`.
//  3. walltime >= 1 s, runtime >= 0, procs >= 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "emul/swf.hpp"

namespace tenure::emul {

/// Most jobs a workload may have.
inline constexpr std::size_t kMaxWorkloadJobs = 50'000'000;

struct TraceJob {
  std::int64_t number = 0;  ///< as in the trace; not always unique
  Duration submit;          ///< since the start of the trace
  Duration runtime;         ///< how long it would run without a limit
  Duration walltime;        ///< the limit it asks for
  std::uint64_t procs = 1;
  std::int64_t user = -1;   ///< below 0: not known
  std::int64_t queue = -1;  ///< likewise
};

/// A machine of equal nodes.
struct MachineShape {
  std::uint32_t nodes = 1;
  std::uint32_t cores_per_node = 1;

  friend bool operator==(const MachineShape&, const MachineShape&) = default;
};

/// What the user says of the machine; the rest comes from the trace.
struct MachineWish {
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> cores_per_node;
};

struct Workload {
  std::string name;  ///< of the trace, without folder and endings
  Time epoch;        ///< the time 0 of the trace
  SwfHeader header;
  std::vector<TraceJob> jobs;
  OddityCounts oddities;
};

/// Collects the jobs of a trace as the reader delivers them.
class WorkloadBuilder {
 public:
  void add(const SwfJob& job);
  OddityCounts& oddities() { return workload_.oddities; }
  /// Sorts. O(n log n) when the trace is not sorted. Errors: `invalid` for a trace without
  /// a job, `limit` beyond kMaxWorkloadJobs.
  Result<Workload> build(std::string name, SwfHeader header) &&;

 private:
  Workload workload_;
  std::vector<std::int64_t> numbers_;
  Duration last_submit_;
  bool too_many_ = false;
};

/// Reads a trace. Errors: as read_swf and WorkloadBuilder::build.
Result<Workload> read_workload(const std::string& path);

/// The machine of a header: MaxNodes nodes of MaxProcs / MaxNodes cores, rounded up so that
/// what fitted the real machine fits; one core a node when only one of them is known. A wish
/// takes precedence. Errors: `invalid` when nothing says how many nodes there are, or a
/// number is out of range.
Result<MachineShape> machine_of(const SwfHeader& header, const MachineWish& wish);

}  // namespace tenure::emul
