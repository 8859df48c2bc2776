// Engine: the scheduler's state machine. Events in, decisions out.
//
// Facts are what the outside says (allocations, waiting jobs, node state, expiration,
// options). The plan is derived: plan = f(facts, now). An event changes a fact and gives
// back the first queue position whose decision could differ; the plan before it is kept,
// and plan() goes on from there. docs/design/planning.md has each rule with its proof.
//
// Invariants
//  1. No clock, no thread, no file, no output, no random number; `now` never goes back.
//  2. After a complete pass, the plan and the starts are those of a new engine that is
//     given the same facts and the same now (incremental = from scratch).
//  3. Where a pass was interrupted does not show in its decisions.
//  4. Nothing is given twice: a unit is held by at most one allocation, whatever its end.
//  5. A refused event changes nothing.
//  6. An allocation past its end counts until now + overrun_estimate; nothing is planned
//     on it before that, and nothing starts on it before it is released.
//
// Complexity: see docs/design/planning.md; facts are O(log jobs) plus what they move in the
// profile, a pass is one placement search for each position from the first invalid one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/result.hpp"
#include "base/time.hpp"
#include "graph/resource_graph.hpp"
#include "match/matcher.hpp"
#include "plan/job.hpp"
#include "plan/options.hpp"
#include "profile/profile.hpp"

namespace tenure::plan {

/// Asked after each job of a pass: false ends the slice.
using KeepGoing = std::function<bool()>;

enum class PassState {
  complete,    ///< the plan is whole
  interrupted  ///< call plan() again to go on
};

struct PassCounters {
  std::uint64_t passes = 0;  ///< complete passes
  std::uint64_t slices = 0;
  std::uint64_t jobs_planned = 0;  ///< placement searches made
  std::uint64_t decisions_undone = 0;
  std::uint64_t expiration_updates = 0;
};

class Engine {
 public:
  Engine(graph::ResourceGraph graph, Time instance_expiration, Options options);
  Engine(const Engine& other);  ///< a fork: same facts, same plan, independent
  Engine& operator=(const Engine&) = delete;

  // ---- facts -------------------------------------------------------------------------

  /// Adds a waiting job. Errors: `exists` when the id waits or holds resources.
  Result<void> submit(PendingJob job);
  /// Removes a waiting job; false when the id does not wait.
  bool withdraw(JobId id);
  /// Changes priorities; ids that do not wait are skipped.
  void prioritize(std::span<const std::pair<JobId, Priority>> priorities);

  /// Takes over an allocation made by an earlier scheduler (RFC 27 hello). Resources that
  /// another allocation holds already are left out; the answer is on how many nodes.
  /// Errors: `exists` when the id waits or holds resources.
  Result<std::uint64_t> hold(Allocation allocation);
  /// Moves the end of an allocation. `end` never(): unset, held until the instance ends.
  /// Errors (design section 7): `not_found`, `invalid` with the value and what would be
  /// valid. The present value again is a success without any effect.
  Result<void> set_expiration(JobId id, Time end);
  /// Releases ranks of an allocation, everything when `final` (RFC 27 free). Returns what
  /// was really released; an unknown id or rank is no error (R2).
  enum class Release { partial, final };
  graph::ResourceSet release(JobId id, const Idset& ranks, Release kind);
  /// Takes back a start that could not be made known (a failed commit): the allocation goes,
  /// the job waits again at its old place.
  void take_back(JobId id, PendingJob job);

  void mark_up(const Idset& ranks);
  void mark_down(const Idset& ranks);
  void shrink(const Idset& ranks);
  void add_property(std::string_view name, const Idset& ranks);
  void remove_property(std::string_view name, const Idset& ranks);
  /// never(): none. Allocations with EndOrigin::instance follow.
  void set_instance_expiration(Time expiration);
  void set_options(const Options& options);

  // ---- planning ----------------------------------------------------------------------

  /// Goes on with the pass at time `now`; starts are appended to starts(). `keep_going`
  /// may be empty: no limit.
  PassState plan(Time now, const KeepGoing& keep_going = {});
  /// Takes the starts decided since the last call, in decision order.
  std::vector<Start> take_starts();
  /// True when plan() at the time of the last pass would change nothing.
  bool is_complete() const { return complete_; }
  /// When plan() must be called though no event arrives: the earliest planned start; never().
  Time next_wakeup() const;

  // ---- views -------------------------------------------------------------------------

  /// Could such a job ever run here? nullopt: yes. Considers the instance's expiration at
  /// `now` for requests with a duration. Never waits behind planning.
  std::optional<match::Infeasible> infeasible(const match::Request& request, Duration duration,
                                              Time now) const;
  /// Waiting jobs looked at by the last pass, in queue order.
  std::span<const PlannedJob> planned() const { return plan_; }
  /// The plan's entry of a waiting job, or nullptr when no pass reached it.
  const PlannedJob* find_planned(JobId id) const;
  Reason explain(JobId id, Time now) const;

  const std::map<JobId, Allocation>& allocations() const { return allocations_; }
  const PendingJob* find_pending(JobId id) const;
  const Allocation* find_allocation(JobId id) const;
  std::size_t pending_count() const { return place_of_.size(); }
  /// Calls fn(const PendingJob&) in queue order, the queues merged. O(jobs x queues).
  template <class Fn>
  void for_each_pending(Fn&& fn) const {
    for (const PendingJob* job = first_pending(); job != nullptr; job = next_pending(*job)) {
      fn(*job);
    }
  }
  bool is_overrun(const Allocation& allocation, Time now) const {
    return allocation.span.end <= now;
  }

