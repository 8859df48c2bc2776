// GraphBuilder::build: from vertices and edges to targets, shapes, interior and pools.

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "graph/graph_builder.hpp"

namespace tenure::graph {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

/// Lists of children (or of anything numbered) one behind the other.
struct Lists {
  std::vector<std::uint32_t> first;  ///< by owner, one more than there are owners
  std::vector<std::uint32_t> items;

  std::span<const std::uint32_t> of(std::uint32_t owner) const {
    return std::span(items).subspan(first[owner], first[owner + 1] - first[owner]);
  }
};

/// Vertices of a shape-to-be in preorder; parents and ends are local numbers.
struct Slice {
  std::vector<std::uint32_t> vertices;
  std::vector<std::uint32_t> parents;
  std::vector<std::uint32_t> ends;

  std::uint32_t units() const { return static_cast<std::uint32_t>(vertices.size()); }
};

bool is_node_type(std::string_view type) { return type == "node" || type == "storage_node"; }

}  // namespace

class GraphBuilder::Assembly {
 public:
  explicit Assembly(GraphBuilder& source)
      : in_(source), count_(static_cast<std::uint32_t>(source.vertices_.size())) {}

  Result<ResourceGraph> run() {
    using Step = Result<void> (Assembly::*)();
    for (const Step step :
         {&Assembly::number_uniquely, &Assembly::link, &Assembly::order_vertices,
          &Assembly::find_targets, &Assembly::place_interior, &Assembly::place_targets,
          &Assembly::place_pools, &Assembly::place_subsystems}) {
      if (auto done = (this->*step)(); !done) return done.error();
    }
    return finish();
  }

 private:
  const Record& record(Handle v) const { return in_.vertices_[v]; }
  const VertexKind& kind(Handle v) const { return in_.kinds_[record(v).kind]; }
  std::string name(Handle v) const {
    const Record& r = record(v);
    return r.name != 0 ? in_.names_[r.name] : default_name(kind(v).basename, r.id);
  }
  /// "vertex 12 ('node3')", for messages.
  std::string show(Handle v) const {
    return fmt::format("vertex {} ({})", record(v).uniq_id, in_quotes(name(v)));
  }
  bool is_contained(Handle v) const { return position_[v] != kNone; }

  Result<void> number_uniquely();
  Result<void> link();
  Result<void> order_vertices();
  Result<void> find_targets();
  Result<void> choose_target(std::span<const Handle> candidates);
  Result<void> place_interior();
  Result<void> place_targets();
  Result<void> place_pools();
  Result<void> place_subsystems();
  Slice own_forest(std::uint32_t subsystem);
  Result<ResourceGraph> finish();
  Result<void> check_properties() const;
  void apply_state(ResourceGraph& graph) const;

  Slice slice_below(Handle v) const;
  void append_tree(Slice& slice, Handle v) const;
  Result<ShapeId> shape_of(Slice slice);
  Shape make_shape(const Slice& slice) const;
  std::uint32_t graph_kind(Handle v);
  void add_group(std::uint32_t parent, std::uint32_t subsystem, const Slice& slice, ShapeId shape);

  GraphBuilder& in_;
  std::uint32_t count_;
  std::vector<Handle> parent_;
  Lists children_;
  std::vector<Handle> order_;            ///< containment in preorder
  std::vector<std::uint32_t> position_;  ///< in order_
  std::vector<std::uint32_t> end_;       ///< by position: behind the subtree
  std::vector<Handle> targets_;          ///< in rank order
  std::vector<bool> is_target_;
  std::vector<bool> is_interior_;
  std::vector<Vertex> place_;  ///< by handle
  std::vector<bool> is_placed_;
  Topology::Parts parts_;
  std::vector<std::uint32_t> kind_numbers_;  ///< by kind of the source, in parts_.kinds
  ResourceGraph::Builder builder_;
  boost::unordered_flat_map<std::size_t, std::vector<std::pair<Slice, ShapeId>>> shapes_;
  std::vector<ShapeId> group_shapes_;
  std::vector<Slice> group_slices_;
};

