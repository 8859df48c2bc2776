#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <utility>

#include "base/hostlist.hpp"
#include "graph/formats/json_field.hpp"
#include "graph/formats/r.hpp"
#include "graph/formats/scheduling.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;

/// The ids of one type inside a node.
struct Units {
  std::string type;
  Idset ids;
};

/// R_lite, taken apart: distinct children once, and who has them in rank order.
struct Lite {
  struct Run {
    Idset::Range ranks;
    std::uint32_t kind;
  };
  std::vector<std::vector<Units>> kinds;
  std::vector<Run> runs;  ///< ascending, disjoint
  std::uint64_t rank_count = 0;
};

/// Prefix of every text about entry `index`; made only when there is something to say.
Error within_entry(std::size_t index, const Error& error) {
  return Error{error.code, fmt::format("execution.R_lite[{}].{}", index, error.message)};
}

Result<const json::object*> object_at(const json::object& parent, std::string_view path,
                                      std::string_view key) {
  const auto value = required(parent, path, key);
  if (!value) return value.error();
  if (const json::object* object = (*value)->if_object()) return object;
  return wrong_value(path.empty() ? std::string(key) : fmt::format("{}.{}", path, key), **value,
                     "an object");
}

/// Checks the version and returns the `execution` object.
Result<const json::object*> execution_of(const json::value& r) {
  const json::object* object = r.if_object();
  if (object == nullptr) return wrong_value("R", r, "an object");
  const auto version = required(*object, "", "version");
  if (!version) return version.error();
  const std::int64_t* number = (*version)->if_int64();
  if (number == nullptr || *number != 1) return wrong_value("version", **version, "1");
  return object_at(*object, "", "execution");
}

Result<std::vector<Units>> read_children(const json::object& children) {
  std::vector<Units> kind;
  for (const auto& [type, value] : children) {
    if (type.empty()) return failure(ErrorCode::invalid, "children: a type has no name");
    Result<Idset> ids = read_idset(value, fmt::format("children.{}", std::string_view(type)));
    if (!ids) return ids.error();
    kind.push_back(Units{std::string(type), *std::move(ids)});
  }
  return kind;
}

/// Reads R_lite entry by entry; equal children are parsed once.
class LiteReader {
 public:
  Result<Lite> read(const json::object& execution) {
    const auto value = required(execution, "execution", "R_lite");
    if (!value) return value.error();
    const json::array* entries = (*value)->if_array();
    if (entries == nullptr) return wrong_value("execution.R_lite", **value, "an array");
    for (std::size_t i = 0; i < entries->size(); ++i) {
      const json::object* entry = (*entries)[i].if_object();
      if (entry == nullptr) {
        return wrong_value(fmt::format("execution.R_lite[{}]", i), (*entries)[i], "an object");
      }
      if (Result<void> added = add(*entry); !added) return within_entry(i, added.error());
    }
    return finish();
  }

 private:
  Result<void> add(const json::object& entry) {
    const auto rank = required(entry, "", "rank");
    if (!rank) return rank.error();
    const Result<Idset> ranks = read_idset(**rank, "rank");
    if (!ranks) return ranks.error();
    if (ranks->empty()) return wrong_value("rank", **rank, "an idset of one or more ranks");
    const auto children = object_at(entry, "", "children");
    if (!children) return children.error();
    const Result<std::uint32_t> kind = find_kind(**children);
    if (!kind) return kind.error();
    for (const Idset::Range& range : ranks->ranges()) lite_.runs.push_back({range, *kind});
    lite_.rank_count += ranks->size();
    return {};
  }

  Result<std::uint32_t> find_kind(const json::object& children) {
    const std::uint32_t next = static_cast<std::uint32_t>(lite_.kinds.size());
    const auto [known, is_new] = kind_of_text_.try_emplace(json::serialize(children), next);
    if (!is_new) return known->second;
    Result<std::vector<Units>> kind = read_children(children);
    if (!kind) return kind.error();
    lite_.kinds.push_back(*std::move(kind));
    return next;
  }

  Result<Lite> finish() {
    const auto before = [](const Lite::Run& a, const Lite::Run& b) {
      return a.ranks.first < b.ranks.first;
    };
    if (!std::is_sorted(lite_.runs.begin(), lite_.runs.end(), before)) {
      std::stable_sort(lite_.runs.begin(), lite_.runs.end(), before);
    }
    for (std::size_t i = 1; i < lite_.runs.size(); ++i) {
      if (lite_.runs[i].ranks.first > lite_.runs[i - 1].ranks.last) continue;
      return failure(ErrorCode::invalid, "execution.R_lite: rank {} is in two entries",
                     lite_.runs[i].ranks.first);
    }
    return std::move(lite_);
  }

