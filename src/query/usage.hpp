// Usage: how much of the types that pruning filters count is used now, below every vertex.
//
// It orders the children in policies that stop on the first match, and is what `find
// agfilter=true` shows. A vertex counts its size. The totals are made when first asked for,
// O(vertices x depth); add and remove are O(granted vertices x depth).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/vertices.hpp"
#include "match/prune_filters.hpp"
#include "match/tree_matcher.hpp"

namespace tenure::query {

class Usage {
 public:
  struct Amount {
    std::uint64_t total = 0;
    std::uint64_t used = 0;
  };

  /// The graph must outlive it, unchanged but for status and properties.
  Usage(const graph::ResourceGraph& graph, match::PruneFilters filters);

  void add(const std::vector<match::Grant>& granted) { change(granted, 1); }
  void remove(const std::vector<match::Grant>& granted) { change(granted, -1); }

  /// Free of the first counted type that is below v; 0 when none is.
  std::uint64_t free(graph::Vertex v);
  /// What the filters count at v, by type, types that are not below it left out.
  std::vector<std::pair<std::string, Amount>> amounts(graph::Vertex v);

 private:
  void change(const std::vector<match::Grant>& granted, std::int64_t sign);
  void make_totals();
  std::size_t type_index(graph::Vertex v) const;

  graph::Vertices vertices_;
  match::PruneFilters filters_;
  std::vector<std::string> types_;
  bool has_totals_ = false;
  boost::unordered_flat_map<graph::Vertex, std::vector<Amount>> amounts_;
};

}  // namespace tenure::query
