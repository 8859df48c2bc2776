#include <boost/unordered/unordered_flat_map.hpp>

#include <utility>

#include "base/hostlist.hpp"
#include "graph/formats/json_field.hpp"
#include "graph/formats/r.hpp"
#include "graph/formats/scheduling.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;

/// The ids of one type, as text.
struct Units {
  std::string_view type;
  Idset ids;
};

/// Nodes with equal children.
struct Group {
  std::vector<Units> children;
  std::vector<Idset::Id> ranks;
};

/// Groups the nodes of a set by equal children, groups in the order of their first rank.
class Grouping {
 public:
  explicit Grouping(const ResourceGraph& graph)
      : graph_(graph), group_of_shape_(graph.shapes().size(), kNone) {}

  std::vector<Group> group(const ResourceSet& set) {
    set.for_each(
        [&](NodeRange range) {
          for (std::uint32_t i = range.first.value(); i <= range.last.value(); ++i) {
            if (graph_.node(NodeIndex(i)).rank != kNoRank) add_whole(graph_.node(NodeIndex(i)));
          }
        },
        [&](const NodePart& part) {
          const Node& node = graph_.node(part.node);
          if (node.rank == kNoRank) return;
          groups_[find(graph_.shape(node.shape), part.units)].ranks.push_back(node.rank.value());
        });
    return std::move(groups_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void add_whole(const Node& node) {
    std::size_t& group = group_of_shape_[node.shape.value()];
    if (group == kNone) {
      const Shape& shape = graph_.shape(node.shape);
      group = find(shape, UnitMask::full(shape.units));
    }
    groups_[group].ranks.push_back(node.rank.value());
  }

  /// Different shapes may have the same resources taken, so groups go by text.
  std::size_t find(const Shape& shape, const UnitMask& units) {
    std::vector<Units> children;
    std::string key;
    for (const Pool& pool : shape.pools) {
      if (!shape.is_flat() && pool.type != "core" && pool.type != "gpu") continue;
      Idset ids = Shape::ids(pool, units);
      if (ids.empty()) continue;
      key.append(pool.type).append(1, '\0').append(ids.to_string()).append(1, '\0');
      children.push_back(Units{pool.type, std::move(ids)});
    }
    const auto [found, is_new] = group_of_text_.try_emplace(std::move(key), groups_.size());
    if (is_new) groups_.push_back(Group{std::move(children), {}});
    return found->second;
  }

  const ResourceGraph& graph_;
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_shape_;
  boost::unordered_flat_map<std::string, std::size_t> group_of_text_;
};

json::array write_groups(const std::vector<Group>& groups) {
  json::array entries;
  entries.reserve(groups.size());
  for (const Group& group : groups) {
    json::object children;
    for (const Units& units : group.children) children[units.type] = units.ids.to_string();
    json::object entry;
    entry["rank"] = Idset::of(group.ranks).to_string();
    entry["children"] = std::move(children);
    entries.push_back(std::move(entry));
  }
  return entries;
}

json::array write_nodelist(const ResourceSet& set, const ResourceGraph& graph) {
  std::vector<std::string> hosts;
  hosts.reserve(set.node_count());
  for (const NodeRange& range : set.nodes()) {
    for (std::uint32_t i = range.first.value(); i <= range.last.value(); ++i) {
      const Node& node = graph.node(NodeIndex(i));
      if (node.rank != kNoRank) hosts.push_back(node.host);
    }
  }
  json::array nodelist;
  if (!hosts.empty()) nodelist.emplace_back(format_hostlist(hosts));
  return nodelist;
}

/// Whether properties that are local to the instance (RFC 20, leading '+') are written.
enum class Local { no, yes };

/// Properties of the nodes.
json::object write_properties(const NodeSet& nodes, const ResourceGraph& graph, Local local) {
  json::object properties;
  for (const auto& [name, having] : graph.properties()) {
    if ((local == Local::no && name.front() == '+') || !having.intersects(nodes)) continue;
    NodeSet both = having;
    both &= nodes;
    properties[name] = graph.ranks_of(both).to_string();
  }
  return properties;
}

/// "3" or "[0-1]".
std::string bracketed(const Idset& ids) {
  const std::string text = ids.to_string();
  return ids.size() == 1 ? text : fmt::format("[{}]", text);
}

}  // namespace

json::array write_r_lite(const ResourceSet& set, const ResourceGraph& graph) {
  return write_groups(Grouping(graph).group(set));
}

json::object write_inventory(const ResourceGraph& graph, const NodeSet& nodes,
                             const RHeader& header) {
  RHeader without = header;
  without.scheduling = nullptr;
  json::object r = write_r(graph.whole_nodes(nodes), graph, without);
  if (header.scheduling != nullptr) r["scheduling"] = *header.scheduling;
  json::object properties = write_properties(nodes, graph, Local::yes);
  if (!properties.empty()) r["execution"].as_object()["properties"] = std::move(properties);
  return r;
}

json::object write_r(const ResourceSet& set, const ResourceGraph& graph, const RHeader& header) {
  json::object execution;
  execution["R_lite"] = write_r_lite(set, graph);
  execution["nodelist"] = write_nodelist(set, graph);
  execution["nslots"] = header.nslots;
  execution["starttime"] = write_time(header.times.start);
  execution["expiration"] = write_time(header.times.expiration);
  json::object properties = write_properties(set.node_set(graph.node_count()), graph, Local::no);
  if (!properties.empty()) execution["properties"] = std::move(properties);

  json::object r;
  r["version"] = 1;
  r["execution"] = std::move(execution);
  if (header.scheduling != nullptr)
    r["scheduling"] = allocated_scheduling(*header.scheduling, set, graph);
  return r;
}

json::object write_r(const RegularMachine& machine, RTimes times) {
  const auto ids = [](std::uint64_t count) {
    return Idset::range(0, static_cast<Idset::Id>(count - 1));
  };
  json::object children;
  if (machine.cores > 0) children["core"] = ids(machine.cores).to_string();
  if (machine.gpus > 0) children["gpu"] = ids(machine.gpus).to_string();
  const Idset ranks = ids(machine.nodes);
  json::object execution;
  execution["R_lite"] =
      json::array{json::object{{"rank", ranks.to_string()}, {"children", std::move(children)}}};
  execution["nodelist"] = json::array{json::string("node" + bracketed(ranks))};
  execution["starttime"] = write_time(times.start);
  execution["expiration"] = write_time(times.expiration);
  return json::object{{"version", 1}, {"execution", std::move(execution)}};
}

std::string resource_summary(const ResourceSet& set, const ResourceGraph& graph) {
  fmt::memory_buffer text;
  for (const Group& group : Grouping(graph).group(set)) {
    fmt::format_to(fmt::appender(text), "{}rank{}", text.size() == 0 ? "" : " ",
                   bracketed(Idset::of(group.ranks)));
    for (std::size_t i = 0; i < group.children.size(); ++i) {
      fmt::format_to(fmt::appender(text), "{}{}{}", i == 0 ? "/" : ",", group.children[i].type,
                     bracketed(group.children[i].ids));
    }
  }
  return fmt::to_string(text);
}

}  // namespace tenure::graph
