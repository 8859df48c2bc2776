// Playing a scenario on the emulated instance.
//
// Invariants
//  1. At one time: ends and frees in id order, the events in file order, then the scheduler
//     plans until nothing more can start. It plans at every time at which there is an event.
//  2. `plan` and `expect` with no later change at their time are answered after that
//     planning; one with a change behind it is answered in place, before.
//  3. Output is in time order and a pure function of the scenario and the options.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emul/instance.hpp"
#include "emul/output.hpp"
#include "emul/scenario.hpp"

namespace tenure::emul {

struct RunOptions {
  /// Stop at this virtual time, relative to the start; absent: when nothing can happen.
  std::optional<Duration> until;
  Link link = Link::wire;
  /// Sees everything that happens, beside the output; at_start() comes before that.
  Observer* observer = nullptr;
  std::function<void(const Instance&)> at_start = {};
  /// Called at the end, before the summary, with what is left.
  std::function<void(const Instance&)> at_end = {};
};

struct RunOutcome {
  /// "FILE:LINE: expected …, actual …", one a mismatch.
  std::vector<std::string> mismatches;
  /// Faults of the scheduler that the invariant checker found.
  std::vector<std::string> faults;
};

/// Errors: as Instance::create; input that was validated by read_scenario() has none.
Result<RunOutcome> run_scenario(const Scenario& scenario, const RunOptions& options,
                                Output& output);

}  // namespace tenure::emul
