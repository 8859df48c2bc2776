#include "graph/formats/scheduling.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "graph/formats/jgf.hpp"
#include "graph/formats/jgf_writer.hpp"
#include "graph/formats/json_field.hpp"
#include "graph/formats/treepool.hpp"
#include "graph/graph_copy.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;

/// Types whose absence from R_lite means that there are none.
bool is_always_listed(std::string_view type) { return type == "core" || type == "gpu"; }

class Fit {
 public:
  Fit(const ResourceGraph& tree, const ResourceGraph& execution)
      : tree_(tree), execution_(execution), vertices_(tree) {}

  Result<ResourceGraph> run() {
    if (auto found = find_nodes(); !found) return found.error();
    if (auto checked = check_units(); !checked) return checked.error();
    Result<ResourceGraph> graph = cut();
    if (!graph) return graph;
    for (const auto& [name, nodes] : execution_.properties()) {
      graph->add_property(name, execution_.ranks_of(nodes));
    }
    return graph;
  }

 private:
  const Node& its_node(NodeIndex target) const { return execution_.node(*its_[target.value()]); }

  Result<void> find_nodes() {
    its_.assign(tree_.target_count(), std::nullopt);
    boost::unordered_flat_map<std::string_view, std::uint32_t> seen;
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < tree_.target_count(); ++i) {
      const std::string& host = tree_.node(NodeIndex(i)).host;
      const auto same_host = execution_.find_host(host);
      std::uint32_t& next = seen[host];
      if (next >= same_host.size()) continue;
      its_[i] = same_host[next++];
      ++found;
    }
    if (found == execution_.target_count()) return {};
    for (const Node& node : execution_.nodes()) {
      const auto there = seen.find(node.host);
      const std::size_t wanted = execution_.find_host(node.host).size();
      if (there != seen.end() && there->second >= wanted) continue;
      return failure(ErrorCode::invalid, "has no node for rank {}, host {}", node.rank.value(),
                     in_quotes(node.host));
    }
    return {};
  }

  /// Every unit that `execution` has is in the tree, shape by shape.
  Result<void> check_units() {
    std::map<std::pair<ShapeId, ShapeId>, bool> checked;
    for (std::uint32_t i = 0; i < its_.size(); ++i) {
      if (!its_[i]) continue;
      const Node& node = its_node(NodeIndex(i));
      const ShapeId shape = tree_.node(NodeIndex(i)).shape;
      if (!checked.emplace(std::pair{shape, node.shape}, true).second) continue;
      const Shape& mine = tree_.shape(shape);
      for (const Pool& pool : execution_.shape(node.shape).pools) {
        const Pool* same = mine.pool(pool.type);
        const Idset ids = same == nullptr ? Idset() : Shape::ids(*same, UnitMask::full(mine.units));
        const Idset missing = Idset::of(pool.ids) - ids;
        if (missing.empty()) continue;
        return failure(ErrorCode::invalid, "has no {} {} for rank {}", pool.type,
                       missing.to_string(), node.rank.value());
      }
      is_whole_ = is_whole_ && units(mine) == units(execution_.shape(node.shape));
    }
    return {};
  }
  static std::uint64_t units(const Shape& shape) {
    return std::uint64_t{shape.count("core")} + shape.count("gpu");
  }

  bool has_same_nodes() const {
    for (std::uint32_t i = 0; i < its_.size(); ++i) {
      if (!its_[i] || its_node(NodeIndex(i)).rank != tree_.node(NodeIndex(i)).rank) return false;
    }
    return true;
  }

  Result<ResourceGraph> cut() {
    if (is_whole_ && has_same_nodes()) return tree_;
    keep_interior();
    GraphBuilder builder;
    auto copied =
        copy_vertices(tree_, builder, [&](Vertex v, VertexSpec& spec) { return is_kept(v, spec); });
    if (!copied) return copied.error();
    return std::move(builder).build();
  }

  bool is_kept(Vertex v, VertexSpec& spec) const {
    if (v.is_interior()) return is_kept_[v.index()];
    const auto target = vertices_.target_of(v);
    if (!target) return true;
    if (!its_[target->value()]) return false;
    const Node& node = its_node(*target);
    if (spec.rank >= 0) spec.rank = node.rank.value();
    if (v.is_target()) return true;
    const Pool* pool = execution_.shape(node.shape).pool(spec.type);
    if (pool == nullptr) return !is_always_listed(spec.type);
    return spec.id < 0 ||
           std::binary_search(pool->ids.begin(), pool->ids.end(), std::uint64_t(spec.id));
  }

  /// Interior vertices below which a node is kept, or none is lost.
  void keep_interior() {
    const Topology& topology = tree_.topology();
    std::vector<bool> has_kept(topology.interior().size(), false);
    std::vector<bool> has_lost(topology.interior().size(), false);
    for (std::uint32_t i = 0; i < its_.size(); ++i) {
      (its_[i] ? has_kept : has_lost)[topology.target(NodeIndex(i)).parent] = true;
    }
    is_kept_.assign(topology.interior().size(), false);
    for (auto i = static_cast<std::uint32_t>(is_kept_.size()); i-- > 0;) {
      is_kept_[i] = i == 0 || has_kept[i] || !has_lost[i];
      if (i == 0) break;
      const std::uint32_t parent = topology.interior(i).parent;
      has_kept[parent] = has_kept[parent] || has_kept[i];
      has_lost[parent] = has_lost[parent] || has_lost[i];
    }
  }

  const ResourceGraph& tree_;
  const ResourceGraph& execution_;
  const Vertices vertices_;
  std::vector<std::optional<NodeIndex>> its_;  ///< node of `execution` by target of the tree
  std::vector<bool> is_kept_;                  ///< by interior vertex
  bool is_whole_ = true;
};

