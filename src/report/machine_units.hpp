// What `units` of a job counts in results of scenarios and snapshots: nodes when every request is
// for whole nodes, else cores.
#pragma once

#include <cstdint>

#include "graph/resource_graph.hpp"
#include "graph/resource_set.hpp"
#include "jobspec/jobspec.hpp"
#include "report/result.hpp"

namespace tenure::report {

enum class UnitKind { node, core };

/// True when the request leaves the rest of its nodes to others.
bool shares_nodes(const jobspec::Jobspec& jobspec);

Cluster cluster_of(const graph::ResourceGraph& graph, UnitKind kind);
std::uint64_t units_of(const graph::ResourceSet& set, const graph::ResourceGraph& graph,
                       UnitKind kind);
/// Of a job without resources; whole nodes are taken for nodes of the cluster's first make.
std::uint64_t units_of(const jobspec::Jobspec& jobspec, const Cluster& cluster, UnitKind kind);

}  // namespace tenure::report
