#include "graph/resource_graph.hpp"

#include <boost/container_hash/hash.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.hpp"

namespace tenure::graph {
namespace {

bool by_rank(const Node& a, const Node& b) { return a.rank < b.rank; }

std::size_t hash_pools(const std::vector<Pool>& pools) {
  std::size_t seed = 0;
  for (const Pool& pool : pools) {
    boost::hash_combine(seed, pool.type);
    boost::hash_range(seed, pool.ids.begin(), pool.ids.end());
  }
  return seed;
}

/// Brings pools into the form of the shape's invariants; returns the number of units.
std::uint32_t normalize(std::vector<Pool>& pools) {
  std::erase_if(pools, [](const Pool& pool) { return pool.ids.empty(); });
  std::stable_sort(pools.begin(), pools.end(),
                   [](const Pool& a, const Pool& b) { return a.type < b.type; });
  std::vector<Pool> merged;
  for (Pool& pool : pools) {
    if (!merged.empty() && merged.back().type == pool.type) {
      merged.back().ids.insert(merged.back().ids.end(), pool.ids.begin(), pool.ids.end());
    } else {
      merged.push_back(std::move(pool));
    }
  }
  std::uint32_t units = 0;
  for (Pool& pool : merged) {
    std::sort(pool.ids.begin(), pool.ids.end());
    pool.ids.erase(std::unique(pool.ids.begin(), pool.ids.end()), pool.ids.end());
    pool.first_unit = units;
    units += pool.count();
  }
  pools = std::move(merged);
  return units;
}

}  // namespace

ResourceGraph::ResourceGraph() : topology_(std::make_shared<const Topology>(Topology::flat({}))) {}

std::optional<NodeIndex> ResourceGraph::find_rank(Rank rank) const {
  if (rank.value() < nodes_.size() && nodes_[rank.value()].rank == rank) {
    return NodeIndex(rank.value());
  }
  const auto found = nodes_in_ranks(Idset::Range{rank.value(), rank.value()});
  if (!found) return std::nullopt;
  return found->first;
}

std::span<const NodeIndex> ResourceGraph::find_host(std::string_view host) const {
  const std::size_t hash = std::hash<std::string_view>{}(host);
  const auto [first, last] = std::equal_range(host_hashes_.begin(), host_hashes_.end(), hash);
  const auto begin = by_host_.begin() + (first - host_hashes_.begin());
  const auto end = by_host_.begin() + (last - host_hashes_.begin());
  const auto lower = std::partition_point(
      begin, end, [&](NodeIndex i) { return std::string_view(node(i).host) < host; });
  const auto upper = std::partition_point(
      lower, end, [&](NodeIndex i) { return std::string_view(node(i).host) == host; });
  return {lower, upper};
}

const NodeSet* ResourceGraph::find_property(std::string_view name) const {
  const auto found = properties_.find(name);
  return found == properties_.end() ? nullptr : &found->second;
}

bool ResourceGraph::has_type(std::string_view type) const {
  // Kinds that only a flat graph's topology names are of no machine.
  if (type == "node" && target_count() > 0 && topology_->is_flat()) return true;
  if (!topology_->is_flat() && topology_->has_kind(type)) return true;
  return std::any_of(shapes_.begin(), shapes_.end(),
                     [&](const Shape& shape) { return shape.count(type) > 0; });
}

std::optional<NodeRange> ResourceGraph::nodes_in_ranks(Idset::Range ranks) const {
  const std::span<const Node> targets = nodes();
  const auto first = std::partition_point(
      targets.begin(), targets.end(), [&](const Node& n) { return n.rank.value() < ranks.first; });
  const auto end = std::partition_point(
      first, targets.end(), [&](const Node& n) { return n.rank.value() <= ranks.last; });
  if (first == end) return std::nullopt;
  return NodeRange{NodeIndex(static_cast<std::uint32_t>(first - targets.begin())),
                   NodeIndex(static_cast<std::uint32_t>(end - targets.begin() - 1))};
}

NodeSet ResourceGraph::nodes_with_ranks(const Idset& ranks) const {
  NodeSet nodes(node_count());
  for (const Idset::Range& range : ranks.ranges()) {
    if (const auto found = nodes_in_ranks(range)) nodes.set(*found);
  }
  return nodes;
}

Idset ResourceGraph::ranks_of(const NodeSet& nodes) const {
  std::vector<Idset::Id> ranks;
  nodes.for_each([&](NodeIndex index) {
    if (node(index).rank != kNoRank) ranks.push_back(node(index).rank.value());
  });
  return Idset::of(ranks);
}

Idset ResourceGraph::ranks_of(const ResourceSet& set) const {
  std::vector<Idset::Id> ranks;
  set.for_each(
      [&](NodeRange range) {
        for (std::uint32_t i = range.first.value(); i <= range.last.value(); ++i) {
          if (nodes_[i].rank != kNoRank) ranks.push_back(nodes_[i].rank.value());
        }
      },
      [&](const NodePart& part) {
        const Rank rank = node(part.node).rank;
        if (rank != kNoRank) ranks.push_back(rank.value());
      });
  return Idset::of(ranks);
}

NodeSet ResourceGraph::update_up() {
  NodeSet up = own_up_;
  up -= blocked_;
  NodeSet changed = up;
  changed -= up_;
  NodeSet gone = up_;
  gone -= up;
  changed |= gone;
  up_ = std::move(up);
  if (!changed.none()) ++generation_;
  return changed;
}

NodeSet ResourceGraph::mark_up(const Idset& ranks) {
  NodeSet nodes = nodes_with_ranks(ranks);
  nodes &= present_;
  own_up_ |= nodes;
  return update_up();
}

NodeSet ResourceGraph::mark_up_all() {
  own_up_ |= present_;
  for (const NodeIndex node : down_in_input_) own_up_.reset(node);
  return update_up();
}

NodeSet ResourceGraph::mark_down(const Idset& ranks) {
  own_up_ -= nodes_with_ranks(ranks);
  return update_up();
}

NodeSet ResourceGraph::shrink(const Idset& ranks) {
  NodeSet changed = nodes_with_ranks(ranks);
  changed &= present_;
  if (changed.none()) return changed;
  own_up_ -= changed;
  present_ -= changed;
  up_ -= changed;
  ++generation_;
  return changed;
}

NodeSet ResourceGraph::add_property(std::string_view name, const Idset& ranks) {
  NodeSet changed = nodes_with_ranks(ranks);
  changed &= present_;
  const auto found = properties_.find(name);
  if (found != properties_.end()) changed -= found->second;
  if (changed.none()) return changed;
  if (found != properties_.end()) {
    found->second |= changed;
  } else {
    properties_.emplace(name, changed);
  }
  ++generation_;
  return changed;
}

NodeSet ResourceGraph::remove_property(std::string_view name, const Idset& ranks) {
  NodeSet changed = nodes_with_ranks(ranks);
  changed &= present_;
  const auto found = properties_.find(name);
  if (found == properties_.end()) return NodeSet(node_count());
  changed &= found->second;
  found->second -= changed;
  if (!vertex_properties_.empty()) {
    changed.for_each([&](NodeIndex node) { forget_value(Vertex::target(node), name); });
  }
  if (!changed.none()) ++generation_;
  return changed;
}

ResourceSet ResourceGraph::whole_nodes(const NodeSet& nodes) const {
  CHECK(nodes.size() == node_count(), "{} of {} nodes", nodes.size(), node_count());
  ResourceSet set;
  set.add_whole(nodes);
  return set;
}

void ResourceGraph::index_hosts() {
  const std::hash<std::string_view> hash;
  std::vector<std::pair<std::size_t, NodeIndex>> order(target_count());
  for (std::uint32_t i = 0; i < target_count(); ++i) {
    order[i] = {hash(nodes_[i].host), NodeIndex(i)};
  }
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    if (const int c = node(a.second).host.compare(node(b.second).host); c != 0) return c < 0;
    return a.second < b.second;
  });
  by_host_.reserve(order.size());
  host_hashes_.reserve(order.size());
  for (const auto& [value, index] : order) {
    host_hashes_.push_back(value);
    by_host_.push_back(index);
  }
}