  const graph::ResourceGraph& graph() const { return graph_; }
  const profile::Profile& profile() const { return profile_; }
  const match::Matcher& matcher() const { return matcher_; }
  Time now() const { return now_; }  ///< of the last pass
  Time instance_expiration() const { return instance_expiration_; }
  const Options& options() const { return options_; }
  const PassCounters& counters() const { return counters_; }

 private:
  using Jobs = std::map<QueueKey, PendingJob>;

  /// One queue: its waiting jobs, and what its part of the plan has used of its depths.
  struct Queue {
    std::uint64_t future_starts = 0;
    std::uint64_t queue_depth = 0;
    bool stop_at_first_wait = false;  ///< fcfs
    Jobs jobs;
    std::uint64_t counted = 0;     ///< entries of the plan that are not unplanned
    std::uint64_t reserved = 0;    ///< entries that are reserved
    bool stopped_at_wait = false;  ///< its last entry ended a fcfs pass

    /// True when the pass looks at no job of the queue behind its last entry.
    bool is_stopped() const { return stopped_at_wait || counted >= queue_depth; }
  };
  /// What a reservation tells about the jobs behind it: see no_start_before().
  struct Bound {
    std::uint64_t wanted = 0;
    Duration duration;
    Time start = profile::kBeginning;   ///< without a reservation: no bound
    const std::string* key = nullptr;   ///< of the request
    Time latest = profile::kBeginning;  ///< no bound up to this one has a later start
  };
  /// Where a waiting job is kept.
  struct Place {
    std::uint32_t queue = 0;
    QueueKey key;
  };

  // facts: engine_facts.cpp
  void set_queues();
  std::uint32_t queue_of(const std::string& name) const;
  const PendingJob* first_pending() const;
  const PendingJob* next_pending(const PendingJob& job) const;
  void forget_end(const Allocation& allocation);
  void note_end(const Allocation& allocation);
  void set_planned_end(Allocation& allocation, Time end);
  Time planned_end_of(Time end) const;
  void set_end(Allocation& allocation, Time end);
  Result<void> require_unknown(JobId id) const;
  void enqueue(PendingJob job);
  void dequeue(Place place);

  // what an event invalidates: engine_plan.cpp; each rule is proved in planning.md
  using Affected = std::function<bool(const PlannedJob&, const PendingJob&)>;
  std::size_t position(const QueueKey& key) const;
  void undo_first(std::size_t from, const Affected& affected);
  const PlannedJob* last_entry_of(std::uint32_t queue) const;
  void uncount(const PlannedJob& entry);
  void undo_from(std::size_t position);
  match::Placement drop_entry(std::size_t position);
  void on_taken(const graph::ResourceSet& resources, Span span);
  void on_freed(const graph::ResourceSet& resources, Time from, std::size_t first = 0);
  bool may_be_put_beyond_planning(const PlannedJob& entry, const PendingJob& job,
                                  const graph::ResourceSet& resources, Time end) const;
  void on_usable_nodes_grew(const graph::NodeSet& nodes);
  void on_nodes_lost(const graph::NodeSet& nodes);
  void on_constraints_changed();
  void on_room_for_reservation(std::uint32_t queue, std::size_t first);

  // the pass: engine_pass.cpp
  std::optional<Place> next_place() const;
  void follow_overruns();
  void start_due();
  Selection selection_of(const PendingJob& job) const;
  void decide(const Place& place);
  std::optional<match::Placement> place_now(const PendingJob& job) const;
  std::optional<match::Placement> place_later(const PendingJob& job, Time from) const;
  Time no_start_before(const PendingJob& job) const;
  bool fits_in_the_end(const PendingJob& job) const;
  void start(const Place& place, match::Placement placement, Selection selection);
  void on_started(const Allocation& allocation);
  void append(const Place& place, PlannedJob::Outcome outcome, Reason::Code why,
              match::Placement placement = {});
  Reason::Code why_unplanned(const PendingJob& job) const;
  using ReservedEnd = std::pair<Time, std::uint32_t>;  ///< and the position in plan_
  const std::vector<ReservedEnd>& reserved_ends() const;
  JobId find_blocker(const PlannedJob& entry) const;

  graph::ResourceGraph graph_;
  Time instance_expiration_;
  Options options_;
  match::Matcher matcher_;
  profile::Profile profile_;   ///< allocations and reservations
  std::vector<Queue> queues_;  ///< at least one
  boost::unordered_flat_map<std::string, std::uint32_t> queue_by_name_;
  boost::unordered_flat_map<JobId, Place> place_of_;
  std::map<JobId, Allocation> allocations_;
  std::set<std::pair<Time, JobId>> ends_;     ///< ends of allocations that are not overrun
  std::set<JobId> overrun_;                   ///< past their end as of now_, not released
  std::vector<PlannedJob> plan_;              ///< by queue key
  std::vector<const PendingJob*> plan_jobs_;  ///< the jobs of plan_, same positions
  std::vector<Bound> bounds_;                 ///< likewise
  std::uint64_t counted_ = 0;                 ///< entries of plan_ that are not unplanned
  /// Planned starts of the last complete pass that were undone since.
  boost::unordered_flat_map<JobId, Time> promised_;
  std::vector<Start> starts_;
  PassCounters counters_;
  mutable std::vector<ReservedEnd> reserved_ends_;  ///< for reasons; see reserved_ends()
  mutable std::uint64_t reserved_ends_version_ = 0;
  mutable std::size_t reserved_ends_plan_size_ = 0;
  Time now_ = profile::kBeginning;  ///< of the last pass
  bool complete_ = false;
};

}  // namespace tenure::plan
