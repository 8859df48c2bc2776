#include "query/ledger.hpp"

#include <algorithm>
#include <set>

#include "match/holding.hpp"

namespace tenure::query {

using graph::Vertex;
using match::Access;
using match::Grant;
using match::Selection;

namespace {

std::vector<Vertex> exclusive_of(const Selection& selection) {
  std::vector<Vertex> exclusive;
  for (const Grant& grant : selection.granted) {
    if (grant.access == Access::exclusive) exclusive.push_back(grant.vertex);
  }
  return exclusive;
}

}  // namespace

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::allocated:
      return "ALLOCATED";
    case JobState::reserved:
      return "RESERVED";
    case JobState::canceled:
      return "CANCELED";
  }
  return "";
}

Selection select(const graph::ResourceGraph& graph, const std::vector<Vertex>& exclusive) {
  const graph::Vertices vertices(graph);
  boost::unordered_flat_map<Vertex, Access> access;
  match::Holding holding(graph);
  for (const Vertex v : exclusive) {
    access[v] = Access::exclusive;
    holding.add(v);
    for (auto above = vertices.parent(v); above; above = vertices.parent(*above)) {
      if (!access.try_emplace(*above, Access::shared).second) break;
    }
  }
  Selection selection;
  selection.held = holding.resources();
  std::vector<Vertex> ahead{vertices.root()};
  while (!ahead.empty()) {
    const Vertex v = ahead.back();
    ahead.pop_back();
    const auto found = access.find(v);
    if (found == access.end()) continue;
    selection.granted.push_back({v, found->second});
    const std::vector<Vertex> children = vertices.children(v);
    ahead.insert(ahead.end(), children.rbegin(), children.rend());
  }
  return selection;
}

Ledger::Ledger(graph::ResourceGraph graph, Options options)
    : options_(std::move(options)),
      graph_(std::make_unique<graph::ResourceGraph>(std::move(graph))) {
  reset();
}

void Ledger::reset() {
  profile_ = std::make_unique<profile::Profile>(*graph_);
  usage_ = std::make_unique<Usage>(*graph_, options_.filters);
  matcher_ = std::make_unique<match::TreeMatcher>(
      *graph_, match::TreeOptions{.policy = options_.policy,
                                  .levels = match::Levels::strict,
                                  .filters = options_.filters,
                                  .weight = [this](Vertex v) { return usage_->free(v); },
                                  .subsystems = options_.subsystems});
}

const LedgerJob* Ledger::find(std::int64_t id) const {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : &found->second;
}

// ---- matching -----------------------------------------------------------------------------

Result<Span> Ledger::window(const match::TreeRequest& request) const {
  const Time end = Time() + options_.graph_time;
  if (request.duration.is_infinite()) return Span{Time(), end};
  constexpr std::int64_t kSecond = 1'000'000;
  const std::int64_t us = request.duration.count();
  const Duration whole = Duration::seconds(us / kSecond + (us % kSecond > 0 ? 1 : 0));
  if (whole > options_.graph_time) {
    return failure(ErrorCode::invalid, "duration: {} is beyond the time of the graph, {}",
                   format_fsd(request.duration), format_fsd(options_.graph_time));
  }
  return Span{Time(), Time() + whole};
}

namespace {

Result<MatchOutcome> outcome_of(match::TreeOutcome outcome) {
  if (auto* placed = std::get_if<match::TreePlacement>(&outcome)) {
    return MatchOutcome(Claim{placed->span, std::move(placed->selection)});
  }
  if (auto* never = std::get_if<match::Infeasible>(&outcome)) {
    return MatchOutcome(std::move(*never));
  }
  if (std::holds_alternative<match::OverBudget>(outcome)) {
    return failure(ErrorCode::limit, "the request is too ambiguous: given up after {} steps",
                   match::kStepBudget);
  }
  return MatchOutcome(NotNow{});
}

}  // namespace

Result<MatchOutcome> Ledger::match_now(const match::TreeRequest& request) {
  const auto span = window(request);
  if (!span) return span.error();
  return outcome_of(matcher_->match(request, *profile_, *span));
}

Result<MatchOutcome> Ledger::match_earliest(const match::TreeRequest& request) {
  const auto span = window(request);
  if (!span) return span.error();
  const Time end = Time() + options_.graph_time;
  const Duration duration =
      request.duration.is_infinite() ? Duration::infinite() : span->end - span->start;
  auto found = outcome_of(matcher_->earliest(request, *profile_, Time(), duration, end));
  if (!found || !std::holds_alternative<NotNow>(*found)) return found;
  auto possible = satisfiability(request);
  if (!possible || std::holds_alternative<match::Infeasible>(*possible)) return possible;
  return MatchOutcome(match::Infeasible{"it fits at no time"});
}

Result<MatchOutcome> Ledger::satisfiability(const match::TreeRequest& request) {
  if (const auto span = window(request); !span) return span.error();
  return outcome_of(matcher_->satisfiability(request));
}

// ---- jobs ---------------------------------------------------------------------------------

void Ledger::put(const LedgerJob& job) {
  profile_->add(job.span, job.selection.held);
  if (is_now(job)) usage_->add(job.selection.granted);
}

void Ledger::take_out(const LedgerJob& job) {
  profile_->remove(job.span, job.selection.held);
  if (is_now(job)) usage_->remove(job.selection.granted);
}