  Lite lite_;
  boost::unordered_flat_map<std::string, std::uint32_t> kind_of_text_;
};

/// A time where 0 and absence mean `unset`.
Result<Time> read_optional_time(const json::object& execution, std::string_view key, Time unset) {
  const json::value* value = execution.if_contains(key);
  if (value == nullptr) return unset;
  const Result<Time> time = read_time(*value, fmt::format("execution.{}", key));
  if (!time) return time.error();
  return *time == Time() ? unset : *time;
}

Result<RTimes> read_times(const json::object& execution) {
  const Result<Time> start = read_optional_time(execution, "starttime", Time());
  if (!start) return start.error();
  const Result<Time> expiration = read_optional_time(execution, "expiration", Time::never());
  if (!expiration) return expiration.error();
  if (*expiration <= *start) {
    return wrong_value("execution.expiration", execution.at("expiration"),
                       "later than execution.starttime");
  }
  return RTimes{*start, *expiration};
}

Result<std::vector<std::string>> read_nodelist(const json::object& execution,
                                               std::uint64_t rank_count) {
  const auto value = required(execution, "execution", "nodelist");
  if (!value) return value.error();
  const json::array* entries = (*value)->if_array();
  if (entries == nullptr) return wrong_value("execution.nodelist", **value, "an array of strings");
  std::vector<std::string> hosts;
  for (std::size_t i = 0; i < entries->size() && hosts.size() <= rank_count; ++i) {
    const json::string* text = (*entries)[i].if_string();
    if (text == nullptr) {
      return wrong_value(fmt::format("execution.nodelist[{}]", i), (*entries)[i],
                         "a string with a hostlist");
    }
    Result<std::vector<std::string>> more = parse_hostlist(*text);
    if (!more) return within(fmt::format("execution.nodelist[{}]", i), more.error());
    if (hosts.empty()) {
      hosts = *std::move(more);
    } else {
      hosts.insert(hosts.end(), std::make_move_iterator(more->begin()),
                   std::make_move_iterator(more->end()));
    }
  }
  if (hosts.size() > rank_count) {
    return failure(ErrorCode::invalid,
                   "execution.nodelist: has more host names than the {} ranks of R_lite",
                   rank_count);
  }
  if (hosts.size() < rank_count) {
    return failure(ErrorCode::invalid,
                   "execution.nodelist: has {} host names for the {} ranks of R_lite", hosts.size(),
                   rank_count);
  }
  return hosts;
}

Result<ShapeId> add_shape(ResourceGraph::Builder& builder, const std::vector<Units>& kind) {
  std::uint64_t units = 0;
  for (const Units& type : kind) units += type.ids.size();
  if (units > kMaxUnits) {
    return failure(ErrorCode::limit, "execution.R_lite: {} resources in a node are more than {}",
                   units, kMaxUnits);
  }
  std::vector<Pool> pools;
  for (const Units& type : kind) {
    Pool pool{type.type, {}, 0};
    pool.ids.reserve(type.ids.size());
    type.ids.for_each([&](Idset::Id id) { pool.ids.push_back(id); });
    pools.push_back(std::move(pool));
  }
  return builder.add_shape(std::move(pools));
}

Result<void> add_nodes(ResourceGraph::Builder& builder, const Lite& lite,
                       std::vector<std::string> hosts) {
  std::vector<ShapeId> shapes;
  for (const std::vector<Units>& kind : lite.kinds) {
    const Result<ShapeId> shape = add_shape(builder, kind);
    if (!shape) return shape.error();
    shapes.push_back(*shape);
  }
  builder.reserve(hosts.size());
  auto host = hosts.begin();
  for (const Lite::Run& run : lite.runs) {
    for (std::uint64_t rank = run.ranks.first; rank <= run.ranks.last; ++rank) {
      builder.add_node(Rank(static_cast<std::uint32_t>(rank)), std::move(*host++),
                       shapes[run.kind]);
    }
  }
  return {};
}

Result<void> add_properties(ResourceGraph::Builder& builder, const json::object& execution) {
  if (execution.if_contains("properties") == nullptr) return {};
  const auto properties = object_at(execution, "execution", "properties");
  if (!properties) return properties.error();
  for (const auto& [key, value] : **properties) {
    const std::string_view name = key;
    if (!is_property_name(name)) {
      return failure(ErrorCode::invalid, "execution.properties: {} is not {}", show_text(name),
                     kPropertyNameRule);
    }
    const std::string path = fmt::format("execution.properties.{}", name);
    const Result<Idset> ranks = read_idset(value, path);
    if (!ranks) return ranks.error();
    builder.add_property(std::string(name), *ranks);
  }
  return {};
}

