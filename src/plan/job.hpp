// What the planner knows of a job, and what it decides about it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "graph/resource_set.hpp"
#include "jobspec/jobspec.hpp"
#include "match/matcher.hpp"
#include "match/request.hpp"
#include "profile/profile.hpp"

namespace tenure::plan {

/// A job that waits for resources. A fact.
struct PendingJob {
  JobId id;
  Priority priority;
  Time submit;
  UserId user;
  std::string queue;
  std::shared_ptr<const match::Request> request;
  Duration duration = Duration::infinite();  ///< walltime; infinite: until the instance ends
  /// What `request` was compiled from, for snapshots; the planner does not look at it.
  std::shared_ptr<const jobspec::Jobspec> jobspec{};
};

/// Queue order: priority descending, then submit time, then id (design section 6).
struct QueueKey {
  Priority priority;
  Time submit;
  JobId id;

  friend constexpr std::strong_ordering operator<=>(const QueueKey& a, const QueueKey& b) {
    if (const auto order = b.priority <=> a.priority; order != 0) return order;
    if (const auto order = a.submit <=> b.submit; order != 0) return order;
    return a.id <=> b.id;
  }
  friend constexpr bool operator==(const QueueKey&, const QueueKey&) = default;
};

/// Where the end of an allocation comes from: it moves with the instance or not.
enum class EndOrigin {
  own,       ///< the job's own limit
  instance,  ///< no limit of its own: held until the instance expires (RFC 28 expiration)
};

/// A job that holds resources. A fact.
struct Allocation {
  JobId id;
  UserId user;
  graph::ResourceSet resources;  ///< what it still holds
  Span span;                     ///< start and expiration; end never(): without end
  EndOrigin end_origin = EndOrigin::own;
  /// The end that the plan counts with: the expiration, or past it an overrun estimate.
  Time planned_end;
};

/// What an allocation takes of the profile: it counts from the beginning of time, so that no
/// change point lies behind now.
inline Span held_span(const Allocation& allocation) {
  return {profile::kBeginning, allocation.planned_end};
}

/// How a started job came to its start (RFC 27 selection_type).
enum class Selection {
  immediate,   ///< at its turn, nobody before it waits
  reserved,    ///< at its planned start
  backfilled,  ///< ahead of a job that waits
};
std::string_view to_string(Selection selection);

/// A decision that a job starts now. The engine holds the resources from this moment on.
struct Start {
  JobId id;
  UserId user;
  match::Placement placement;
  EndOrigin end_origin = EndOrigin::own;
  Selection selection = Selection::immediate;
  std::uint64_t nslots = 1;
  PendingJob job{};  ///< as it waited: what a start that fails goes back to
};

/// Why a job waits, in numbers; describe() makes a sentence of it.
struct Reason {
  enum class Code {
    busy,              ///< not enough is free now; enough will be at `until`
    promised,          ///< enough is free now, but not for long enough: `until` and `blocker`
    beyond_depth,      ///< would have to wait, and the policy plans no more future starts
    not_reached,       ///< behind the job at which the pass stopped, or beyond queue-depth
    not_up,            ///< enough nodes exist but too few of them are up
    behind_unlimited,  ///< behind jobs without an end
    instance_ends,     ///< would not end before the instance does
    not_planned_yet,   ///< no pass has looked at the job since something changed
  };
  Code code = Code::not_planned_yet;
  std::uint64_t wanted = 0;  ///< nodes, or slots when the request is for slots anywhere
  std::uint64_t free = 0;    ///< of those, free now
  bool in_slots = false;
  Time until = Time::never();
  /// Enough is free now, but only until then; absent: not enough is free now.
  std::optional<Time> free_until{};
  Duration would_start;  ///< the longest walltime that would start now (free_until set)
  JobId blocker;         ///< a job that holds or is promised what is missing; 0: none
  std::string missing;   ///< not_up: the matcher's own words
};

/// Writes a time for people: scenarios print seconds, Flux prints local time.
using TimeText = std::function<std::string(Time)>;

/// "needs 4 nodes, 2 free now; enough at 660 (ƒA)", "needs 4 nodes, 6 free now but only until
/// 300, 5m would start; enough at 660 (ƒA)".
std::string describe(const Reason& reason, const TimeText& time_text);

/// What the plan says about a waiting job.
struct PlannedJob {
  enum class Outcome {
    reserved,   ///< starts at placement.span.start on placement.resources
    waiting,    ///< looked at; waits without a planned start
    unplanned,  ///< cannot be planned at all now; does not count against any depth
  };
  QueueKey key;
  std::uint32_t queue = 0;  ///< position among the engine's queues
  Outcome outcome = Outcome::waiting;
  match::Placement placement;  ///< reserved only
  Reason::Code why = Reason::Code::busy;
  /// waiting only: it fits behind the last change point of the profile, where nothing but
  /// work without an end can put it beyond planning.
  bool fits_in_the_end = false;

  friend bool operator==(const PlannedJob&, const PlannedJob&) = default;
};

}  // namespace tenure::plan
