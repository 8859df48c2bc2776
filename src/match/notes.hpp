// Notes: how close a failed search came, to say what a request lacks. Internal to match.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/resource_graph.hpp"
#include "match/tree_request.hpp"

namespace tenure::match {

class Notes {
 public:
  /// `have` of what a need asks for were found in one scope; the most counts.
  void add(const Need& need, std::uint64_t have, graph::Vertex scope);
  /// "ssd: needs 2 per rack, has 1"; empty when nothing was noted as missing. Where nothing at
  /// all was found for a need, what is missing inside it is named.
  std::string missing(const std::vector<Need>& needs, const graph::ResourceGraph& graph) const;

 private:
  struct Note {
    std::uint64_t best = 0;
    graph::Vertex scope;
  };
  std::map<const Need*, Note> notes_;
};

}  // namespace tenure::match
