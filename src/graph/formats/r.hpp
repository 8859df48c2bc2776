// R (RFC 20 version 1): reading an inventory or an allocation, writing an allocation.
//
// The reader validates everything it uses and names the key, the value and what would be
// valid. A `scheduling` key that is understood (JGF, TreePool) adds its tree to the graph
// (graph/formats/scheduling.hpp); it is kept as it came, and the R of an allocation has what of
// it belongs there (RFC 20: it rides along). Instance-local properties (leading '+') are left
// out of written Rs. An execution target without cores ("children": {}) is a storage node;
// children of other types than core and gpu become pools as well. A node with a tree has
// children core and gpu only, and an R with all of them has the node.
// Linear in the length of the text plus the number of ranks.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "graph/resource_graph.hpp"
#include "graph/resource_set.hpp"

namespace tenure::graph {

/// The times of an R; `expiration` never() when unset (0 or absent), `start` the epoch.
struct RTimes {
  Time start;
  Time expiration = Time::never();
};

struct Inventory {
  ResourceGraph graph;
  RTimes times;
  std::optional<boost::json::value> scheduling;  ///< as it came
};

/// Reads an instance's inventory. Errors: `invalid` (key, value, what would be valid): a
/// rank in two R_lite entries, a nodelist whose length differs from the number of ranks,
/// a bad idset, an illegal character in a property name, expiration <= starttime; `limit`
/// beyond kMaxNodes, kMaxUnits or kMaxShapeBits.
Result<Inventory> read_inventory(const boost::json::value& r);

struct Allocation {
  ResourceSet resources;
  RTimes times;
  std::uint64_t unknown_ranks = 0;  ///< ranks that the graph does not have, left out
  std::uint64_t unknown_units = 0;  ///< core or gpu ids likewise
};

/// Reads the R of a job against a graph: by rank, from `execution` alone (R5). Ranks or
/// units that the graph does not have are counted and left out: after a shrink this is no
/// error (R2). Nodes lost by shrink count as unknown. Errors: `invalid` for malformed R only.
Result<Allocation> read_allocation(const boost::json::value& r, const ResourceGraph& graph);

/// The ranks that an R names, known or not: all that a free (RFC 27) needs of it.
Result<Idset> read_ranks(const boost::json::value& r);

/// What the writer adds to a resource set.
struct RHeader {
  RTimes times = {};
  std::uint64_t nslots = 1;
  const boost::json::value* scheduling = nullptr;  ///< emitted when set
};

/// Writes an R for an allocation: R_lite grouped by equal children, in rank order, with
/// nodelist, nslots, starttime, expiration (0 when never) and the properties of its nodes.
boost::json::object write_r(const ResourceSet& set, const ResourceGraph& graph,
                            const RHeader& header);

/// Writes the inventory of some nodes, instance-local properties included. With all nodes,
/// read_inventory() gives an equal graph again, every node present and down.
boost::json::object write_inventory(const ResourceGraph& graph, const NodeSet& nodes,
                                    const RHeader& header);

/// Equal nodes with ranks from 0, hosts node0, node1, ….
struct RegularMachine {
  std::uint64_t nodes = 1;
  std::uint64_t cores = 1;  ///< of each node; 0: a storage node
  std::uint64_t gpus = 0;
};

/// Writes the inventory of a regular machine. Requires nodes > 0.
boost::json::object write_r(const RegularMachine& machine, RTimes times = {});

/// R_lite alone, as printed for sub-node placements.
boost::json::array write_r_lite(const ResourceSet& set, const ResourceGraph& graph);

/// "rank[0-1]/core[0-3],gpu0 rank2/core[0-7]": the resource_summary annotation.
std::string resource_summary(const ResourceSet& set, const ResourceGraph& graph);

}  // namespace tenure::graph