Result<void> GraphBuilder::Assembly::number_uniquely() {
  if (count_ == 0) return failure(ErrorCode::invalid, "the graph has no vertices");
  if (in_.subsystems_.size() > kMaxSubsystems || in_.relations_.size() > kMaxSubsystems) {
    return failure(ErrorCode::limit, "a graph has at most {} subsystems and kinds of relations",
                   kMaxSubsystems);
  }
  std::int64_t next = 0;
  for (const Record& r : in_.vertices_) {
    if (r.uniq_id != kUnset) next = std::max(next, r.uniq_id + 1);
  }
  for (Record& r : in_.vertices_) {
    if (r.uniq_id == kUnset) r.uniq_id = next++;
  }
  std::vector<Handle> order(count_);
  std::iota(order.begin(), order.end(), 0U);
  const auto by_number = [&](Handle a, Handle b) { return record(a).uniq_id < record(b).uniq_id; };
  if (!std::is_sorted(order.begin(), order.end(), by_number)) {
    std::stable_sort(order.begin(), order.end(), by_number);
  }
  const auto twice = std::adjacent_find(order.begin(), order.end(), [&](Handle a, Handle b) {
    return record(a).uniq_id == record(b).uniq_id;
  });
  if (twice == order.end()) return {};
  return failure(ErrorCode::invalid, "uniq_id {} is given to {} and to {}", record(*twice).uniq_id,
                 in_quotes(name(*twice)), in_quotes(name(*(twice + 1))));
}

Result<void> GraphBuilder::Assembly::link() {
  parent_.assign(count_, kNone);
  children_.first.assign(std::size_t{count_} + 1, 0);
  for (const Edge& edge : in_.contained_) {
    if (parent_[edge.to] == edge.from) {
      return failure(ErrorCode::invalid, "two edges lead from {} to {}", show(edge.from),
                     show(edge.to));
    }
    if (parent_[edge.to] != kNone) {
      return failure(ErrorCode::invalid, "{} has two parents: {} and {}", show(edge.to),
                     show(parent_[edge.to]), show(edge.from));
    }
    parent_[edge.to] = edge.from;
    ++children_.first[edge.from + 1];
  }
  std::partial_sum(children_.first.begin(), children_.first.end(), children_.first.begin());
  children_.items.resize(in_.contained_.size());
  std::vector<std::uint32_t> next(children_.first.begin(), children_.first.end() - 1);
  for (const Edge& edge : in_.contained_) children_.items[next[edge.from]++] = edge.to;
  return {};
}

Result<void> GraphBuilder::Assembly::order_vertices() {
  std::vector<bool> is_related(count_, false);
  for (const AuxiliaryEdge& related : in_.related_) {
    is_related[related.edge.from] = true;
    is_related[related.edge.to] = true;
  }
  Handle root = kNone;
  for (Handle v = 0; v < count_; ++v) {
    if (parent_[v] != kNone || (children_.of(v).empty() && is_related[v])) continue;
    if (root != kNone) {
      return failure(ErrorCode::invalid, "two vertices have no parent: {} and {}", show(root),
                     show(v));
    }
    root = v;
  }
  position_.assign(count_, kNone);
  if (root == kNone) {
    return failure(ErrorCode::invalid, "no vertex is the root: every one has a parent");
  }
  struct Level {
    Handle vertex;
    std::uint32_t next;  ///< child to visit
  };
  std::vector<Level> open;
  const auto enter = [&](Handle v) {
    position_[v] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(v);
    end_.push_back(0);
    open.push_back({v, 0});
  };
  enter(root);
  while (!open.empty()) {
    Level& level = open.back();
    const auto children = children_.of(level.vertex);
    if (level.next < children.size()) {
      if (open.size() >= kMaxDepth) {
        return failure(ErrorCode::limit, "{} lies deeper than {} levels",
                       show(children[level.next]), kMaxDepth);
      }
      enter(children[level.next++]);
      continue;
    }
    end_[position_[level.vertex]] = static_cast<std::uint32_t>(order_.size());
    open.pop_back();
  }
  for (Handle v = 0; v < count_; ++v) {
    if (parent_[v] == kNone || position_[v] != kNone) continue;
    return failure(ErrorCode::invalid, "{} is on a cycle of containment edges", show(v));
  }
  return {};
}

