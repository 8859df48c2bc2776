// Pruning filters: types whose free numbers are looked at before a vertex is tried.
//
// "ALL:core,rack:ssd": below every vertex count free cores, below racks free SSDs as well.
// Filters change speed, never results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tenure::match {

class PruneFilters {
 public:
  PruneFilters() = default;  ///< none

  /// "HL:LL[,HL:LL]…", white space ignored; "" for none. Errors: `invalid` with the pair.
  static Result<PruneFilters> parse(std::string_view text);

  /// True when vertices of type `at` count those of type `counted`.
  bool counts(std::string_view at, std::string_view counted) const;
  bool empty() const { return pairs_.empty(); }
  /// The types that are counted anywhere, in the order of the text, each once.
  std::vector<std::string> counted_types() const;

 private:
  struct Pair {
    std::string at;  ///< empty: ALL
    std::string counted;
  };
  std::vector<Pair> pairs_;
};

}  // namespace tenure::match
