#include "graph/formats/treepool.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "graph/formats/json_field.hpp"
#include "graph/graph_builder.hpp"
#include "graph/vertices.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;

constexpr std::uint32_t kNode = 0xffffffffU;  ///< parent of what is directly in a node

/// A vertex below a node.
struct Inside {
  std::uint32_t parent;  ///< in the list, or kNode
  std::string type;
  std::int64_t id;
  std::int64_t size = 1;
  std::string unit = {};
  std::string path = {};  ///< of a storage
};

/// Powers of ten that make a fractional capacity whole, by unit: "1.5 TiB" is 1536 GiB.
struct SmallerUnit {
  std::string_view unit;
  std::string_view smaller;
  int factor;
};
constexpr SmallerUnit kSmallerUnits[] = {
    {"EiB", "PiB", 1024}, {"PiB", "TiB", 1024}, {"TiB", "GiB", 1024}, {"GiB", "MiB", 1024},
    {"MiB", "KiB", 1024}, {"EB", "PB", 1000},   {"PB", "TB", 1000},   {"TB", "GB", 1000},
    {"GB", "MB", 1000},   {"MB", "kB", 1000},
};

/// Reads one `topo` into a list in preorder.
class TopoReader {
 public:
  Result<std::vector<Inside>> read(const json::value& topo, const std::string& place) {
    if (auto done = read_domain(topo, kNode, place); !done) return done.error();
    return std::move(list_);
  }

 private:
  Result<void> add(Inside inside) {
    if (list_.size() >= kMaxUnits) {
      return failure(ErrorCode::limit, "a node has at most {} vertices", kMaxUnits);
    }
    list_.push_back(std::move(inside));
    return {};
  }

  Result<void> read_domain(const json::value& value, std::uint32_t parent,
                           const std::string& place) {
    const json::object* domain = value.if_object();
    if (domain == nullptr) return wrong_value(place, value, "an object");
    for (const auto& [key, member] : *domain) {
      const std::string where = fmt::format("{}.{}", place, std::string_view(key));
      const auto done = read_member(key, member, parent, where);
      if (!done) return done.error();
    }
    return {};
  }

  Result<void> read_member(std::string_view key, const json::value& value, std::uint32_t parent,
                           const std::string& place) {
    if (key == "cores") return read_ids("core", value, parent, place);
    if (key == "gpus") return read_ids("gpu", value, parent, place);
    if (key == "memory") return read_memory(value, parent, place);
    const json::array* entries = value.if_array();
    if (entries == nullptr) return wrong_value(place, value, "an array of objects");
    for (std::size_t i = 0; i < entries->size(); ++i) {
      const std::string where = fmt::format("{}[{}]", place, i);
      const auto done = key == "storage" ? read_storage((*entries)[i], parent, where)
                                         : read_locality(key, (*entries)[i], parent, where);
      if (!done) return done.error();
    }
    return {};
  }

  Result<void> read_locality(std::string_view type, const json::value& value, std::uint32_t parent,
                             const std::string& place) {
    for (const auto* reserved : {"core", "gpu", "node", "storage_node", "cluster", "slot", ""}) {
      if (type != reserved) continue;
      return failure(ErrorCode::invalid, "{}: {} is no name of a locality domain", place,
                     in_quotes(type));
    }
    const auto number = static_cast<std::uint32_t>(list_.size());
    if (auto added = add({parent, std::string(type), next_[std::string(type)]++}); !added) {
      return within(place, added.error());
    }
    return read_domain(value, number, place);
  }

  Result<void> read_ids(std::string_view type, const json::value& value, std::uint32_t parent,
                        const std::string& place) {
    const Result<Idset> ids = read_idset(value, place);
    if (!ids) return ids.error();
    Idset& known = ids_[std::string(type)];
    if (const Idset twice = known & *ids; !twice.empty()) {
      return failure(ErrorCode::invalid, "{}: {} {} is in two domains", place, type,
                     twice.to_string());
    }
    if (list_.size() + ids->size() > kMaxUnits) {
      return failure(ErrorCode::limit, "{}: a node has at most {} vertices", place, kMaxUnits);
    }
    known = known | *ids;
    ids->for_each([&](Idset::Id id) { list_.push_back({parent, std::string(type), id}); });
    return {};
  }

  Result<void> read_memory(const json::value& value, std::uint32_t parent,
                           const std::string& place) {
    const std::int64_t* size = value.if_int64();
    if (size == nullptr || *size < 0) return wrong_value(place, value, "a number of GiB");
    return add({parent, "memory", next_["memory"]++, *size, "GiB"});
  }

