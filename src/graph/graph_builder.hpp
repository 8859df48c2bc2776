// GraphBuilder: collects vertices and edges in any order and makes a ResourceGraph.
//
// All readers of graphs (JGF, GRUG, TreePool, hwloc, grow) go through it, so that the rules
// of the graph are in one place: which vertex is a target, what is interior, what becomes a
// pool group, when two nodes have the same shape, and every error of structure.
//
// Rules
//  1. Containment is one tree: one root, one parent for every other vertex, no cycle.
//  2. The topmost vertex of each rank >= 0 is a target. When several subtrees carry one rank
//     the one of type node (or storage_node) is the target, and the others are pools.
//  3. Above targets lie interior vertices; rank-less vertices with nothing ranked below are
//     pools. A root without any rank below it is interior.
//  4. Vertices without a containment edge belong to the first subsystem that names them.
//  5. Names default to basename + id (basename alone when the id is negative), basename to
//     the type, uniq_id to the numbers above the largest given, in order of addition.
//  6. Several vertices may have one name below one parent, as several nodes may have one
//     host; a look-up by path finds the first.
//
// A vertex costs about 48 bytes while building, an edge 8. build() is O(n log n).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "graph/resource_graph.hpp"

namespace tenure::graph {

struct VertexSpec {
  std::string_view type;
  std::string_view basename = {};  ///< empty: the type
  std::string_view name = {};      ///< empty: basename + id
  std::int64_t id = -1;
  std::optional<std::int64_t> uniq_id = std::nullopt;
  std::int64_t rank = -1;
  std::int64_t size = 1;
  std::string_view unit = {};
  Status status = Status::up;
};

/// Most subsystems beside containment, and kinds of relations, that a graph may have.
inline constexpr std::size_t kMaxSubsystems = 64;

inline constexpr std::int64_t kMaxUniqId = std::int64_t{1} << 53;

class GraphBuilder {
 public:
  /// Number of a vertex, from 0 in order of addition.
  using Handle = std::uint32_t;

  /// Errors: `invalid` for an empty type, a '/' in a name, text that is not UTF-8, a negative
  /// size, a rank outside of -1 .. 4294967294; `limit` beyond kMaxVertices.
  Result<Handle> add(const VertexSpec& spec);
  void set_property(Handle vertex, std::string_view name, std::string_view value);
  /// The order of calls for one parent is the order of its children.
  void contain(Handle parent, Handle child);
  /// An edge of an auxiliary subsystem.
  void relate(std::string_view subsystem, Handle from, Handle to, std::string_view relation);
  std::size_t vertex_count() const { return vertices_.size(); }

  /// Errors: `invalid` (naming the vertices) for a second parent, a cycle, several roots or
  /// none, a root with a rank, a rank of two nodes or below another, a uniq_id given twice;
  /// `limit` beyond kMaxNodes, kMaxUnits, kMaxDepth, kMaxShapeBits, kMaxSubsystems
  /// or kMaxPropertyBits.
  Result<ResourceGraph> build() &&;

 private:
  struct Record {
    std::uint32_t kind;
    std::uint32_t name;  ///< in names_; 0: basename and id make the name
    std::int64_t id;
    std::int64_t uniq_id;  ///< kUnset until build()
    std::int64_t rank;
    Status status;
  };
  struct Edge {
    Handle from;
    Handle to;
  };
  struct AuxiliaryEdge {
    std::uint32_t subsystem;
    std::uint32_t relation;
    Edge edge;
  };
  class Assembly;
  static constexpr std::int64_t kUnset = std::numeric_limits<std::int64_t>::min();

  std::uint32_t kind_of(const VertexSpec& spec);
  std::uint32_t name_of(const VertexSpec& spec);

  std::vector<Record> vertices_;
  std::vector<VertexKind> kinds_;
  boost::unordered_flat_map<std::size_t, std::vector<std::uint32_t>> kinds_by_hash_;
  std::vector<std::string> names_{std::string()};
  boost::unordered_flat_map<std::string, std::uint32_t> name_index_;
  std::vector<Edge> contained_;
  std::vector<AuxiliaryEdge> related_;
  std::vector<std::string> subsystems_;  ///< one more than kMaxSubsystems: too many
  std::vector<std::string> relations_;
  std::map<Handle, std::map<std::string, std::string, std::less<>>> properties_;
};

}  // namespace tenure::graph