ShapeId ResourceGraph::Builder::add_shape(std::vector<Pool> pools) {
  Shape shape;
  shape.units = normalize(pools);
  shape.pools = std::move(pools);
  return add_tree_shape(std::move(shape));
}

ShapeId ResourceGraph::Builder::add_tree_shape(Shape shape) {
  std::vector<ShapeId>& same_hash = shapes_by_hash_[hash_pools(shape.pools)];
  for (const ShapeId id : same_hash) {
    if (shapes_[id.value()] == shape) return id;
  }
  const ShapeId id(static_cast<std::uint32_t>(shapes_.size()));
  shapes_.push_back(std::move(shape));
  same_hash.push_back(id);
  return id;
}

void ResourceGraph::Builder::add_node(Rank rank, std::string host, ShapeId shape) {
  CHECK(shape.value() < shapes_.size(), "shape {}", shape.value());
  nodes_.push_back(Node{rank, shape, std::move(host)});
}

void ResourceGraph::Builder::add_property(std::string name, const Idset& ranks) {
  properties_.emplace_back(std::move(name), ranks);
}

Result<void> ResourceGraph::Builder::check() const {
  if (nodes_.size() > kMaxNodes) {
    return failure(ErrorCode::limit, "{} nodes are more than {}", nodes_.size(), kMaxNodes);
  }
  for (const Shape& shape : shapes_) {
    if (shape.units <= kMaxUnits) continue;
    return failure(ErrorCode::limit, "{} resources in a node are more than {}", shape.units,
                   kMaxUnits);
  }
  if (shapes_.size() * std::uint64_t{nodes_.size()} > kMaxShapeBits) {
    return failure(ErrorCode::limit, "{} different kinds of node among {} are too many",
                   shapes_.size(), nodes_.size());
  }
  if (properties_.size() * std::uint64_t{nodes_.size()} > kMaxPropertyBits) {
    return failure(ErrorCode::limit, "{} properties among {} nodes are too many",
                   properties_.size(), nodes_.size());
  }
  return {};
}

