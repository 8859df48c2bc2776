// Impact: what would another end of a running job do, and how far is it free?
//
// Everything here works on forks of the engine: it changes nothing, and as the fork runs the
// planner itself, a preview is what the next pass would decide. Who is delayed is measured
// against the plan that the engine would have at `now` without the change.
//
//   const Impact impact = preview(engine, id, end, now);
//   const FreeUntil free = find_free_until(engine, id, now);
//
// Invariants
//  1. preview() = reality: the same change made to the engine, with a pass at `now`, gives
//     the starts that are announced (a property of tests/plan/impact_test.cpp).
//  2. At free_until nobody is delayed, one microsecond later somebody is, or the end is not
//     allowed (the instance ends).
//  3. A refused end delays nobody and touches nothing.
//
// Complexity: a preview is one copy of the engine and one incremental pass; find_free_until()
// needs two such passes where the next planned start on the job's resources is the limit,
// O(log time) more where planned starts move along with the end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "plan/engine.hpp"

namespace tenure::plan {

/// A waiting job whose planned start moves; never(): no planned start.
struct Shift {
  JobId id;
  std::uint64_t nodes = 0;  ///< that it is planned on
  Time from;
  Time to;
  friend bool operator==(const Shift&, const Shift&) = default;
};

/// What all delays come to.
struct Cost {
  std::uint64_t delayed = 0;  ///< jobs that start later, `lost` among them
  std::uint64_t lost = 0;     ///< of those, jobs that have no planned start any more
  Duration worst;             ///< the longest delay of those with a planned start
  Duration total;             ///< their sum
  double node_hours = 0;      ///< their sum, each times the nodes of its job
};
Cost cost_of(std::span<const Shift> delayed);

struct Impact {
  Time end;                        ///< that was asked for; never(): without end
  std::optional<Error> refusal{};  ///< absent: the end would be accepted
  std::vector<Shift> delayed{};    ///< in queue order, as are the others
  std::vector<Shift> advanced{};   ///< start earlier, or get a planned start at last
};

/// The effect of moving the end of a running job. never(): unset, as in set_expiration().
/// Refusals are those of Engine::set_expiration(). Requires now >= engine.now().
Impact preview(const Engine& engine, JobId id, Time end, Time now);

/// How far the end of a job can move and nobody is planned later for it.
struct FreeUntil {
  Time end;  ///< never(): as long as it likes
  enum class Limit { none, delay, instance } limit = Limit::none;
};
/// Error: `not_found` when the job holds nothing.
Result<FreeUntil> find_free_until(const Engine& engine, JobId id, Time now);

/// What ends beyond free_until cost.
struct Frontier {
  FreeUntil free;
  std::vector<Impact> steps;  ///< ascending ends behind free.end
};
/// Previews of the present end plus each of `steps` (ascending) that goes beyond free_until;
/// those that the instance does not allow are left out. Error: as find_free_until().
Result<Frontier> find_frontier(const Engine& engine, JobId id, Time now,
                               std::span<const Duration> steps);

}  // namespace tenure::plan