/// What children mean on a node of some shape.
struct Selection {
  UnitMask units;
  std::uint64_t unknown = 0;
};

bool has_all_of(const Shape& shape, std::string_view type, const UnitMask& units) {
  const Pool* pool = shape.pool(type);
  return pool == nullptr || units.count(pool->first_unit, pool->count()) == pool->count();
}

Selection select(const std::vector<Units>& kind, const Shape& shape) {
  Selection selection{UnitMask(shape.units), 0};
  for (const Units& type : kind) {
    Idset there;
    if (const Pool* pool = shape.pool(type.type)) {
      for (std::uint32_t i = 0; i < pool->count(); ++i) {
        if (!type.ids.contains(pool->ids[i])) continue;
        selection.units.set(pool->first_unit + i);
      }
      there = Shape::ids(*pool, selection.units);  // ids may repeat in a node with a tree
    }
    selection.unknown += (type.ids - there).size();
  }
  // An R has no word for the rest of a node with a tree: who has all it can name has the node.
  const bool has_all =
      has_all_of(shape, "core", selection.units) && has_all_of(shape, "gpu", selection.units);
  if (!shape.is_flat() && has_all) selection.units = UnitMask::full(shape.units);
  return selection;
}

Allocation resolve(const Lite& lite, const ResourceGraph& graph) {
  Allocation allocation;
  boost::unordered_flat_map<std::uint64_t, Selection> selections;
  std::uint64_t known_ranks = 0;
  for (const Lite::Run& run : lite.runs) {
    const std::optional<NodeRange> nodes = graph.nodes_in_ranks(run.ranks);
    if (!nodes) continue;
    for (NodeIndex node = nodes->first; node <= nodes->last; node = NodeIndex(node.value() + 1)) {
      if (!graph.present().test(node)) continue;
      ++known_ranks;
      const ShapeId shape = graph.node(node).shape;
      const std::uint64_t key = (std::uint64_t{run.kind} << 32) | shape.value();
      auto found = selections.find(key);
      if (found == selections.end()) {
        found = selections.emplace(key, select(lite.kinds[run.kind], graph.shape(shape))).first;
      }
      allocation.unknown_units += found->second.unknown;
      allocation.resources.append_part(node, found->second.units, graph.shape(shape));
    }
  }
  allocation.unknown_ranks = lite.rank_count - known_ranks;
  return allocation;
}

}  // namespace

Result<Inventory> read_inventory(const json::value& r) {
  const auto execution = execution_of(r);
  if (!execution) return execution.error();
  const Result<Lite> lite = LiteReader().read(**execution);
  if (!lite) return lite.error();
  if (lite->rank_count > kMaxNodes) {
    return failure(ErrorCode::limit, "execution.R_lite: {} ranks are more than {}",
                   lite->rank_count, kMaxNodes);
  }
  Result<std::vector<std::string>> hosts = read_nodelist(**execution, lite->rank_count);
  if (!hosts) return hosts.error();
  const Result<RTimes> times = read_times(**execution);
  if (!times) return times.error();

  ResourceGraph::Builder builder;
  if (auto added = add_nodes(builder, *lite, *std::move(hosts)); !added) return added.error();
  if (auto added = add_properties(builder, **execution); !added) return added.error();
  Result<ResourceGraph> graph = std::move(builder).build();
  if (!graph) return within("execution", graph.error());

  Inventory inventory{*std::move(graph), *times, std::nullopt};
  if (const json::value* scheduling = r.get_object().if_contains("scheduling")) {
    inventory.scheduling = *scheduling;
    auto tree = read_scheduling(*scheduling, inventory.graph);
    if (!tree) return within("scheduling", tree.error());
    if (*tree) inventory.graph = **std::move(tree);
  }
  return inventory;
}

Result<Allocation> read_allocation(const json::value& r, const ResourceGraph& graph) {
  const auto execution = execution_of(r);
  if (!execution) return execution.error();
  const Result<Lite> lite = LiteReader().read(**execution);
  if (!lite) return lite.error();
  const Result<RTimes> times = read_times(**execution);
  if (!times) return times.error();
  Allocation allocation = resolve(*lite, graph);
  allocation.times = *times;
  return allocation;
}

Result<Idset> read_ranks(const json::value& r) {
  const auto execution = execution_of(r);
  if (!execution) return execution.error();
  const Result<Lite> lite = LiteReader().read(**execution);
  if (!lite) return lite.error();
  Idset ranks;
  for (const Lite::Run& run : lite->runs) ranks.insert(run.ranks);
  return ranks;
}

}  // namespace tenure::graph
