#include "graph/topology.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace tenure::graph {
namespace {

/// Positions of `relations` ordered by one of their ends, equal ends in order of the input.
template <class End>
std::vector<std::uint32_t> order_by(std::span<const Relation> relations, End end) {
  std::vector<std::uint32_t> order(relations.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return end(relations[a]) < end(relations[b]);
  });
  return order;
}

template <class End>
std::vector<Relation> at(std::span<const Relation> relations, std::span<const std::uint32_t> order,
                         Vertex v, End end) {
  const auto first = std::partition_point(order.begin(), order.end(),
                                          [&](std::uint32_t i) { return end(relations[i]) < v; });
  std::vector<Relation> found;
  for (auto i = first; i != order.end() && end(relations[*i]) == v; ++i) {
    found.push_back(relations[*i]);
  }
  return found;
}

Vertex from_of(const Relation& relation) { return relation.from; }
Vertex to_of(const Relation& relation) { return relation.to; }

}  // namespace

Subsystem::Subsystem(std::string name, std::vector<Vertex> roots, std::vector<Relation> relations)
    : name_(std::move(name)),
      roots_(std::move(roots)),
      relations_(std::move(relations)),
      by_from_(order_by(relations_, from_of)),
      by_to_(order_by(relations_, to_of)) {}

std::vector<Relation> Subsystem::from(Vertex v) const {
  return at(relations_, by_from_, v, from_of);
}

std::vector<Relation> Subsystem::to(Vertex v) const { return at(relations_, by_to_, v, to_of); }

bool Subsystem::contains(Vertex v) const { return !from(v).empty() || !to(v).empty(); }

Topology Topology::flat(std::span<const std::uint32_t> units) {
  Parts parts;
  parts.is_flat = true;
  parts.kinds = {VertexKind{"cluster", "cluster", "", 1, false},
                 VertexKind{"node", "node", "", 1, false}};
  InteriorVertex root;
  root.id = 0;
  root.name = "cluster0";
  root.child_count = static_cast<std::uint32_t>(units.size());
  parts.interior.push_back(std::move(root));
  std::int64_t next = 1;
  std::vector<std::int64_t> numbers;
  for (std::uint32_t i = 0; i < units.size(); ++i) {
    parts.children.push_back(Vertex::target(NodeIndex(i)));
    parts.targets.push_back(TargetPlace{0, 1, TargetPlace::kIdOfHost});
    numbers.resize(std::size_t{units[i]} + 1);
    std::iota(numbers.begin(), numbers.end(), next);
    next += static_cast<std::int64_t>(numbers.size());
    parts.uniq_ids.add_row(numbers);
  }
  return Topology(std::move(parts));
}

std::span<const Vertex> Topology::children(std::uint32_t interior) const {
  const InteriorVertex& vertex = parts_.interior[interior];
  return std::span(parts_.children).subspan(vertex.first_child, vertex.child_count);
}

std::optional<NodeIndex> Topology::group_of(std::uint32_t subsystem) const {
  for (std::uint32_t i = 0; i < parts_.groups.size(); ++i) {
    const PoolGroup& group = parts_.groups[i];
    if (group.parent == PoolGroup::kNoParent && group.subsystem == subsystem) {
      return NodeIndex(target_count() + i);
    }
  }
  return std::nullopt;
}

std::int64_t Topology::uniq_id(Vertex v) const {
  if (v.is_interior()) return interior(v.index()).uniq_id;
  return parts_.uniq_ids.get(v.holder().value(), v.local());
}

std::int64_t Topology::pool_rank(Vertex v) const {
  const auto found = std::lower_bound(
      parts_.pool_ranks.begin(), parts_.pool_ranks.end(), v,
      [](const std::pair<Vertex, Rank>& entry, Vertex key) { return entry.first < key; });
  if (found == parts_.pool_ranks.end() || found->first != v) return -1;
  return found->second.value();
}

bool Topology::has_kind(std::string_view type) const {
  return std::any_of(parts_.kinds.begin(), parts_.kinds.end(),
                     [&](const VertexKind& kind) { return kind.type == type; });
}

const Subsystem* Topology::subsystem(std::string_view name) const {
  for (const Subsystem& subsystem : parts_.subsystems) {
    if (subsystem.name() == name) return &subsystem;
  }
  return nullptr;
}

}  // namespace tenure::graph