Result<void> GraphBuilder::Assembly::choose_target(std::span<const Handle> candidates) {
  Handle target = candidates.front();
  if (candidates.size() > 1) {
    std::vector<Handle> nodes;
    for (const Handle v : candidates) {
      if (is_node_type(kind(v).type)) nodes.push_back(v);
    }
    if (nodes.size() != 1) {
      const std::span<const Handle> both =
          nodes.empty() ? candidates : std::span<const Handle>(nodes);
      return failure(ErrorCode::invalid, "rank {} is given to {} and to {}", record(target).rank,
                     show(both[0]), show(both[1]));
    }
    target = nodes.front();
  }
  targets_.push_back(target);
  is_target_[target] = true;
  return {};
}

Result<void> GraphBuilder::Assembly::find_targets() {
  std::vector<Handle> topmost;
  for (std::uint32_t at = 0; at < order_.size();) {
    if (record(order_[at]).rank < 0) {
      ++at;
      continue;
    }
    const Handle top = order_[at];
    for (std::uint32_t below = at + 1; below < end_[at]; ++below) {
      const std::int64_t rank = record(order_[below]).rank;
      if (rank < 0 || rank == record(top).rank) continue;
      return failure(ErrorCode::invalid, "{} has rank {} below {}, which has rank {}",
                     show(order_[below]), rank, show(top), record(top).rank);
    }
    topmost.push_back(top);
    at = end_[at];
  }
  if (!topmost.empty() && topmost.front() == order_.front()) {
    return failure(ErrorCode::invalid, "{} is the root and has rank {}; a cluster has to be above",
                   show(topmost.front()), record(topmost.front()).rank);
  }
  const auto by_rank = [&](Handle a, Handle b) { return record(a).rank < record(b).rank; };
  std::stable_sort(topmost.begin(), topmost.end(), by_rank);
  is_target_.assign(count_, false);
  for (std::size_t i = 0; i < topmost.size();) {
    std::size_t behind = i + 1;
    while (behind < topmost.size() && !by_rank(topmost[i], topmost[behind])) ++behind;
    if (auto chosen = choose_target(std::span(topmost).subspan(i, behind - i)); !chosen) {
      return chosen.error();
    }
    i = behind;
  }
  return {};
}

std::uint32_t GraphBuilder::Assembly::graph_kind(Handle v) {
  std::uint32_t& number = kind_numbers_[record(v).kind];
  if (number == kNone) {
    number = static_cast<std::uint32_t>(parts_.kinds.size());
    parts_.kinds.push_back(kind(v));
  }
  return number;
}

Result<void> GraphBuilder::Assembly::place_interior() {
  kind_numbers_.assign(in_.kinds_.size(), kNone);
  place_.assign(count_, Vertex());
  is_placed_.assign(count_, false);
  is_interior_.assign(count_, false);
  is_interior_[order_.front()] = true;
  for (const Handle target : targets_) {
    for (Handle up = parent_[target]; up != kNone && !is_interior_[up]; up = parent_[up]) {
      is_interior_[up] = true;
    }
  }
  for (const Handle v : order_) {
    if (!is_interior_[v]) continue;
    place_[v] = Vertex::interior(static_cast<std::uint32_t>(parts_.interior.size()));
    is_placed_[v] = true;
    InteriorVertex interior;
    interior.parent = parent_[v] == kNone ? InteriorVertex::kNoParent : place_[parent_[v]].index();
    interior.kind = graph_kind(v);
    interior.id = record(v).id;
    interior.uniq_id = record(v).uniq_id;
    interior.name = name(v);
    parts_.interior.push_back(std::move(interior));
  }
  for (auto i = static_cast<std::uint32_t>(parts_.interior.size()); i-- > 0;) {
    InteriorVertex& vertex = parts_.interior[i];
    vertex.end = std::max(vertex.end, i + 1);
    if (vertex.parent == InteriorVertex::kNoParent) continue;
    InteriorVertex& parent = parts_.interior[vertex.parent];
    parent.end = std::max(parent.end, vertex.end);
  }
  return {};
}

void GraphBuilder::Assembly::append_tree(Slice& slice, Handle v) const {
  const std::uint32_t at = position_[v];
  const std::uint32_t offset = slice.units() + 1;  // local number of v
  for (std::uint32_t i = at; i < end_[at]; ++i) {
    const Handle below = order_[i];
    slice.vertices.push_back(below);
    slice.parents.push_back(below == v ? 0 : offset + position_[parent_[below]] - at);
    slice.ends.push_back(offset + end_[i] - at);
  }
}

