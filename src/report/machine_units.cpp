#include "report/machine_units.hpp"

#include <algorithm>

#include "emul/checker.hpp"

namespace tenure::report {

bool shares_nodes(const jobspec::Jobspec& jobspec) { return !emul::demand_of(jobspec).exclusive; }

Cluster cluster_of(const graph::ResourceGraph& graph, UnitKind kind) {
  Cluster cluster;
  cluster.nodes = graph.target_count();
  std::uint64_t cores = 0;
  for (std::uint32_t i = 0; i < graph.target_count(); ++i) {
    cores += graph.shape_of(NodeIndex(i)).count("core");
  }
  if (graph.target_count() > 0) {
    cluster.cores_per_node = std::max(1U, graph.shape_of(NodeIndex(0)).count("core"));
  }
  cluster.unit = kind == UnitKind::core ? "core" : "node";
  cluster.units = kind == UnitKind::core ? cores : cluster.nodes;
  return cluster;
}

std::uint64_t units_of(const graph::ResourceSet& set, const graph::ResourceGraph& graph,
                       UnitKind kind) {
  return kind == UnitKind::core ? emul::units_in(set, graph, "core") : set.node_count();
}

std::uint64_t units_of(const jobspec::Jobspec& jobspec, const Cluster& cluster, UnitKind kind) {
  const emul::Demand demand = emul::demand_of(jobspec);
  if (kind == UnitKind::node) return demand.nodes;
  if (demand.exclusive) {
    return std::min(demand.nodes, cluster.nodes) * cluster.cores_per_node;
  }
  const auto cores = demand.units.find("core");
  return cores == demand.units.end() ? 0 : cores->second;
}

}  // namespace tenure::report
