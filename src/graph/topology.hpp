// Topology: what lies above and beside the execution targets of a graph, which never
// changes once the graph is built: interior vertices, pool groups, auxiliary subsystems and
// the identity (type, id, uniq_id) of every vertex.
//
// Read it through Vertices (graph/vertices.hpp); matchers use it directly for speed.
//
// Holders. A ResourceGraph numbers two kinds of holders of units with NodeIndex:
//  - *targets* 0 .. target_count()-1: the topmost vertex of each rank, in rank order;
//  - *pool groups* behind them: the rank-less subtrees below one interior vertex (SSDs of a
//    rack, licences, a file system), and the vertices that only an auxiliary subsystem has.
//    A group is a forest with one shape; it has no rank, no host and is never up, so that
//    code about nodes does not meet it.
//
// Invariants
//  1. Interior vertices are in depth-first preorder; 0 is the root of containment. Each but
//     the root has a parent with a smaller number.
//  2. The children of an interior vertex are listed in the order of the input: interior
//     vertices, targets, and trees of pool groups (inner vertices whose parent is local 0).
//  3. A graph read from a plain R has one interior vertex, cluster0, above all targets.
//  4. uniq_id is unique over all vertices. Regular numbers are stored as a rule.
//
// Immutable, and shared by the copies of a graph: safe to read from several threads.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "graph/number_table.hpp"
#include "graph/vertex.hpp"

namespace tenure::graph {

/// Most vertices a graph may have; readers refuse more with a `limit` error.
inline constexpr std::uint64_t kMaxVertices = 20'000'000;
/// Deepest nesting of vertices; readers refuse more with a `limit` error.
inline constexpr std::uint32_t kMaxDepth = 1'000;
/// The subsystem of the tree; every other one is auxiliary.
inline constexpr std::string_view kContainment = "containment";

struct InteriorVertex {
  static constexpr std::uint32_t kNoParent = 0xffffffffU;

  std::uint32_t parent = kNoParent;  ///< interior number
  std::uint32_t end = 1;             ///< interior number behind the subtree
  std::uint32_t kind = 0;            ///< in kinds()
  std::int64_t id = -1;
  std::int64_t uniq_id = 0;
  std::string name;
  std::uint32_t first_child = 0;  ///< in the list of children
  std::uint32_t child_count = 0;
};

/// Where a target hangs and what it is besides its Node.
struct TargetPlace {
  /// The id is the number at the end of the host name, -1 when there is none.
  static constexpr std::int64_t kIdOfHost = std::numeric_limits<std::int64_t>::min();

  std::uint32_t parent = 0;  ///< interior number
  std::uint32_t kind = 0;    ///< in kinds()
  std::int64_t id = -1;
};

/// A forest of rank-less vertices: below one interior vertex, or of one subsystem.
struct PoolGroup {
  static constexpr std::uint32_t kNoParent = InteriorVertex::kNoParent;

  std::uint32_t parent = kNoParent;  ///< interior number; none: of a subsystem
  std::uint32_t subsystem = 0;       ///< number of the subsystem when there is no parent
};

/// An edge of an auxiliary subsystem.
struct Relation {
  Vertex from;
  Vertex to;
  std::uint32_t kind = 0;  ///< in relation_kinds(): "supplies_to", "conduit_of", …

  friend bool operator==(const Relation&, const Relation&) = default;
};

/// A named set of relations beside containment: power, network, storage …
class Subsystem {
 public:
  Subsystem() = default;
  Subsystem(std::string name, std::vector<Vertex> roots, std::vector<Relation> relations);

  const std::string& name() const { return name_; }
  /// Vertices of the subsystem that no relation leads to, in order of the input.
  std::span<const Vertex> roots() const { return roots_; }
  /// In order of the input.
  std::span<const Relation> relations() const { return relations_; }
  /// Relations from a vertex, and to it (the step of an up-walk). O(log relations).
  std::vector<Relation> from(Vertex v) const;
  std::vector<Relation> to(Vertex v) const;
  bool contains(Vertex v) const;

 private:
  std::string name_;
  std::vector<Vertex> roots_;
  std::vector<Relation> relations_;
  std::vector<std::uint32_t> by_from_;  ///< relations ordered by from, then input
  std::vector<std::uint32_t> by_to_;
};

class Topology {
 public:
  /// One interior vertex, cluster0, above a node for each of `units`, which says how many
  /// vertices it has inside. uniq_ids are in preorder.
  static Topology flat(std::span<const std::uint32_t> units);
  /// What a builder puts together; see the members for what it must satisfy.
  struct Parts {
    std::vector<VertexKind> kinds;
    std::vector<InteriorVertex> interior;
    std::vector<Vertex> children;
    std::vector<TargetPlace> targets;
    std::vector<PoolGroup> groups;
    NumberTable uniq_ids;  ///< by holder, then local
    /// Ranks of vertices in pool groups that carry one, ordered.
    std::vector<std::pair<Vertex, Rank>> pool_ranks;
    std::vector<std::string> relation_kinds;
    std::vector<Subsystem> subsystems;
    bool is_flat = false;
  };
  explicit Topology(Parts parts) : parts_(std::move(parts)) {}

  /// Made by flat(): the graph was read from a plain R.
  bool is_flat() const { return parts_.is_flat; }

  std::uint32_t target_count() const { return static_cast<std::uint32_t>(parts_.targets.size()); }
  std::uint32_t group_count() const { return static_cast<std::uint32_t>(parts_.groups.size()); }
  std::uint32_t holder_count() const { return target_count() + group_count(); }

  std::span<const InteriorVertex> interior() const { return parts_.interior; }
  const InteriorVertex& interior(std::uint32_t index) const { return parts_.interior[index]; }
  std::span<const Vertex> children(std::uint32_t interior) const;
  const TargetPlace& target(NodeIndex node) const { return parts_.targets[node.value()]; }
  bool is_group(NodeIndex holder) const { return holder.value() >= target_count(); }
  const PoolGroup& group(NodeIndex holder) const {
    return parts_.groups[holder.value() - target_count()];
  }
  /// The pool group of a subsystem's own vertices, if it has any.
  std::optional<NodeIndex> group_of(std::uint32_t subsystem) const;
  std::span<const VertexKind> kinds() const { return parts_.kinds; }
  /// True when an interior vertex or a target is of the type.
  bool has_kind(std::string_view type) const;
  const VertexKind& kind(std::uint32_t index) const { return parts_.kinds[index]; }
  const NumberTable& uniq_ids() const { return parts_.uniq_ids; }
  std::int64_t uniq_id(Vertex v) const;
  /// The rank that a vertex of a pool group carries, -1 when none.
  std::int64_t pool_rank(Vertex v) const;

  std::span<const Subsystem> subsystems() const { return parts_.subsystems; }
  const Subsystem* subsystem(std::string_view name) const;
  std::span<const std::string> relation_kinds() const { return parts_.relation_kinds; }

 private:
  Parts parts_;
};

}  // namespace tenure::graph