Slice GraphBuilder::Assembly::slice_below(Handle v) const {
  Slice slice;
  for (const Handle child : children_.of(v)) append_tree(slice, child);
  return slice;
}

Shape GraphBuilder::Assembly::make_shape(const Slice& slice) const {
  Shape shape;
  shape.units = slice.units();
  std::map<std::string_view, std::vector<std::uint32_t>> by_type;  // locals
  for (std::uint32_t i = 0; i < slice.units(); ++i) {
    by_type[kind(slice.vertices[i]).type].push_back(i + 1);
  }
  std::vector<std::uint32_t> unit_of(std::size_t{slice.units()} + 1);
  for (const auto& [type, locals] : by_type) {
    Pool pool{std::string(type), {}, static_cast<std::uint32_t>(shape.locals.size())};
    for (const std::uint32_t local : locals) {
      const std::int64_t id = record(slice.vertices[local - 1]).id;
      pool.ids.push_back(id < 0 ? kNoId : static_cast<std::uint32_t>(id));
      unit_of[local] = static_cast<std::uint32_t>(shape.locals.size());
      shape.locals.push_back(local);
    }
    shape.pools.push_back(std::move(pool));
  }
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> kinds;
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> names;
  shape.names.emplace_back();
  bool is_flat = true;
  for (std::uint32_t i = 0; i < slice.units(); ++i) {
    const Record& r = record(slice.vertices[i]);
    const VertexKind& its = kind(slice.vertices[i]);
    const auto [k, is_new_kind] = kinds.try_emplace(r.kind, shape.kinds.size());
    if (is_new_kind) shape.kinds.push_back(its);
    std::uint32_t name = 0;
    if (r.name != 0) {
      const auto [n, is_new_name] = names.try_emplace(r.name, shape.names.size());
      if (is_new_name) shape.names.push_back(in_.names_[r.name]);
      name = n->second;
    }
    shape.inner.push_back(
        InnerVertex{slice.parents[i], slice.ends[i], unit_of[i + 1], k->second, name});
    is_flat = is_flat && slice.parents[i] == 0 && unit_of[i + 1] == i && name == 0 && r.id >= 0 &&
              its == VertexKind{its.type, its.type, "", 1, false};
  }
  for (const Pool& pool : shape.pools) {
    is_flat = is_flat && std::adjacent_find(pool.ids.begin(), pool.ids.end(),
                                            std::greater_equal<>()) == pool.ids.end();
  }
  if (is_flat) return Shape{std::move(shape.pools), shape.units};
  return shape;
}

Result<ShapeId> GraphBuilder::Assembly::shape_of(Slice slice) {
  if (slice.units() > kMaxUnits) {
    return failure(ErrorCode::limit, "{} has {} vertices around it in one node, more than {}",
                   show(slice.vertices.front()), slice.units(), kMaxUnits);
  }
  std::size_t hash = 0;
  for (std::uint32_t i = 0; i < slice.units(); ++i) {
    const Record& r = record(slice.vertices[i]);
    boost::hash_combine(hash, r.kind);
    boost::hash_combine(hash, r.id);
    boost::hash_combine(hash, r.name);
    boost::hash_combine(hash, slice.ends[i]);
    if (r.id < std::int64_t{kNoId}) continue;
    return failure(ErrorCode::limit, "{} has id {}, more than {}", show(slice.vertices[i]), r.id,
                   kNoId - 1);
  }
  auto& same_hash = shapes_[hash];
  for (const auto& [known, id] : same_hash) {
    const bool is_same =
        known.ends == slice.ends && known.parents == slice.parents &&
        std::equal(known.vertices.begin(), known.vertices.end(), slice.vertices.begin(),
                   slice.vertices.end(), [&](Handle a, Handle b) {
                     const Record& x = record(a);
                     const Record& y = record(b);
                     return x.kind == y.kind && x.id == y.id && x.name == y.name;
                   });
    if (is_same) return id;
  }
  const ShapeId id = builder_.add_tree_shape(make_shape(slice));
  same_hash.emplace_back(std::move(slice), id);
  return id;
}