Result<ResourceGraph> ResourceGraph::Builder::build() && {
  if (const auto checked = check(); !checked) return checked.error();
  if (!std::is_sorted(nodes_.begin(), nodes_.end(), by_rank)) {
    std::stable_sort(nodes_.begin(), nodes_.end(), by_rank);
  }
  const auto twice = std::adjacent_find(
      nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) { return a.rank == b.rank; });
  if (twice != nodes_.end()) {
    return failure(ErrorCode::invalid, "rank {} is given twice", twice->rank.value());
  }
  std::vector<std::uint32_t> units;
  units.reserve(nodes_.size());
  for (const Node& node : nodes_) units.push_back(shapes_[node.shape.value()].units);
  return std::move(*this).build(Topology::flat(units));
}

Result<ResourceGraph> ResourceGraph::Builder::build(Topology topology) && {
  if (const auto checked = check(); !checked) return checked.error();
  ResourceGraph graph;
  graph.nodes_ = std::move(nodes_);
  graph.shapes_ = std::move(shapes_);
  graph.topology_ = std::make_shared<const Topology>(std::move(topology));
  const std::uint32_t count = graph.node_count();
  CHECK(count == graph.topology_->holder_count(), "{} nodes, {} holders", count,
        graph.topology_->holder_count());
  for (const auto& [name, ranks] : properties_) {
    const NodeSet nodes = graph.nodes_with_ranks(ranks);
    if (nodes.count() != ranks.size()) {
      return failure(ErrorCode::invalid, "property '{}' is on rank {}, which no node has", name,
                     (ranks - graph.ranks_of(nodes)).to_string());
    }
    graph.properties_.try_emplace(name, count).first->second |= nodes;
  }
  graph.nodes_of_shape_.assign(graph.shapes_.size(), NodeSet(count));
  for (std::uint32_t i = 0; i < count; ++i) {
    graph.nodes_of_shape_[graph.nodes_[i].shape.value()].set(NodeIndex(i));
  }
  graph.index_hosts();
  graph.present_ = NodeSet(count);
  if (graph.target_count() > 0) {
    graph.present_.set(NodeRange{NodeIndex(0), NodeIndex(graph.target_count() - 1)});
  }
  graph.up_ = NodeSet(count);
  graph.own_up_ = NodeSet(count);
  graph.blocked_ = NodeSet(count);
  return graph;
}

}  // namespace tenure::graph
