// Graphs with racks, sockets and pools, and requests as shapes, for tests of tree matching.
#pragma once

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <variant>

#include "graph/graph_builder.hpp"
#include "graph/vertices.hpp"
#include "jobspec/canonical.hpp"
#include "jobspec/shape.hpp"
#include "match/tree_matcher.hpp"

namespace tenure::match {

struct LabShape {
  int racks = 2;
  int nodes = 3;  ///< of each rack
  int sockets = 2;
  int cores = 4;     ///< of each socket
  int gpus = 1;      ///< of each socket
  int memories = 2;  ///< of each socket, of 4 GB
  int ssds = 2;      ///< of each rack
};

/// Ids of nodes run through the cluster, of cores, gpus and memory through the node.
inline graph::ResourceGraph make_lab(const LabShape& lab = {}) {
  graph::GraphBuilder builder;
  const auto add = [&](std::string_view type, std::int64_t id, std::int64_t rank = -1,
                       std::int64_t size = 1) {
    graph::VertexSpec spec{.type = type};
    spec.id = id;
    spec.rank = rank;
    spec.size = size;
    return *builder.add(spec);
  };
  const auto root = add("cluster", 0);
  for (int r = 0; r < lab.racks; ++r) {
    const auto rack = add("rack", r);
    builder.contain(root, rack);
    for (int n = 0; n < lab.nodes; ++n) {
      const int rank = r * lab.nodes + n;
      const auto node = add("node", rank, rank);
      builder.contain(rack, node);
      for (int s = 0; s < lab.sockets; ++s) {
        const auto socket = add("socket", s, rank);
        builder.contain(node, socket);
        const auto fill = [&](std::string_view type, int count, std::int64_t size) {
          for (int i = 0; i < count; ++i) {
            builder.contain(socket, add(type, s * count + i, rank, size));
          }
        };
        fill("core", lab.cores, 1);
        fill("gpu", lab.gpus, 1);
        fill("memory", lab.memories, 4);
      }
    }
    for (int d = 0; d < lab.ssds; ++d) builder.contain(rack, add("ssd", d));
  }
  auto graph = *std::move(builder).build();
  graph.mark_up_all();
  return graph;
}

/// "cluster0:s(rack0:s(node0:s(socket1(core4 core5 gpu1))))": shared vertices have ":s".
inline std::string show(const graph::ResourceGraph& graph, const Selection& selection) {
  const graph::Vertices vertices(graph);
  std::string text;
  std::uint32_t depth = 0;
  for (const Grant& grant : selection.granted) {
    const std::uint32_t own = vertices.depth(grant.vertex);
    if (!text.empty()) {
      if (own > depth) text += "(";
      text += std::string(depth > own ? depth - own : 0, ')');
      if (own <= depth) text += " ";
    }
    depth = own;
    text += vertices.name(grant.vertex) + (grant.access == Access::shared ? ":s" : "");
  }
  return text + std::string(depth, ')');
}

inline std::string show(const graph::ResourceGraph& graph, const TreeOutcome& outcome) {
  if (const auto* placement = std::get_if<TreePlacement>(&outcome)) {
    return show(graph, placement->selection);
  }
  if (const auto* never = std::get_if<Infeasible>(&outcome)) return "never: " + never->missing;
  return std::holds_alternative<OverBudget>(outcome) ? "over budget" : "not now";
}

inline TreeRequest request_of_json(const boost::json::value& resources,
                                   const jobspec::Constraint& constraint = {}) {
  jobspec::Canonical job;
  job.resources = *jobspec::parse_resources(resources, "resources");
  job.constraint = constraint;
  return *compile(job);
}

inline TreeRequest request_of(std::string_view shape, const jobspec::Constraint& constraint = {}) {
  return request_of_json(boost::json::value(*jobspec::parse_shape(shape)), constraint);
}

}  // namespace tenure::match