std::string_view writer_of(const json::object& scheduling) {
  const json::value* writer = scheduling.if_contains("writer");
  const std::string_view text =
      writer != nullptr && writer->is_string() ? writer->get_string() : "fluxion";
  return text.substr(0, text.find(':'));
}

bool is_jgf(const json::value& scheduling) {
  const json::object* object = scheduling.if_object();
  if (object == nullptr || writer_of(*object) != "fluxion") return false;
  const json::value* graph = object->if_contains("graph");
  return graph != nullptr && graph->is_object();
}

bool is_treepool(const json::value& scheduling) {
  const json::object* object = scheduling.if_object();
  return object != nullptr && writer_of(*object) == "TreePool" && object->contains("children");
}

}  // namespace

Result<ResourceGraph> fit_to_execution(const ResourceGraph& tree, const ResourceGraph& execution) {
  return Fit(tree, execution).run();
}

Result<std::optional<ResourceGraph>> read_scheduling(const json::value& scheduling,
                                                     const ResourceGraph& execution) {
  if (is_treepool(scheduling)) {
    auto graph = read_treepool(scheduling.get_object(), execution);
    if (!graph) return graph.error();
    return std::optional(*std::move(graph));
  }
  if (!is_jgf(scheduling)) return std::optional<ResourceGraph>();
  const auto document = read_jgf_graph(scheduling);
  if (!document) return document.error();
  auto graph = fit_to_execution(document->graph, execution);
  if (!graph) return graph.error();
  return std::optional(*std::move(graph));
}

json::value allocated_scheduling(const json::value& scheduling, const ResourceSet& set,
                                 const ResourceGraph& graph) {
  if (is_treepool(scheduling)) {
    return trim_treepool(scheduling.get_object(), graph.ranks_of(set));
  }
  if (!is_jgf(scheduling) || graph.topology().is_flat()) return scheduling;
  std::string text;
  write_jgf(graph, set, [&](std::string_view piece) { text += piece; });
  return json::parse(text);
}

}  // namespace tenure::graph