Result<void> Ledger::add(std::int64_t id, JobState state, Claim claim) {
  if (jobs_.contains(id)) return failure(ErrorCode::exists, "job {} exists already", id);
  if (claim.span.empty()) return failure(ErrorCode::invalid, "job {}: its time is empty", id);
  if (!profile_->is_free(claim.span, claim.selection.held)) {
    return failure(ErrorCode::conflict, "job {}: some of its resources are taken", id);
  }
  const auto [place, ignored] =
      jobs_.try_emplace(id, LedgerJob{state, claim.span, std::move(claim.selection)});
  put(place->second);
  return {};
}

Result<void> Ledger::cancel(std::int64_t id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || !is_active(found->second)) {
    return failure(ErrorCode::not_found, "nonexistent job {}", id);
  }
  take_out(found->second);
  found->second.state = JobState::canceled;
  return {};
}

Result<void> Ledger::release(std::int64_t id, const std::vector<Vertex>& part) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || !is_active(found->second)) {
    return failure(ErrorCode::not_found, "nonexistent job {}", id);
  }
  LedgerJob& job = found->second;
  if (job.state == JobState::reserved) {
    return failure(ErrorCode::unsupported,
                   "reservations not currently supported by partial cancel");
  }
  const std::set<Vertex> freed(part.begin(), part.end());
  std::vector<Vertex> left = exclusive_of(job.selection);
  const std::size_t had = left.size();
  std::erase_if(left, [&](Vertex v) { return freed.contains(v); });
  if (left.size() == had) {
    return failure(ErrorCode::invalid, "job {} holds nothing of what is to be freed", id);
  }
  if (left.empty()) return cancel(id);
  Selection rest = select(*graph_, left);
  rest.slots = job.selection.slots;
  take_out(job);
  job.selection = std::move(rest);
  put(job);
  return {};
}

Result<void> Ledger::set_end(std::int64_t id, Time end) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || !is_active(found->second)) {
    return failure(ErrorCode::not_found, "nonexistent job {}", id);
  }
  LedgerJob& job = found->second;
  const Time limit = Time() + options_.graph_time;
  if (end <= job.span.start || end > limit) {
    return failure(ErrorCode::invalid, "expiration: {} is not after the start, {}, and up to {}",
                   format_seconds(end), format_seconds(job.span.start), format_seconds(limit));
  }
  const Span added{job.span.end, end};
  if (!added.empty() && !profile_->is_free(added, job.selection.held)) {
    for (const auto& [other, holder] : jobs_) {
      const bool in_the_way = other != id && is_active(holder) && holder.span.overlaps(added) &&
                              holder.selection.held.overlaps(job.selection.held);
      if (!in_the_way) continue;
      return failure(ErrorCode::conflict, "job {} holds some of its resources from {} to {}", other,
                     format_seconds(holder.span.start), format_seconds(holder.span.end));
    }
  }
  take_out(job);
  job.span.end = end;
  put(job);
  return {};
}

// ---- the machine --------------------------------------------------------------------------

bool Ledger::set_status(Vertex v, graph::Status status) { return graph_->set_status(v, status); }

bool Ledger::set_property(Vertex v, std::string_view name, std::string_view value) {
  return graph_->set_property(v, name, value);
}

void Ledger::drop_lost() {
  const graph::Vertices vertices(*graph_);
  std::vector<std::pair<std::int64_t, std::vector<Vertex>>> lost;
  for (const auto& [id, job] : jobs_) {
    if (!is_active(job)) continue;
    std::vector<Vertex> part = exclusive_of(job.selection);
    std::erase_if(part, [&](Vertex v) { return vertices.is_present(v); });
    if (!part.empty()) lost.emplace_back(id, std::move(part));
  }
  for (const auto& [id, part] : lost) {
    LedgerJob& job = jobs_.at(id);
    std::vector<Vertex> left = exclusive_of(job.selection);
    const std::set<Vertex> gone(part.begin(), part.end());
    std::erase_if(left, [&](Vertex v) { return gone.contains(v); });
    take_out(job);
    job.selection = select(*graph_, left);
    if (left.empty()) job.state = JobState::canceled;
    if (is_active(job)) put(job);
  }
  usage_ = std::make_unique<Usage>(*graph_, options_.filters);
  for (const auto& [id, job] : jobs_) {
    if (is_active(job) && is_now(job)) usage_->add(job.selection.granted);
  }
}

Result<void> Ledger::remove(Vertex v) {
  if (auto removed = graph_->remove(v); !removed) return removed.error();
  drop_lost();
  return {};
}

void Ledger::remove(const Idset& ranks) {
  graph_->shrink(ranks);
  drop_lost();
}

void Ledger::replace_graph(graph::ResourceGraph graph) {
  // Vertices of the old graph by uniq_id, which keep their meaning.
  const graph::Vertices before(*graph_);
  const graph::Vertices after(graph);
  boost::unordered_flat_map<std::int64_t, Vertex> found;
  after.for_each_in_preorder(after.root(), [&](Vertex v) {
    found[after.uniq_id(v)] = v;
    return true;
  });
  for (auto& [id, job] : jobs_) {
    std::vector<Vertex> exclusive;
    for (const Vertex v : exclusive_of(job.selection)) {
      exclusive.push_back(found.at(before.uniq_id(v)));
    }
    job.selection = select(graph, exclusive);
  }
  *graph_ = std::move(graph);
  reset();
  for (const auto& [id, job] : jobs_) {
    if (is_active(job)) put(job);
  }
}

}  // namespace tenure::query
