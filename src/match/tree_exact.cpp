// The exact search of TreeSearch: all choices, in the order of the policy, with a budget.
#include <algorithm>

#include "match/tree_search.hpp"

namespace tenure::match {

using graph::Vertex;

namespace {

/// Most vertices that one choice may have: each takes some stack.
constexpr std::size_t kMaxExactPicks = 2'000;

}  // namespace

bool TreeSearch::fill_exactly(const Needs& needs) {
  const std::size_t before = state_->checkpoint();
  picks_.clear();
  slots_ = 0;
  if (exact_list(needs, 0, state_->vertices().root(), Begun::no, [] { return true; })) return true;
  undo(before);
  return false;
}

bool TreeSearch::exact_list(const Needs& needs, std::size_t index, Vertex scope, Begun begun,
                            const Continue& next) {
  if (index == needs.size()) return next();
  const Need& need = needs[index];
  const Continue rest = [&, index] { return exact_list(needs, index + 1, scope, begun, next); };
  if (!need.is_slot()) return exact_need(need, scope, begun, rest);
  const std::vector<Vertex> places = containers(need, scope, begun);
  // What is taken first from a larger count can be what another need waits for.
  for (auto count = need.count.at_most(kMaxExactPicks); count;
       count = *count > 1 ? need.count.at_most(*count - 1) : std::nullopt) {
    if (exact_slots(need, places, 0, *count, rest)) return true;
    if (is_over_budget()) return false;
  }
  return false;
}

bool TreeSearch::exact_need(const Need& need, Vertex scope, Begun begun, const Continue& next) {
  const std::vector<Vertex> vertices = candidates(need, scope, begun).vertices;
  std::uint64_t have = 0;
  for (const Vertex v : vertices) {
    const auto size =
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, state_->vertices().size(v)));
    if (is_possible(need, v)) have += size;
  }
  for (auto count = need.count.at_most(have); count;
       count = *count > 1 ? need.count.at_most(*count - 1) : std::nullopt) {
    if (exact_pick(need, vertices, 0, *count, next)) return true;
    if (is_over_budget()) return false;
  }
  return false;
}

bool TreeSearch::exact_pick(const Need& need, const std::vector<Vertex>& vertices, std::size_t from,
                            std::uint64_t missing, const Continue& next) {
  if (missing == 0) return next();
  if (picks_.size() >= kMaxExactPicks) steps_ = std::max(steps_, budget_ + 1);
  for (std::size_t i = from; i < vertices.size(); ++i) {
    const Vertex v = vertices[i];
    if (!is_possible(need, v)) continue;
    if (!step()) return false;
    const std::size_t checkpoint = state_->checkpoint();
    const std::size_t picked = picks_.size();
    const auto size =
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, state_->vertices().size(v)));
    const Continue after = [&, i, size] {
      Pick pick{v, need.access};
      if (options_->policy.is_node_exclusive() && v.is_target()) pick.access = Need::Access::whole;
      const std::size_t inside = state_->checkpoint();
      mark(pick);
      picks_.push_back(pick);
      if (exact_pick(need, vertices, i + 1, missing - std::min(missing, size), next)) return true;
      picks_.pop_back();
      undo(inside);
      return false;
    };
    if (exact_list(need.with, 0, v, Begun::yes, after)) return true;
    undo(checkpoint);
    picks_.resize(picked);
    if (is_over_budget()) return false;
  }
  return false;
}

bool TreeSearch::exact_slots(const Need& slot, const std::vector<Vertex>& places, std::size_t from,
                             std::uint64_t missing, const Continue& next) {
  if (missing == 0) return next();
  for (std::size_t i = from; i < places.size(); ++i) {
    for (std::size_t k = 0; k <= slot.others.size(); ++k) {
      if (!step()) return false;
      const Needs& content = k == 0 ? slot.with : slot.others[k - 1];
      const std::size_t checkpoint = state_->checkpoint();
      const std::size_t picked = picks_.size();
      ++slots_;
      const Continue after = [&, i] { return exact_slots(slot, places, i, missing - 1, next); };
      if (exact_list(content, 0, places[i], Begun::yes, after)) return true;
      --slots_;
      undo(checkpoint);
      picks_.resize(picked);
      if (is_over_budget()) return false;
    }
  }
  return false;
}

}  // namespace tenure::match