  Result<void> read_storage(const json::value& value, std::uint32_t parent,
                            const std::string& place) {
    const json::object* object = value.if_object();
    if (object == nullptr) return wrong_value(place, value, "an object");
    const auto path = required(*object, place, "path");
    if (!path) return path.error();
    if (!(*path)->is_string()) return wrong_value(place + ".path", **path, "a string");
    const auto capacity = required(*object, place, "capacity");
    if (!capacity) return capacity.error();
    Inside storage{parent, "storage", next_["storage"]++, 0, "GiB"};
    storage.path = (*path)->get_string();
    if (const json::value* unit = object->if_contains("unit")) {
      if (!unit->is_string()) return wrong_value(place + ".unit", *unit, "a string");
      storage.unit = unit->get_string();
    }
    if (auto done = set_capacity(storage, **capacity, place + ".capacity"); !done) return done;
    return add(std::move(storage));
  }

  static Result<void> set_capacity(Inside& storage, const json::value& value,
                                   const std::string& place) {
    constexpr double kMost = 1e15;
    if (!value.is_number()) return wrong_value(place, value, "a number");
    double capacity = value.to_number<double>();
    while (capacity != std::floor(capacity)) {
      const auto* smaller = std::find_if(std::begin(kSmallerUnits), std::end(kSmallerUnits),
                                         [&](const auto& u) { return u.unit == storage.unit; });
      if (smaller == std::end(kSmallerUnits)) {
        return wrong_value(place, value, "a whole number, nor is it one of a smaller unit");
      }
      capacity *= smaller->factor;
      storage.unit = smaller->smaller;
    }
    if (!(capacity >= 0 && capacity <= kMost)) return wrong_value(place, value, "from 0 to 1e15");
    storage.size = static_cast<std::int64_t>(capacity);
    return {};
  }

  std::vector<Inside> list_;
  std::map<std::string, std::int64_t> next_;
  std::map<std::string, Idset> ids_;
};

struct Entry {
  Idset ranks;
  std::vector<Inside> topo;
};

Result<Entry> read_entry(const json::value& value, const std::string& place) {
  const json::object* object = value.if_object();
  if (object == nullptr) return wrong_value(place, value, "an object");
  const auto ranks = required(*object, place, "ranks");
  if (!ranks) return ranks.error();
  Result<Idset> ids = read_idset(**ranks, place + ".ranks");
  if (!ids) return ids.error();
  const auto topo = required(*object, place, "topo");
  if (!topo) return topo.error();
  for (const auto& [key, member] : *object) {
    if (key == "ranks" || key == "topo") continue;
    return failure(ErrorCode::invalid, "{}.{}: is no key here (ranks, topo)", place,
                   std::string_view(key));
  }
  auto list = TopoReader().read(**topo, place + ".topo");
  if (!list) return list.error();
  return Entry{*std::move(ids), *std::move(list)};
}

Result<std::vector<Entry>> read_entries(const json::object& scheduling) {
  const auto children = required(scheduling, "", "children");
  if (!children) return children.error();
  const json::array* array = (*children)->if_array();
  if (array == nullptr) return wrong_value("children", **children, "an array of objects");
  std::vector<Entry> entries;
  Idset seen;
  for (std::size_t i = 0; i < array->size(); ++i) {
    auto entry = read_entry((*array)[i], fmt::format("children[{}]", i));
    if (!entry) return entry.error();
    if (const Idset twice = seen & entry->ranks; !twice.empty()) {
      return failure(ErrorCode::invalid, "children[{}].ranks: rank {} is in two entries", i,
                     twice.to_string());
    }
    seen = seen | entry->ranks;
    entries.push_back(*std::move(entry));
  }
  return entries;
}

/// Makes the graph: a cluster, the nodes of `execution`, and what is inside of each.
class Maker {
 public:
  explicit Maker(const ResourceGraph& execution) : execution_(execution) {}

