// Checker: finds faults of the scheduler from outside.
//
// It is told what crosses the message boundary, and looks at the plan after each pass. It
// shares no state with the engine and does not use the matcher: what a request demands is
// read from the jobspec tree again, so that a mistake there is seen here.
//
// What counts as a fault
//  1. A unit given to two jobs at once; an R on a node that is down or lost at that time.
//  2. An R that does not satisfy its request: nodes, units per type, constraint, times.
//  3. An alloc that is answered twice, or an answer or annotation that nobody waits for.
//  4. A job that waits and the scheduler does not know, one that it kept after its final
//     free, an allocation with other resources or another end than was told.
//  5. A plan that promises a unit twice at one time, in the past, or on resources that are
//     not free; on nodes that are down; too short; beyond the instance's end.
//  6. A plan that breaks its policy: more future starts than it allows; under `easy` the
//     head job's planned start moving later though no fact changed that could excuse it.
//
// Messages cost O(nodes of the job); a plan check is O(n log n) in the resource spans of
// the plan. Off by option for long replays.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "graph/resource_graph.hpp"
#include "jobspec/jobspec.hpp"
#include "plan/engine.hpp"
#include "plan/job.hpp"
#include "plan/options.hpp"

namespace tenure::emul {

/// What a jobspec asks for in sum, read from its tree.
struct Demand {
  std::uint64_t nodes = 0;                     ///< exactly so many nodes; 0: any number
  bool exclusive = false;                      ///< whole nodes
  std::map<std::string, std::uint64_t> units;  ///< per type, in all
};
/// Counts saturate.
Demand demand_of(const jobspec::Jobspec& jobspec);

/// Units of a type that the set holds: of whole nodes all, of parts what they name.
std::uint64_t units_in(const graph::ResourceSet& set, const graph::ResourceGraph& graph,
                       std::string_view type);

/// The plan as the checker looks at it. A test may fill one by hand.
struct PlanView {
  const graph::ResourceGraph* graph = nullptr;  ///< the scheduler's own
  const std::map<JobId, plan::Allocation>* allocations = nullptr;
  std::span<const plan::PlannedJob> planned;
  std::vector<JobId> pending;
  plan::Options options;
  Time instance_expiration = Time::never();
};
PlanView view_of(const plan::Engine& engine);

class Checker {
 public:
  using Report = std::function<void(std::string_view)>;

  /// `machine` is the resource module's graph; it must outlive the checker.
  Checker(const graph::ResourceGraph& machine, Time instance_expiration, Report report);

  // ---- to the scheduler --------------------------------------------------------------
  void alloc(const plan::QueueKey& key, std::shared_ptr<const jobspec::Jobspec> jobspec);
  void free(JobId id, const Idset& ranks, plan::Engine::Release kind);
  /// A successful sched.expiration; never() is unset.
  void expiration(JobId id, Time end);
  void prioritize(std::span<const std::pair<JobId, Priority>> priorities);
  void instance_expiration(Time expiration);
  /// Nodes, properties or the configuration changed: an excuse for any plan to change.
  void facts_changed();
  /// A new scheduler: pending allocs are forgotten, they are sent again.
  void reloaded();

  // ---- from the scheduler ------------------------------------------------------------
  void succeeded(JobId id, const match::Placement& placement, Time now);
  void denied(JobId id) { answered(id, "DENY"); }
  void canceled(JobId id) { answered(id, "CANCEL"); }
  void annotated(JobId id);

  // ---- after a complete pass ---------------------------------------------------------
  void plan(const PlanView& view, Time now);

  std::uint64_t faults() const { return faults_; }

 private:
  struct Waiting {
    plan::QueueKey key;
    std::shared_ptr<const jobspec::Jobspec> jobspec;
  };
  struct Holding {
    graph::ResourceSet resources;
    Span span;
    bool follows_instance = false;
  };
  struct Head {
    plan::QueueKey key;
    Time start;
  };

  template <class... Args>
  void fault(fmt::format_string<Args...> format, Args&&... args);
  void answered(JobId id, std::string_view answer);
  void check_resources(JobId id, const jobspec::Jobspec& jobspec, const graph::ResourceGraph& graph,
                       const graph::ResourceSet& set);
  void check_span(JobId id, const jobspec::Jobspec& jobspec, Span span);
  void check_overlap(JobId id, const graph::ResourceSet& set);
  void check_known(const PlanView& view);
  void check_allocations(const PlanView& view);
  void check_reservations(const PlanView& view, Time now);
  void check_disjoint(const PlanView& view, Time now);
  static std::vector<std::uint64_t> allowed_starts(const plan::Options& options);
  void check_policy(const PlanView& view, Time now);
  bool overran(Time now) const;

  const graph::ResourceGraph* machine_;
  Time instance_expiration_;
  Report report_;
  std::map<JobId, Waiting> waiting_;
  std::map<JobId, Holding> holding_;
  std::vector<std::vector<JobId>> holders_;  ///< by node
  std::optional<Head> head_;
  bool excused_ = true;  ///< a fact changed that may move the head's start
  std::uint64_t faults_ = 0;
};

}  // namespace tenure::emul
