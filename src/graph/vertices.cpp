#include "graph/vertices.hpp"

#include <algorithm>

namespace tenure::graph {
namespace {

/// Takes the first component off a path: "/a/b" gives "a" and leaves "/b".
std::string_view take_component(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view component = path.substr(0, path.find('/'));
  path.remove_prefix(component.size());
  return component;
}

}  // namespace

std::optional<Vertex> Vertices::parent(Vertex v) const {
  if (v.is_interior()) {
    const std::uint32_t parent = topology().interior(v.index()).parent;
    if (parent == InteriorVertex::kNoParent) return std::nullopt;
    return Vertex::interior(parent);
  }
  if (v.is_target()) return Vertex::interior(topology().target(v.holder()).parent);
  const std::uint32_t local = graph_->shape_of(v.holder()).parent(v.local());
  if (local != 0 || !topology().is_group(v.holder())) return Vertex::inside(v.holder(), local);
  const std::uint32_t parent = topology().group(v.holder()).parent;
  if (parent == PoolGroup::kNoParent) return std::nullopt;
  return Vertex::interior(parent);
}

std::vector<Vertex> Vertices::children(Vertex v) const {
  std::vector<Vertex> children;
  for_each_child(v, [&](Vertex child) { children.push_back(child); });
  return children;
}

bool Vertices::has_children(Vertex v) const {
  bool has = false;
  for_each_child(v, [&](Vertex) { has = true; });
  return has;
}

std::optional<NodeIndex> Vertices::target_of(Vertex v) const {
  if (v.is_interior() || topology().is_group(v.holder())) return std::nullopt;
  return v.holder();
}

NodeSet Vertices::holders_below(Vertex v) const {
  NodeSet holders(graph_->node_count());
  if (!v.is_interior()) {
    holders.set(v.holder());
    return holders;
  }
  const std::uint32_t end = topology().interior(v.index()).end;
  for (std::uint32_t i = v.index(); i < end; ++i) {
    for (const Vertex child : topology().children(i)) {
      if (!child.is_interior()) holders.set(child.holder());
    }
  }
  return holders;
}

std::uint32_t Vertices::depth(Vertex v) const {
  std::uint32_t depth = 0;
  for (auto above = parent(v); above; above = parent(*above)) ++depth;
  return depth;
}

bool Vertices::is_contained(Vertex v) const {
  return v.is_interior() || !topology().is_group(v.holder()) ||
         topology().group(v.holder()).parent != PoolGroup::kNoParent;
}

std::uint64_t Vertices::count() const {
  std::uint64_t count = 0;
  for_each_in_preorder(root(), [&](Vertex) {
    ++count;
    return true;
  });
  return count;
}

std::uint64_t Vertices::count(Vertex v, std::string_view type) const {
  std::uint64_t count = 0;
  for_each_in_preorder(v, [&](Vertex below) {
    if (this->type(below) == type) ++count;
    return true;
  });
  return count;
}

const VertexKind* Vertices::kind(Vertex v) const {
  if (v.is_interior()) return &topology().kind(topology().interior(v.index()).kind);
  if (v.is_target()) return &topology().kind(topology().target(v.holder()).kind);
  const Shape& shape = graph_->shape_of(v.holder());
  return shape.is_flat() ? nullptr : &shape.kind(v.local());
}

const std::string& Vertices::type(Vertex v) const {
  if (v.is_inner()) return graph_->shape_of(v.holder()).type(v.local());
  return kind(v)->type;
}

const std::string& Vertices::basename(Vertex v) const {
  if (v.is_inner()) return graph_->shape_of(v.holder()).basename(v.local());
  return kind(v)->basename;
}

std::string Vertices::name(Vertex v) const {
  if (v.is_interior()) return topology().interior(v.index()).name;
  if (v.is_target()) return graph_->node(v.holder()).host;
  return graph_->shape_of(v.holder()).name(v.local());
}

std::int64_t Vertices::id(Vertex v) const {
  if (v.is_interior()) return topology().interior(v.index()).id;
  if (v.is_inner()) return graph_->shape_of(v.holder()).id(v.local());
  const std::int64_t id = topology().target(v.holder()).id;
  return id == TargetPlace::kIdOfHost ? trailing_number(graph_->node(v.holder()).host) : id;
}

std::int64_t Vertices::uniq_id(Vertex v) const { return topology().uniq_id(v); }

std::int64_t Vertices::rank(Vertex v) const {
  if (v.is_interior()) return -1;
  if (topology().is_group(v.holder())) return topology().pool_rank(v);
  const VertexKind* kind = this->kind(v);
  const bool is_ranked = v.is_target() || (kind != nullptr && kind->ranked);
  return is_ranked ? std::int64_t{graph_->node(v.holder()).rank.value()} : -1;
}

std::int64_t Vertices::size(Vertex v) const {
  const VertexKind* kind = this->kind(v);
  return kind == nullptr ? 1 : kind->size;
}

const std::string& Vertices::unit(Vertex v) const {
  if (v.is_inner()) return graph_->shape_of(v.holder()).unit(v.local());
  return kind(v)->unit;
}

std::string Vertices::path(Vertex v) const {
  std::vector<std::string> names;
  for (std::optional<Vertex> at = v; at; at = parent(*at)) names.push_back(name(*at));
  std::string path;
  for (auto name = names.rbegin(); name != names.rend(); ++name) path.append("/").append(*name);
  return path;
}

std::optional<std::string> Vertices::path(Vertex v, std::string_view subsystem) const {
  if (subsystem == kContainment) {
    if (!is_contained(v)) return std::nullopt;
    return path(v);
  }
  const Subsystem* found = topology().subsystem(subsystem);
  if (found == nullptr || !found->contains(v)) return std::nullopt;
  std::vector<Vertex> trail{v};  // networks may have cycles: stop when one closes
  for (auto up = found->to(v); !up.empty(); up = found->to(trail.back())) {
    if (std::find(trail.begin(), trail.end(), up.front().from) != trail.end()) break;
    trail.push_back(up.front().from);
  }
  std::string path;
  for (auto at = trail.rbegin(); at != trail.rend(); ++at) path.append("/").append(name(*at));
  return path;
}

std::map<std::string, std::string> Vertices::properties(Vertex v) const {
  return graph_->properties_of(v);
}

std::optional<std::string> Vertices::property(Vertex v, std::string_view name) const {
  return graph_->property_of(v, name);
}

Status Vertices::status(Vertex v) const { return graph_->status(v); }

bool Vertices::is_usable(Vertex v) const {
  for (std::optional<Vertex> at = v; at; at = parent(*at)) {
    if (graph_->is_lost(*at) || graph_->status(*at) == Status::down) return false;
  }
  return true;
}

bool Vertices::is_present(Vertex v) const {
  for (std::optional<Vertex> at = v; at; at = parent(*at)) {
    if (graph_->is_lost(*at)) return false;
  }
  return true;
}

std::optional<Vertex> Vertices::find_below(Vertex v, std::string_view name) const {
  if (v.is_interior()) {
    for (const NodeIndex node : graph_->find_host(name)) {
      const Vertex target = Vertex::target(node);
      if (topology().target(node).parent == v.index() && !graph_->is_lost(target)) return target;
    }
  }
  std::optional<Vertex> found;
  for_each_child(v, [&](Vertex child) {
    if (!found && !child.is_target() && this->name(child) == name) found = child;
  });
  return found;
}

std::optional<Vertex> Vertices::find_path_in(const Subsystem& subsystem,
                                             std::string_view path) const {
  const std::string_view first = take_component(path);
  for (const Vertex root : subsystem.roots()) {
    if (name(root) != first) continue;
    std::optional<Vertex> at = root;
    std::string_view rest = path;
    while (at && !rest.empty()) {
      const std::string_view component = take_component(rest);
      std::optional<Vertex> next;
      for (const Relation& relation : subsystem.from(*at)) {
        if (!next && name(relation.to) == component) next = relation.to;
      }
      at = next;
    }
    if (at && !graph_->is_lost(*at)) return at;
  }
  return std::nullopt;
}

std::optional<Vertex> Vertices::find_path(std::string_view path) const {
  if (path.empty() || path.front() != '/') return std::nullopt;
  std::string_view rest = path;
  if (take_component(rest) == name(root())) {
    std::optional<Vertex> at = root();
    while (at && !rest.empty()) at = find_below(*at, take_component(rest));
    if (at) return at;
  }
  for (const Subsystem& subsystem : topology().subsystems()) {
    if (const auto found = find_path_in(subsystem, path)) return found;
  }
  return std::nullopt;
}

std::vector<Vertex> Vertices::find_name(std::string_view name) const {
  std::vector<Vertex> found;
  for_each_in_preorder(root(), [&](Vertex v) {
    const bool has_name =
        v.is_target() ? graph_->node(v.holder()).host == name : this->name(v) == name;
    if (has_name) found.push_back(v);
    return true;
  });
  return found;
}

std::vector<Vertex> Vertices::find_type(std::string_view type) const {
  std::vector<Vertex> found;
  for_each_in_preorder(root(), [&](Vertex v) {
    if (this->type(v) == type) found.push_back(v);
    return !v.is_target() || graph_->shape_of(v.holder()).count(type) > 0;
  });
  return found;
}

std::optional<Vertex> Vertices::find_rank(Rank rank) const {
  const std::optional<NodeIndex> node = graph_->find_rank(rank);
  if (!node || !graph_->present().test(*node)) return std::nullopt;
  return Vertex::target(*node);
}

std::optional<Vertex> Vertices::find_uniq_id(std::int64_t uniq_id) const {
  std::optional<Vertex> found;
  for_each_in_preorder(root(), [&](Vertex v) {
    if (!found && this->uniq_id(v) == uniq_id) found = v;
    return !found;
  });
  return found;
}

}  // namespace tenure::graph
