#include "query/usage.hpp"

#include <algorithm>

namespace tenure::query {

using graph::Vertex;

Usage::Usage(const graph::ResourceGraph& graph, match::PruneFilters filters)
    : vertices_(graph), filters_(std::move(filters)), types_(filters_.counted_types()) {}

std::size_t Usage::type_index(Vertex v) const {
  return static_cast<std::size_t>(std::ranges::find(types_, vertices_.type(v)) - types_.begin());
}

void Usage::make_totals() {
  has_totals_ = true;
  vertices_.for_each_in_preorder(vertices_.root(), [&](Vertex v) {
    const std::size_t type = type_index(v);
    if (type == types_.size()) return true;
    for (auto above = vertices_.parent(v); above; above = vertices_.parent(*above)) {
      auto& amounts = amounts_[*above];
      amounts.resize(types_.size());
      amounts[type].total += static_cast<std::uint64_t>(vertices_.size(v));
    }
    return true;
  });
}

void Usage::change(const std::vector<match::Grant>& granted, std::int64_t sign) {
  for (const match::Grant& grant : granted) {
    if (grant.access != match::Access::exclusive) continue;
    const std::size_t type = type_index(grant.vertex);
    if (type == types_.size()) continue;
    const auto size = static_cast<std::uint64_t>(sign * vertices_.size(grant.vertex));
    for (auto above = vertices_.parent(grant.vertex); above; above = vertices_.parent(*above)) {
      auto& amounts = amounts_[*above];
      amounts.resize(types_.size());
      amounts[type].used += size;
    }
  }
}

std::uint64_t Usage::free(Vertex v) {
  if (!has_totals_) make_totals();
  const auto found = amounts_.find(v);
  if (found == amounts_.end()) return 0;
  for (const Amount& amount : found->second) {
    if (amount.total > 0) return amount.total - amount.used;
  }
  return 0;
}

std::vector<std::pair<std::string, Usage::Amount>> Usage::amounts(Vertex v) {
  if (!has_totals_) make_totals();
  std::vector<std::pair<std::string, Amount>> shown;
  const auto found = amounts_.find(v);
  if (found == amounts_.end()) return shown;
  for (std::size_t t = 0; t < types_.size(); ++t) {
    const bool counted = filters_.counts(vertices_.type(v), types_[t]);
    if (counted && found->second[t].total > 0) shown.emplace_back(types_[t], found->second[t]);
  }
  return shown;
}

}  // namespace tenure::query