  Result<ResourceGraph> make(const std::vector<Entry>& entries) {
    if (auto found = find_entries(entries); !found) return found.error();
    const auto root = builder_.add({.type = "cluster", .id = 0});
    if (!root) return root.error();
    for (std::uint32_t i = 0; i < execution_.target_count(); ++i) {
      const Node& node = execution_.node(NodeIndex(i));
      const auto handle = builder_.add({.type = "node",
                                        .name = node.host,
                                        .id = trailing_number(node.host),
                                        .rank = node.rank.value()});
      if (!handle) return handle.error();
      builder_.contain(*root, *handle);
      const Entry* entry = entry_of_[i] == kNone ? nullptr : &entries[entry_of_[i]];
      if (auto done = fill(*handle, inside(entry, node.shape)); !done) return done.error();
    }
    auto graph = std::move(builder_).build();
    if (!graph) return graph;
    for (const auto& [name, nodes] : execution_.properties()) {
      graph->add_property(name, execution_.ranks_of(nodes));
    }
    return graph;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  Result<void> find_entries(const std::vector<Entry>& entries) {
    std::vector<std::pair<Idset::Id, std::uint32_t>> named;  // rank, entry
    Idset all;
    for (const Entry& entry : entries) all = all | entry.ranks;
    const Idset mine = ranks();
    entry_of_.assign(execution_.target_count(), kNone);
    const bool is_direct =
        (all - mine).empty() || (all.size() != mine.size() && (mine - all).empty());
    if (!is_direct && all.size() != mine.size()) {
      return failure(ErrorCode::invalid, "children: ranks {} are neither of execution nor as many",
                     in_quotes((all - mine).to_string()));
    }
    for (std::uint32_t e = 0; e < entries.size(); ++e) {
      const Idset& ranks = entries[e].ranks;
      (is_direct ? ranks & mine : ranks).for_each([&](Idset::Id id) { named.push_back({id, e}); });
    }
    std::sort(named.begin(), named.end());
    for (std::uint32_t k = 0; k < named.size(); ++k) {
      const auto node = is_direct ? execution_.find_rank(Rank(named[k].first)) : NodeIndex(k);
      entry_of_[node->value()] = named[k].second;
    }
    return {};
  }

  Idset ranks() const {
    std::vector<Idset::Id> ids;
    for (const Node& node : execution_.nodes()) ids.push_back(node.rank.value());
    return Idset::of(ids);
  }

  /// What is in a node that has a topology and, by `execution`, a shape.
  const std::vector<Inside>& inside(const Entry* entry, ShapeId id) {
    const auto [known, is_new] = inside_.try_emplace({entry, id});
    if (!is_new) return known->second;
    const Shape& shape = execution_.shape(id);
    std::vector<Inside>& list = known->second;
    std::map<std::string, std::vector<Idset::Id>> named;
    std::vector<std::uint32_t> number;  // in `list`, by place in the topology
    for (const Inside& vertex : entry == nullptr ? std::vector<Inside>() : entry->topo) {
      number.push_back(static_cast<std::uint32_t>(list.size()));
      if (vertex.type == "core" || vertex.type == "gpu") {
        const Pool* pool = shape.pool(vertex.type);
        const auto unit = static_cast<Idset::Id>(vertex.id);
        if (pool == nullptr || !std::binary_search(pool->ids.begin(), pool->ids.end(), unit)) {
          continue;
        }
      }
      named[vertex.type].push_back(static_cast<Idset::Id>(vertex.id));
      list.push_back(vertex);
      if (vertex.parent != kNode) list.back().parent = number[vertex.parent];
    }
    for (const Pool& pool : shape.pools) {
      const Idset rest = Idset::of(pool.ids) - Idset::of(named[pool.type]);
      rest.for_each([&](Idset::Id unit) { list.push_back({kNode, pool.type, unit}); });
    }
    return list;
  }

  Result<void> fill(GraphBuilder::Handle node, const std::vector<Inside>& list) {
    std::vector<GraphBuilder::Handle> handles;
    for (const Inside& inside : list) {
      const auto handle = builder_.add(
          {.type = inside.type, .id = inside.id, .size = inside.size, .unit = inside.unit});
      if (!handle) return handle.error();
      builder_.contain(inside.parent == kNode ? node : handles[inside.parent], *handle);
      if (!inside.path.empty()) builder_.set_property(*handle, "path", inside.path);
      handles.push_back(*handle);
    }
    return {};
  }

  const ResourceGraph& execution_;
  GraphBuilder builder_;
  std::vector<std::uint32_t> entry_of_;  ///< by node
  std::map<std::pair<const Entry*, ShapeId>, std::vector<Inside>> inside_;
};

/// The `topo` of one node.
class TopoWriter {
 public:
  TopoWriter(const ResourceGraph& graph, NodeIndex node) : vertices_(graph), node_(node) {}

  json::object write() const { return domain(Vertex::target(node_)); }

