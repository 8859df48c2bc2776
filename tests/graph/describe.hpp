// A whole resource graph as text, so that two graphs can be compared.
#pragma once

#include <fmt/format.h>

#include <string>

#include "graph/vertices.hpp"

namespace tenure::graph {

inline std::string describe(const Vertices& vertices, Vertex v) {
  std::string text = fmt::format(
      "{}#{} {}:{} id={} rank={} size={}{}{}", vertices.path(v), vertices.uniq_id(v),
      vertices.type(v), vertices.basename(v), vertices.id(v), vertices.rank(v), vertices.size(v),
      vertices.unit(v), vertices.status(v) == Status::down ? " down" : "");
  for (const auto& [key, value] : vertices.properties(v)) text += fmt::format(" {}={}", key, value);
  return text + "\n";
}

/// Every vertex in preorder with all that is known of it, then every relation.
inline std::string describe(const ResourceGraph& graph) {
  const Vertices vertices(graph);
  std::string text;
  vertices.for_each_in_preorder(vertices.root(), [&](Vertex v) {
    text += describe(vertices, v);
    return true;
  });
  for (const Subsystem& subsystem : graph.topology().subsystems()) {
    for (const Vertex root : subsystem.roots()) {
      text += subsystem.name() + " root " + describe(vertices, root);
    }
    for (const Relation& relation : subsystem.relations()) {
      text += fmt::format("{} {} -> {} {}\n", subsystem.name(), vertices.uniq_id(relation.from),
                          vertices.uniq_id(relation.to),
                          graph.topology().relation_kinds()[relation.kind]);
    }
  }
  return text;
}

}  // namespace tenure::graph
