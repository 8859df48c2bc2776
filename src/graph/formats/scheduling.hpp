// The `scheduling` key of an R: the tree that a JGF document (RFC 40) or a TreePool topology
// (RFC 49) adds to the nodes and resources of `execution`.
//
// `execution` is authoritative: it says which nodes there are, under which ranks, and which
// cores and gpus of them (RFC 49; RFC 20 gives sub-instances an R with ranks of their own and
// `scheduling` as the parent wrote it). The tree is cut to that:
//  - a node of the tree is the node of `execution` with the same host, several on one host in
//    rank order; it takes its rank; nodes that `execution` does not have are left out, and so
//    is what only they are below;
//  - cores, gpus and other types that `execution` lists are kept where it has their ids; types
//    that it does not speak of are kept;
//  - properties of `execution` are added.
#pragma once

#include <boost/json.hpp>

#include <optional>

#include "base/result.hpp"
#include "graph/resource_graph.hpp"
#include "graph/resource_set.hpp"

namespace tenure::graph {

/// Cuts a tree to an inventory read from `execution`. Errors: `invalid` for a node of
/// `execution` that the tree does not have, or a core or gpu of it.
Result<ResourceGraph> fit_to_execution(const ResourceGraph& tree, const ResourceGraph& execution);

/// The tree for an inventory; nullopt when `scheduling` is of another writer or has none.
/// Errors: those of the format and of fit_to_execution().
Result<std::optional<ResourceGraph>> read_scheduling(const boost::json::value& scheduling,
                                                     const ResourceGraph& execution);

/// What of the inventory's `scheduling` belongs into the R of an allocation: a TreePool's
/// entries of its ranks, or the JGF of what is allocated and all above it; another writer's
/// value as it is.
boost::json::value allocated_scheduling(const boost::json::value& scheduling,
                                        const ResourceSet& set, const ResourceGraph& graph);

}  // namespace tenure::graph