Result<void> GraphBuilder::Assembly::place_targets() {
  std::vector<std::int64_t> numbers;
  builder_.reserve(targets_.size());
  for (std::uint32_t i = 0; i < targets_.size(); ++i) {
    const Handle target = targets_[i];
    Slice slice = slice_below(target);
    numbers.assign(1, record(target).uniq_id);
    place_[target] = Vertex::target(NodeIndex(i));
    is_placed_[target] = true;
    for (std::uint32_t k = 0; k < slice.units(); ++k) {
      const Handle v = slice.vertices[k];
      place_[v] = Vertex::inside(NodeIndex(i), k + 1);
      is_placed_[v] = true;
      numbers.push_back(record(v).uniq_id);
    }
    const auto shape = shape_of(std::move(slice));
    if (!shape) return shape.error();
    parts_.uniq_ids.add_row(numbers);
    parts_.targets.push_back(
        TargetPlace{place_[parent_[target]].index(), graph_kind(target), record(target).id});
    builder_.add_node(Rank(static_cast<std::uint32_t>(record(target).rank)), name(target), *shape);
  }
  return {};
}

void GraphBuilder::Assembly::add_group(std::uint32_t parent, std::uint32_t subsystem,
                                       const Slice& slice, ShapeId shape) {
  const NodeIndex holder(static_cast<std::uint32_t>(parts_.targets.size() + parts_.groups.size()));
  parts_.groups.push_back(PoolGroup{parent, subsystem});
  std::vector<std::int64_t> numbers{record(slice.vertices.front()).uniq_id};
  for (std::uint32_t k = 0; k < slice.units(); ++k) {
    const Handle v = slice.vertices[k];
    place_[v] = Vertex::inside(holder, k + 1);
    is_placed_[v] = true;
    numbers.push_back(record(v).uniq_id);
    if (record(v).rank >= 0) {
      parts_.pool_ranks.emplace_back(place_[v], Rank(static_cast<std::uint32_t>(record(v).rank)));
    }
  }
  parts_.uniq_ids.add_row(numbers);
  builder_.add_node(kNoRank, std::string(), shape);
}

Result<void> GraphBuilder::Assembly::place_pools() {
  // In preorder of the interior vertices, whose places are already known.
  for (const Handle v : order_) {
    if (!is_interior_[v]) continue;
    Slice slice;
    const auto close = [&]() -> Result<void> {
      if (slice.units() == 0) return {};
      const auto shape = shape_of(slice);
      if (!shape) return shape.error();
      add_group(place_[v].index(), 0, slice, *shape);
      slice = Slice();
      return {};
    };
    for (const Handle child : children_.of(v)) {
      if (is_placed_[child]) continue;
      const std::uint32_t size = end_[position_[child]] - position_[child];
      if (slice.units() + std::uint64_t{size} > kMaxUnits) {
        if (auto closed = close(); !closed) return closed.error();
      }
      append_tree(slice, child);
    }
    if (auto closed = close(); !closed) return closed.error();
  }
  for (const Handle v : order_) {
    if (!is_interior_[v]) continue;
    InteriorVertex& interior = parts_.interior[place_[v].index()];
    interior.first_child = static_cast<std::uint32_t>(parts_.children.size());
    for (const Handle child : children_.of(v)) parts_.children.push_back(place_[child]);
    interior.child_count = static_cast<std::uint32_t>(children_.of(v).size());
  }
  return {};
}

