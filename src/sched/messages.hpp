// The messages of RFC 27 and RFC 28 as values. codec.hpp turns them from and into JSON.
//
// Everything that arrives is validated by the codec before it becomes a message, so that
// the scheduler itself never sees malformed input.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/idset.hpp"
#include "base/time.hpp"
#include "graph/formats/r.hpp"
#include "graph/resource_set.hpp"
#include "jobspec/jobspec.hpp"
#include "plan/engine.hpp"
#include "plan/job.hpp"

namespace tenure::sched {

// ---- to the scheduler ------------------------------------------------------------------

/// sched.alloc. A jobspec that cannot be read is denied by the codec's caller, see
/// Scheduler::alloc.
struct AllocRequest {
  JobId id;
  Priority priority;
  UserId user;
  Time submit;
  std::shared_ptr<const jobspec::Jobspec> jobspec;
};

/// sched.free: ranks are never split over two frees, so ranks say everything.
struct FreeRequest {
  JobId id;
  Idset ranks;
  plan::Engine::Release kind = plan::Engine::Release::partial;
};

/// sched.expiration; `expiration` never() stands for 0, unset.
struct ExpirationRequest {
  JobId id;
  Time expiration;
};

struct PrioritizeRequest {
  std::vector<std::pair<JobId, Priority>> jobs;
};

/// One answer of job-manager.sched-hello, with the job's *current* R.
struct HelloJob {
  JobId id;
  Priority priority;
  UserId user;
  Time submit;
  Idset freed;  ///< ranks released already
  graph::Allocation allocation;
  /// The job's walltime if known; decides whether its end follows the instance. Unknown:
  /// it follows when the R has no expiration or exactly the instance's.
  std::optional<Duration> duration;
};

/// The first answer of resource.acquire.
struct AcquireInitial {
  graph::Inventory inventory;
  Idset up;  ///< absent or empty: everything is down
};

/// A later answer of resource.acquire. `shrink` takes precedence over `down`.
struct AcquireUpdate {
  Idset up;
  Idset down;
  Idset shrink;
  std::map<std::string, Idset> property_add;
  std::map<std::string, Idset> property_remove;
  std::optional<Time> expiration;  ///< never() stands for 0, none
};

// ---- from the scheduler ----------------------------------------------------------------

/// sched annotations; a member that is set is sent, an inner nullopt removes the key.
template <class T>
using Change = std::optional<std::optional<T>>;

struct Annotations {
  Change<Time> t_estimate;
  Change<std::string> reason_pending;
  Change<std::string> resource_summary;
  Change<std::string> selection_type;

  bool empty() const {
    return !t_estimate && !reason_pending && !resource_summary && !selection_type;
  }
  friend bool operator==(const Annotations&, const Annotations&) = default;
};

/// An allocation made: R is to be committed, then the alloc is answered with SUCCESS.
struct AllocSuccess {
  plan::Start start;
  Annotations annotations;
};

/// The answer of sched.resource-status.
struct ResourceStatus {
  graph::ResourceSet all;
  graph::ResourceSet allocated;
  graph::ResourceSet down;
};

enum class LogLevel { error, warning, notice, info, debug };

}  // namespace tenure::sched