 private:
  json::object domain(Vertex v) const {
    json::object object;
    std::vector<Idset::Id> cores, gpus;
    std::optional<std::int64_t> memory;
    vertices_.for_each_child(v, [&](Vertex child) {
      const std::string& type = vertices_.type(child);
      const std::int64_t id = vertices_.id(child);
      if ((type == "core" || type == "gpu") && id >= 0) {
        (type == "core" ? cores : gpus).push_back(static_cast<Idset::Id>(id));
      } else if (type == "memory" && !vertices_.has_children(child)) {
        memory = memory.value_or(0) + gibibytes(vertices_.size(child), vertices_.unit(child));
      } else if (type == "storage") {
        append(object, type, storage(child));
      } else {
        append(object, type, domain(child));
      }
    });
    if (!cores.empty()) object["cores"] = Idset::of(cores).to_string();
    if (!gpus.empty()) object["gpus"] = Idset::of(gpus).to_string();
    if (memory) object["memory"] = *memory;
    return object;
  }

  static void append(json::object& object, std::string_view type, json::object entry) {
    json::value& list = object[type];
    if (!list.is_array()) list.emplace_array();
    list.get_array().push_back(std::move(entry));
  }

  json::object storage(Vertex v) const {
    const auto path = vertices_.property(v, "path");
    json::object object{{"path", path.value_or(vertices_.name(v))},
                        {"capacity", vertices_.size(v)}};
    if (!vertices_.unit(v).empty()) object["unit"] = vertices_.unit(v);
    return object;
  }

  /// Rounded down. A size without unit counts as GiB.
  static std::int64_t gibibytes(std::int64_t size, std::string_view unit) {
    struct Unit {
      std::string_view name;
      double bytes;
    };
    constexpr double kGi = 1024.0 * 1024 * 1024;
    constexpr Unit kUnits[] = {{"B", 1},
                               {"KiB", 1024},
                               {"MiB", 1024.0 * 1024},
                               {"TiB", 1024 * kGi},
                               {"kB", 1e3},
                               {"KB", 1e3},
                               {"MB", 1e6},
                               {"GB", 1e9},
                               {"TB", 1e12}};
    for (const Unit& known : kUnits) {
      if (known.name == unit) {
        return static_cast<std::int64_t>(static_cast<double>(size) * known.bytes / kGi);
      }
    }
    return size;
  }

  const Vertices vertices_;
  NodeIndex node_;
};

}  // namespace

Result<ResourceGraph> read_treepool(const json::object& scheduling,
                                    const ResourceGraph& execution) {
  const auto entries = read_entries(scheduling);
  if (!entries) return entries.error();
  return Maker(execution).make(*entries);
}

json::object write_treepool(const ResourceGraph& graph, const NodeSet& nodes) {
  struct Group {
    json::object topo;
    std::vector<Idset::Id> ranks;
  };
  std::vector<Group> groups;
  std::map<std::string, std::size_t> by_text;
  std::map<ShapeId, std::size_t> by_shape;
  nodes.for_each([&](NodeIndex index) {
    const Node& node = graph.node(index);
    const bool has_paths = graph.shape(node.shape).count("storage") > 0;
    const auto known = by_shape.find(node.shape);
    std::size_t group = 0;
    if (known != by_shape.end() && !has_paths) {
      group = known->second;
    } else {
      json::object topo = TopoWriter(graph, index).write();
      const auto [found, is_new] = by_text.try_emplace(json::serialize(topo), groups.size());
      if (is_new) groups.push_back({std::move(topo), {}});
      group = by_shape[node.shape] = found->second;
    }
    groups[group].ranks.push_back(node.rank.value());
  });
  json::array children;
  for (Group& group : groups) {
    children.push_back(json::object{{"ranks", Idset::of(group.ranks).to_string()},
                                    {"topo", std::move(group.topo)}});
  }
  return {{"writer", "TreePool"}, {"children", std::move(children)}};
}

json::object trim_treepool(const json::object& scheduling, const Idset& ranks) {
  json::object trimmed = scheduling;
  json::value* children = trimmed.if_contains("children");
  if (children == nullptr || !children->is_array()) return trimmed;
  json::array kept;
  for (const json::value& entry : children->get_array()) {
    const json::object* object = entry.if_object();
    const json::value* of = object == nullptr ? nullptr : object->if_contains("ranks");
    if (of == nullptr) continue;
    const auto ids = read_idset(*of, "ranks");
    if (!ids) continue;
    const Idset both = *ids & ranks;
    if (both.empty()) continue;
    json::object copy = *object;
    copy["ranks"] = both.to_string();
    kept.push_back(std::move(copy));
  }
  *children = std::move(kept);
  return trimmed;
}

}  // namespace tenure::graph
