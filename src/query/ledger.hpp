// Ledger: allocations and reservations over a whole resource graph, by job id.
//
// The state behind the query shell; it knows no commands, no files and no clock: `now` is time
// 0, as in the tool that the shell replaces.
//
// Invariants
//  1. All or nothing: what fails leaves ledger, graph and profile as they were.
//  2. No unit is held twice at one instant. What a job holds is what its granted exclusive
//     vertices hold, with all below them.
//  3. Nothing is held beyond the end of the graph's time.
//
// A match costs one TreeMatcher search, a reservation one for each change point up to its start;
// the other operations O(what the job holds), attach O(graph).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "graph/resource_graph.hpp"
#include "match/tree_matcher.hpp"
#include "match/tree_request.hpp"
#include "profile/profile.hpp"
#include "query/usage.hpp"

namespace tenure::query {

/// The end of a graph's time when nothing says otherwise: 100 years.
inline constexpr Duration kGraphTime = Duration::seconds(3'153'600'000);

enum class JobState { allocated, reserved, canceled };
std::string_view to_string(JobState state);

struct LedgerJob {
  JobState state = JobState::allocated;
  Span span;
  match::Selection selection;
};

/// When and what: of a match, or of an allocation given as R.
struct Claim {
  Span span;
  match::Selection selection;
};
/// Not now (allocate), though perhaps later.
struct NotNow {};
using MatchOutcome = std::variant<Claim, NotNow, match::Infeasible>;

class Ledger {
 public:
  struct Options {
    match::SelectionPolicy policy{};
    match::PruneFilters filters{};
    std::optional<std::vector<std::string>> subsystems = std::nullopt;  ///< see TreeOptions
    Duration graph_time = kGraphTime;
  };

  /// Takes the machine as it is; the shell marks everything up first.
  Ledger(graph::ResourceGraph graph, Options options);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  const graph::ResourceGraph& graph() const { return *graph_; }
  const std::map<std::int64_t, LedgerJob>& jobs() const { return jobs_; }
  const LedgerJob* find(std::int64_t id) const;
  Usage& usage() { return *usage_; }

  // Matching changes nothing. Errors: `invalid` for a duration beyond the graph's time,
  // `limit` when the search was given up.

  Result<MatchOutcome> match_now(const match::TreeRequest& request);
  /// Infeasible when there is no time at which it fits.
  Result<MatchOutcome> match_earliest(const match::TreeRequest& request);
  /// Infeasible, or a claim on the empty machine.
  Result<MatchOutcome> satisfiability(const match::TreeRequest& request);

  /// Records a claim of the matcher, or checks one given as R. Errors: `exists` for an id in
  /// use, `invalid` for an empty span, `conflict` for resources that are taken.
  Result<void> add(std::int64_t id, JobState state, Claim claim);
  /// Errors: `not_found`.
  Result<void> cancel(std::int64_t id);
  /// Frees a part of a job; what is left without any exclusive vertex is cancelled. Errors:
  /// `not_found`; `unsupported` for reservations; `invalid` when the job has nothing of it.
  Result<void> release(std::int64_t id, const std::vector<graph::Vertex>& part);
  /// Moves the end of a job. Errors: `not_found`; `invalid` at or before its start, or
  /// beyond the graph's time; `conflict` naming a job that is in the way.
  Result<void> set_end(std::int64_t id, Time end);

  /// Each returns whether something changed.
  bool set_status(graph::Vertex v, graph::Status status);
  bool set_property(graph::Vertex v, std::string_view name, std::string_view value);
  /// Shrink by path: what jobs hold there is taken from them. Errors: `invalid` for the root.
  Result<void> remove(graph::Vertex v);
  /// Shrink by rank. Ranks that are not there are ignored.
  void remove(const Idset& ranks);
  /// Grow: takes a graph that has all vertices of the present one, by uniq_id.
  void replace_graph(graph::ResourceGraph graph);

  const match::TreeMatcher::Counters& counters() const { return matcher_->counters(); }

 private:
  bool is_active(const LedgerJob& job) const { return job.state != JobState::canceled; }
  static bool is_now(const LedgerJob& job) { return job.span.contains(Time()); }
  void put(const LedgerJob& job);
  void take_out(const LedgerJob& job);
  void drop_lost();
  void reset();
  Result<Span> window(const match::TreeRequest& request) const;

  Options options_;
  std::unique_ptr<graph::ResourceGraph> graph_;
  std::unique_ptr<profile::Profile> profile_;
  std::unique_ptr<Usage> usage_;
  std::unique_ptr<match::TreeMatcher> matcher_;
  std::map<std::int64_t, LedgerJob> jobs_;
};

/// Every vertex in `exclusive` exclusively, those above shared, in preorder.
match::Selection select(const graph::ResourceGraph& graph,
                        const std::vector<graph::Vertex>& exclusive);

}  // namespace tenure::query
