// hwloc: the topology of one node, as lstopo writes it in XML, for one node or several alike.
//
// The file is read directly, not by libhwloc: files of hwloc 3 are refused by the libhwloc 2.9
// of Debian 12, and every version (1, 2, 3) is a tree of `object` elements.
//
// Vertices: cluster, and below it a node (name: HostName of the file) of group, numanode,
// socket, L3cache, L2cache, L1cache, core, pu, gpu and storage, numbered by type in the order of
// the file, which is hwloc's logical order. Dies, instruction and memory-side caches and bridges
// are passed through.
//  - A numanode is a level around what is local to it; further ones at the same place (HBM
//    beside DRAM) stand beside the first.
//  - A gpu is a device of CUDA, RSMI or OpenCL, once per device of the bus, with its number
//    there; a storage is a block device with its size in GB and the property LinuxDeviceID.
//
// Errors: `invalid` for XML that is none (with the byte) or no topology, several machines;
// `limit` for nesting beyond kMaxHwlocDepth. O(length + vertices).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "graph/resource_graph.hpp"

namespace tenure::graph {

inline constexpr std::uint32_t kMaxHwlocDepth = 200;

struct HwlocOptions {
  /// Types that are loaded, beside cluster and node; empty: all.
  std::vector<std::string> allow = {};
  /// Nodes of this kind, ranks from 0. One has the file's HostName (node0 without one),
  /// several are node0, node1, ….
  std::uint64_t nodes = 1;
};

Result<ResourceGraph> read_hwloc(std::string_view text, const HwlocOptions& options = {});

}  // namespace tenure::graph
