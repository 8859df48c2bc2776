#include "match/tree_state.hpp"

namespace tenure::match {

using graph::NodeSet;
using graph::Shape;
using graph::Status;
using graph::UnitMask;
using graph::Vertex;

TreeState::TreeState(const graph::ResourceGraph& graph, Window window, NodeSet eligible)
    : graph_(&graph),
      vertices_(graph),
      window_(window),
      eligible_(std::move(eligible)),
      idle_(window.profile == nullptr ? NodeSet::full(graph.node_count())
                                      : window.profile->idle_throughout(window.span)) {}

TreeState::Holder TreeState::make(NodeIndex index) const {
  const Shape& shape = graph_->shape_of(index);
  Holder made;
  made.shared = UnitMask(shape.units);
  made.free = UnitMask(shape.units);
  made.idle = idle_.test(index);
  if (made.idle) {
    made.free = UnitMask::full(shape.units);
  } else if (!window_.whole_nodes && window_.profile->shared_nodes().test(index)) {
    made.free = window_.profile->free_units(index, window_.span);
  }
  made.initially_free = made.free.count();
  return made;
}

TreeState::Holder& TreeState::holder(NodeIndex index) {
  const auto found = holders_.find(index.value());
  if (found != holders_.end()) return found->second;
  return holders_.emplace(index.value(), make(index)).first->second;
}

TreeState::Holder& TreeState::change(NodeIndex index) {
  Holder& state = holder(index);
  journal_.push_back({index.value(), state});
  return state;
}

void TreeState::rollback(std::size_t checkpoint) {
  while (journal_.size() > checkpoint) {
    Change& last = journal_.back();
    holders_[last.holder] = std::move(last.before);
    journal_.pop_back();
  }
}

bool TreeState::is_usable(NodeIndex target) const {
  const NodeSet& nodes = window_.machine == Machine::as_it_is ? graph_->up() : graph_->present();
  return nodes.test(target);
}

bool TreeState::may_enter(Vertex v) {
  if (graph_->is_lost(v)) return false;
  if (v.is_target()) return is_usable(v.holder()) && eligible_.test(v.holder());
  if (window_.machine == Machine::empty_and_up) return true;
  if (v.is_interior()) return graph_->status(v) == Status::up;
  const UnitMask* unusable = graph_->unusable_units(v.holder());
  return unusable == nullptr || !unusable->test(graph_->shape_of(v.holder()).unit_of(v.local()));
}

bool TreeState::can_share(Vertex v) {
  if (v.is_interior()) return true;
  const Holder& state = holder(v.holder());
  if (v.is_inner()) return state.free.test(graph_->shape_of(v.holder()).unit_of(v.local()));
  return state.idle || !state.free.none();
}

bool TreeState::can_hold(Vertex v) {
  if (v.is_interior()) {
    bool all = true;
    vertices_.holders_below(v).for_each([&](NodeIndex index) {
      const Holder& state = holder(index);
      all = all && state.idle && !state.is_shared;
      if (index.value() < graph_->target_count()) all = all && may_enter(Vertex::target(index));
    });
    return all;
  }
  const Holder& state = holder(v.holder());
  if (v.is_target()) return state.idle && !state.is_shared;
  const Shape& shape = graph_->shape_of(v.holder());
  if (!shape.is_subtree_free(v.local(), state.free)) return false;
  if (!state.is_shared) return true;
  for (std::uint32_t l = v.local(); l < shape.subtree_end(v.local()); ++l) {
    if (state.shared.test(shape.unit_of(l))) return false;
  }
  return true;
}

void TreeState::share(Vertex v) {
  if (v.is_interior()) return;
  Holder& state = change(v.holder());
  state.is_shared = true;
  if (v.is_inner()) state.shared.set(graph_->shape_of(v.holder()).unit_of(v.local()));
}

void TreeState::hold(Vertex v) {
  if (v.is_interior()) {
    vertices_.holders_below(v).for_each([&](NodeIndex index) {
      Holder& state = change(index);
      state.idle = false;
      state.free = UnitMask(graph_->shape_of(index).units);
    });
    return;
  }
  const Shape& shape = graph_->shape_of(v.holder());
  Holder& state = change(v.holder());
  state.idle = false;
  UnitMask taken(shape.units);
  shape.add_subtree(v.local(), taken);
  state.free -= taken;
}

std::uint64_t TreeState::weight(Vertex v) {
  if (v.is_target()) return may_enter(v) ? holder(v.holder()).initially_free : 0;
  if (v.is_inner()) {
    const Shape& shape = graph_->shape_of(v.holder());
    const UnitMask free = make(v.holder()).free;
    std::uint64_t count = 0;
    for (std::uint32_t l = v.local(); l < shape.subtree_end(v.local()); ++l) {
      count += free.test(shape.unit_of(l)) ? 1 : 0;
    }
    return count;
  }
  if (const auto known = interior_weights_.find(v.index()); known != interior_weights_.end()) {
    return known->second;
  }
  std::uint64_t sum = 0;
  vertices_.for_each_child(v, [&](Vertex child) { sum += weight(child); });
  interior_weights_[v.index()] = sum;
  return sum;
}

std::uint64_t TreeState::free_below(Vertex v, std::string_view type) {
  std::uint64_t count = 0;
  const auto count_in = [&](NodeIndex index, std::uint32_t local) {
    const Shape& shape = graph_->shape_of(index);
    const graph::Pool* pool = shape.pool(type);
    if (pool == nullptr) return;
    const graph::UnitRange range = shape.units_below(local, *pool);
    count += holder(index).free.count(range.first, range.count);
  };
  if (!v.is_interior()) {
    count_in(v.holder(), v.local());
    if (v.is_target() && vertices_.type(v) == type) count += can_share(v) ? 1 : 0;
    return count;
  }
  vertices_.for_each_in_preorder(v, [&](Vertex below) {
    if (below.is_interior()) {
      count += vertices_.type(below) == type ? 1 : 0;
      return true;
    }
    count += free_below(below, type);
    return false;
  });
  return count;
}

std::uint64_t TreeState::largest_size(std::string_view type) {
  if (const auto known = largest_sizes_.find(type); known != largest_sizes_.end()) {
    return known->second;
  }
  std::int64_t size = 1;
  for (const graph::VertexKind& kind : graph_->topology().kinds()) {
    if (kind.type == type) size = std::max(size, kind.size);
  }
  for (const Shape& shape : graph_->shapes()) {
    for (const graph::VertexKind& kind : shape.kinds) {
      if (kind.type == type) size = std::max(size, kind.size);
    }
  }
  return largest_sizes_[std::string(type)] = static_cast<std::uint64_t>(size);
}

}  // namespace tenure::match
