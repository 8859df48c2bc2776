// The state of single vertices: status, properties, removal.

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "graph/resource_graph.hpp"
#include "graph/vertices.hpp"

namespace tenure::graph {
namespace {

bool is_in(const std::vector<Vertex>& ordered, Vertex v) {
  return std::binary_search(ordered.begin(), ordered.end(), v);
}

/// Returns true when the membership changed.
bool put(std::vector<Vertex>& ordered, Vertex v, bool is_member) {
  const auto place = std::lower_bound(ordered.begin(), ordered.end(), v);
  const bool was_member = place != ordered.end() && *place == v;
  if (was_member == is_member) return false;
  if (is_member) {
    ordered.insert(place, v);
  } else {
    ordered.erase(place);
  }
  return true;
}

}  // namespace

Status ResourceGraph::status(Vertex v) const {
  const bool is_down = v.is_target() ? !own_up_.test(v.holder()) : is_in(down_, v);
  return is_down ? Status::down : Status::up;
}

bool ResourceGraph::set_status(Vertex v, Status status) {
  if (this->status(v) == status) return false;
  if (v.is_target()) {
    if (!present_.test(v.holder())) return false;
    if (status == Status::up) {
      own_up_.set(v.holder());
    } else {
      own_up_.reset(v.holder());
    }
  } else {
    put(down_, v, status == Status::down);
    if (v.is_interior()) {
      update_blocked();
    } else {
      update_unusable(v.holder());
    }
  }
  update_up();
  ++generation_;
  return true;
}

void ResourceGraph::update_blocked() {
  blocked_.clear();
  auto down = std::lower_bound(down_.begin(), down_.end(), Vertex::interior(0));
  if (down == down_.end()) return;
  const std::span<const InteriorVertex> interior = topology_->interior();
  std::vector<bool> is_blocked(interior.size(), false);
  for (std::uint32_t i = 0; i < interior.size(); ++i) {  // parents first
    const std::uint32_t parent = interior[i].parent;
    const bool is_down = down != down_.end() && *down == Vertex::interior(i);
    if (is_down) ++down;
    is_blocked[i] = is_down || (parent != InteriorVertex::kNoParent && is_blocked[parent]);
    if (!is_blocked[i]) continue;
    for (const Vertex child : topology_->children(i)) {
      if (!child.is_interior()) blocked_.set(child.holder());
    }
  }
}

void ResourceGraph::update_unusable(NodeIndex holder) {
  const Shape& shape = shape_of(holder);
  UnitMask mask(shape.units);
  for (const std::vector<Vertex>* vertices : {&down_, &lost_}) {
    auto v = std::lower_bound(vertices->begin(), vertices->end(), Vertex::target(holder));
    for (; v != vertices->end() && !v->is_interior() && v->holder() == holder; ++v) {
      shape.add_subtree(v->local(), mask);
    }
  }
  if (mask.none()) {
    unusable_.erase(holder);
  } else {
    unusable_.insert_or_assign(holder, std::move(mask));
  }
}

const UnitMask* ResourceGraph::unusable_units(NodeIndex holder) const {
  const auto found = unusable_.find(holder);
  return found == unusable_.end() ? nullptr : &found->second;
}

std::map<std::string, std::string> ResourceGraph::properties_of(Vertex v) const {
  std::map<std::string, std::string> properties;
  if (v.is_target()) {
    for (const auto& [name, nodes] : properties_) {
      if (nodes.test(v.holder())) properties.emplace(name, "");
    }
  }
  if (const auto found = vertex_properties_.find(v); found != vertex_properties_.end()) {
    for (const auto& [name, value] : found->second) properties.insert_or_assign(name, value);
  }
  return properties;
}

std::optional<std::string> ResourceGraph::property_of(Vertex v, std::string_view name) const {
  if (v.is_target()) {
    const NodeSet* nodes = find_property(name);
    if (nodes == nullptr || !nodes->test(v.holder())) return std::nullopt;
  }
  if (const auto found = vertex_properties_.find(v); found != vertex_properties_.end()) {
    if (const auto value = found->second.find(name); value != found->second.end()) {
      return value->second;
    }
  }
  if (!v.is_target()) return std::nullopt;
  return std::string();
}

bool ResourceGraph::set_property(Vertex v, std::string_view name, std::string_view value) {
  if (property_of(v, name) == value) return false;
  ++generation_;
  if (v.is_target()) {
    auto found = properties_.find(name);
    if (found == properties_.end()) {
      found = properties_.emplace(name, NodeSet(node_count())).first;
    }
    found->second.set(v.holder());
    if (value.empty()) {
      forget_value(v, name);
      return true;
    }
  }
  vertex_properties_[v].insert_or_assign(std::string(name), std::string(value));
  return true;
}

void ResourceGraph::forget_value(Vertex v, std::string_view name) {
  const auto found = vertex_properties_.find(v);
  if (found == vertex_properties_.end()) return;
  const auto value = found->second.find(name);
  if (value == found->second.end()) return;
  found->second.erase(value);
  if (found->second.empty()) vertex_properties_.erase(found);
}

bool ResourceGraph::remove_property(Vertex v, std::string_view name) {
  if (!property_of(v, name)) return false;
  ++generation_;
  forget_value(v, name);
  if (v.is_target()) {
    if (const auto nodes = properties_.find(name); nodes != properties_.end()) {
      nodes->second.reset(v.holder());
    }
  }
  return true;
}

Result<NodeSet> ResourceGraph::remove(Vertex v) {
  const Vertices vertices(*this);
  if (v == vertices.root()) {
    return failure(ErrorCode::invalid, "the root of the graph ({}) cannot be removed",
                   vertices.path(v));
  }
  NodeSet lost(node_count());
  if (v.is_target()) {
    lost.set(v.holder());
  } else if (v.is_interior()) {
    // Everything below is found lost through the interior vertex itself.
    lost = vertices.holders_below(v);
    put(lost_, v, true);
  } else {
    put(lost_, v, true);
    update_unusable(v.holder());
  }
  lost &= present_;
  own_up_ -= lost;
  present_ -= lost;
  update_up();
  ++generation_;
  return lost;
}

bool ResourceGraph::is_lost(Vertex v) const {
  if (v.is_target()) return !present_.test(v.holder());
  return is_in(lost_, v);
}

}  // namespace tenure::graph