/// The vertices that only this subsystem has, as a forest along its relations.
Slice GraphBuilder::Assembly::own_forest(std::uint32_t subsystem) {
  std::map<Handle, std::vector<Handle>> below;
  std::map<Handle, bool> own;  // true: something leads to it
  std::vector<Handle> order;
  const auto meet = [&](Handle v) {
    if (is_contained(v) || is_placed_[v]) return false;
    if (own.try_emplace(v, false).second) order.push_back(v);
    return true;
  };
  for (const AuxiliaryEdge& related : in_.related_) {
    if (related.subsystem != subsystem) continue;
    const bool from = meet(related.edge.from);
    const bool to = meet(related.edge.to);
    if (!from || !to || related.edge.from == related.edge.to || own[related.edge.to]) continue;
    own[related.edge.to] = true;
    below[related.edge.from].push_back(related.edge.to);
  }
  Slice slice;
  std::map<Handle, bool> seen;
  struct Level {
    Handle vertex;
    std::uint32_t local;
    std::uint32_t next;
  };
  const auto walk = [&](Handle root) {
    std::vector<Level> open;
    const auto enter = [&](Handle v, std::uint32_t parent) {
      if (std::exchange(seen[v], true)) return;
      slice.vertices.push_back(v);
      slice.parents.push_back(parent);
      slice.ends.push_back(0);
      open.push_back({v, slice.units(), 0});
    };
    enter(root, 0);
    while (!open.empty()) {
      Level& level = open.back();
      const std::vector<Handle>& children = below[level.vertex];
      if (level.next < children.size()) {
        const std::uint32_t parent = level.local;
        enter(children[level.next++], parent);
        continue;
      }
      slice.ends[level.local - 1] = slice.units() + 1;
      open.pop_back();
    }
  };
  for (const bool is_led_to : {false, true}) {  // trees first, then what is left of cycles
    for (const Handle v : order) {
      if (own[v] == is_led_to && !seen[v]) walk(v);
    }
  }
  return slice;
}

Result<void> GraphBuilder::Assembly::place_subsystems() {
  parts_.relation_kinds = in_.relations_;
  for (std::uint32_t s = 0; s < in_.subsystems_.size(); ++s) {
    Slice slice = own_forest(s);
    if (slice.units() > 0) {
      const auto shape = shape_of(slice);
      if (!shape) return within(in_.subsystems_[s], shape.error());
      add_group(PoolGroup::kNoParent, s, slice, *shape);
    }
  }
  for (std::uint32_t s = 0; s < in_.subsystems_.size(); ++s) {
    std::vector<Relation> relations;
    std::vector<Vertex> members;
    std::map<Vertex, bool> is_led_to;
    for (const AuxiliaryEdge& related : in_.related_) {
      if (related.subsystem != s) continue;
      const Relation relation{place_[related.edge.from], place_[related.edge.to], related.relation};
      for (const Vertex end : {relation.from, relation.to}) {
        if (is_led_to.try_emplace(end, false).second) members.push_back(end);
      }
      is_led_to[relation.to] = true;
      relations.push_back(relation);
    }
    std::erase_if(members, [&](Vertex v) { return is_led_to[v]; });
    parts_.subsystems.emplace_back(in_.subsystems_[s], std::move(members), std::move(relations));
  }
  std::sort(parts_.pool_ranks.begin(), parts_.pool_ranks.end());
  return {};
}

void GraphBuilder::Assembly::apply_state(ResourceGraph& graph) const {
  for (const auto& [handle, properties] : in_.properties_) {
    for (const auto& [name, value] : properties) {
      graph.set_property(place_[handle], name, value);
    }
  }
  for (Handle v = 0; v < count_; ++v) {
    if (record(v).status == Status::up) continue;
    if (place_[v].is_target()) {
      graph.down_in_input_.push_back(place_[v].holder());
    } else {
      graph.down_.push_back(place_[v]);
    }
  }
  std::sort(graph.down_.begin(), graph.down_.end());
  graph.update_blocked();
  std::optional<NodeIndex> updated;
  for (const Vertex v : graph.down_) {
    if (v.is_interior() || updated == v.holder()) continue;
    graph.update_unusable(v.holder());
    updated = v.holder();
  }
  std::sort(graph.down_in_input_.begin(), graph.down_in_input_.end());
  graph.generation_ = 0;
}

Result<void> GraphBuilder::Assembly::check_properties() const {
  boost::unordered_flat_set<std::string_view> names;
  for (const auto& [handle, properties] : in_.properties_) {
    if (!is_target_[handle]) continue;
    for (const auto& [name, value] : properties) names.insert(name);
  }
  if (names.size() * std::uint64_t{targets_.size()} <= kMaxPropertyBits) return {};
  return failure(ErrorCode::limit, "{} different properties among {} nodes are too many",
                 names.size(), targets_.size());
}

Result<ResourceGraph> GraphBuilder::Assembly::finish() {
  if (auto checked = check_properties(); !checked) return checked.error();
  Result<ResourceGraph> graph = std::move(builder_).build(Topology(std::move(parts_)));
  if (graph) apply_state(*graph);
  return graph;
}

Result<ResourceGraph> GraphBuilder::build() && { return Assembly(*this).run(); }

}  // namespace tenure::graph
