#include "match/holding.hpp"

namespace tenure::match {

using graph::Vertex;

void Holding::add(Vertex v) {
  if (!v.is_interior()) return add(v.holder(), v.local());
  vertices_.holders_below(v).for_each([&](NodeIndex index) { add(index, 0); });
}

void Holding::add(NodeIndex holder, std::uint32_t local) {
  const graph::Shape& shape = graph_->shape_of(holder);
  Held& held = held_.try_emplace(holder, Held{graph::UnitMask(shape.units)}).first->second;
  shape.add_subtree(local, held.units);
  if (local == 0) held.is_whole = true;
}

std::vector<NodeIndex> Holding::targets() const {
  std::vector<NodeIndex> targets;
  for (const auto& [index, ignored] : held_) {
    if (index.value() < graph_->target_count()) targets.push_back(index);
  }
  return targets;
}

graph::ResourceSet Holding::resources() const {
  graph::ResourceSet set;
  for (const auto& [index, held] : held_) {
    if (held.is_whole) {
      set.append_whole(index);
    } else {
      set.append_part(index, held.units, graph_->shape_of(index));
    }
  }
  return set;
}

}  // namespace tenure::match
