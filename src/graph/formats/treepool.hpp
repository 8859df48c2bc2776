// TreePool (RFC 49): the inside of nodes as trees of locality domains, in an R's `scheduling`.
//
// Reading makes a graph with one cluster above the nodes of `execution`. A domain becomes a
// vertex of its name (socket, numa, …), `cores` and `gpus` become vertices of type core and
// gpu, `memory` one of type memory with its size in GiB, a `storage` entry one of type storage
// with size and unit and the property `path`. Domains, memories and storages are numbered
// through the node. Of cores and gpus those count that `execution` has; what it has and the
// topology does not name is directly below the node.
//
// Ranks of `children` are the inventory's. Where they are not, being the parent's (an allocated
// R after flux-core has renumbered `execution`), the k-th of them is the inventory's k-th.
//
// O(vertices), a topology being read once however many ranks have it.
#pragma once

#include <boost/json.hpp>

#include "base/idset.hpp"
#include "base/result.hpp"
#include "graph/node_set.hpp"
#include "graph/resource_graph.hpp"

namespace tenure::graph {

/// Errors: `invalid` naming the place: a key of the wrong type, a core in two domains, a rank
/// in two entries, ranks that fit neither way; `limit` beyond kMaxUnits.
Result<ResourceGraph> read_treepool(const boost::json::object& scheduling,
                                    const ResourceGraph& execution);

/// The `scheduling` of some nodes. What the format has no word for (racks, network, units of
/// sizes) is left out; other types become domains.
boost::json::object write_treepool(const ResourceGraph& graph, const NodeSet& nodes);

/// The same value with `ranks` of its entries cut to an allocation's (RFC 49, Allocated R).
boost::json::object trim_treepool(const boost::json::object& scheduling, const Idset& ranks);

}  // namespace tenure::graph
