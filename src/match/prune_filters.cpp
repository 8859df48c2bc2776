#include "match/prune_filters.hpp"

#include <algorithm>

namespace tenure::match {

Result<PruneFilters> PruneFilters::parse(std::string_view text) {
  std::string plain;
  std::ranges::copy_if(text, std::back_inserter(plain),
                       [](char c) { return c != ' ' && c != '\t' && c != '\n'; });
  PruneFilters filters;
  std::string_view rest = plain;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view pair = rest.substr(0, comma);
    const std::size_t colon = pair.find(':');
    const bool dangling = comma != std::string_view::npos && comma + 1 == rest.size();
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == pair.size() ||
        pair.find(':', colon + 1) != std::string_view::npos || dangling) {
      return failure(ErrorCode::invalid, "{} is no pair of types such as ALL:core or rack:node",
                     in_quotes(dangling ? rest : pair));
    }
    const std::string_view at = pair.substr(0, colon);
    filters.pairs_.push_back(
        {at == "ALL" ? std::string() : std::string(at), std::string(pair.substr(colon + 1))});
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return filters;
}

bool PruneFilters::counts(std::string_view at, std::string_view counted) const {
  return std::ranges::any_of(pairs_, [&](const Pair& pair) {
    return pair.counted == counted && (pair.at.empty() || pair.at == at);
  });
}

std::vector<std::string> PruneFilters::counted_types() const {
  std::vector<std::string> types;
  for (const Pair& pair : pairs_) {
    if (std::ranges::find(types, pair.counted) == types.end()) types.push_back(pair.counted);
  }
  return types;
}

}  // namespace tenure::match
