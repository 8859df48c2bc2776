#include <fmt/ranges.h>

#include <utility>

#include "base/file.hpp"
#include "base/hostlist.hpp"
#include "emul/scenario.hpp"
#include "emul/scenario_events.hpp"
#include "emul/scenario_yaml.hpp"
#include "graph/formats/r.hpp"
#include "sched/codec.hpp"

namespace tenure::emul {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kMaxUnits = 65'536;  ///< cores or gpus of a node in short form
constexpr std::int64_t kDefaultStart = 1'000'000'000;

class ScenarioReader {
 public:
  ScenarioReader(std::filesystem::path file, const json::object& overrides)
      : folder_(file.parent_path()), overrides_(&overrides), document_(file.string()) {
    scenario_.file = file.string();
  }

  Result<Scenario> read(const YAML::Node& root);

 private:
  Time start(const Item& root);
  Time expiration(const Item& root);
  json::value cluster(const Item& item);
  json::value regular_cluster(const Item& item);
  json::value r_file(const Item& item);
  std::map<std::string, Queue> queues(const Item& root);
  Queue queue(const std::string& name, const Item& item);
  void add_scheduling(const std::string& name, const Item& item);
  void add_membership(const std::string& queue, const Item& hosts);

  std::filesystem::path folder_;
  const json::object* overrides_;
  Document document_;
  Scenario scenario_;
};

Result<Scenario> ScenarioReader::read(const YAML::Node& node) {
  const Item root{node, "", 1};
  if (!node.IsMap()) document_.fail(root, "a scenario is a mapping with cluster and events");
  document_.only_keys(root, {"cluster", "config", "start", "expiration", "queues", "events"});
  scenario_.start = start(root);
  const auto cluster_item = document_.need(root, "cluster");
  if (cluster_item) scenario_.r = cluster(*cluster_item);
  if (!document_.ok()) return document_.error();
  if (const auto item = document_.find(root, "expiration")) {
    const Time end = expiration(root);
    scenario_.r.as_object()["execution"].as_object()["expiration"] = sched::encode_time(end);
  }
  if (const auto item = document_.find(root, "config")) {
    read_config(document_, *item, scenario_.config);
  }
  const auto known_queues = queues(root);
  if (!document_.ok()) return document_.error();

  auto config = sched::apply(scenario_.config, *overrides_);
  if (!config) return config.error();
  scenario_.config = *std::move(config);
  const auto inventory = graph::read_inventory(scenario_.r);
  if (!inventory) {
    document_.record(*cluster_item, inventory.error());
    return document_.error();
  }
  const graph::ResourceGraph& machine = inventory->graph;
  scenario_.up = machine.ranks_of(machine.present());

  EventReader events(document_, folder_, scenario_, machine, known_queues);
  if (const auto item = document_.need(root, "events")) scenario_.events = events.read(*item);
  if (!document_.ok()) return document_.error();
  return std::move(scenario_);
}

Time ScenarioReader::start(const Item& root) {
  const auto item = document_.find(root, "start");
  if (!item) return Time::seconds(kDefaultStart);
  const Duration offset = document_.duration(*item);
  if (document_.ok() && (offset == Duration::zero() || offset.is_infinite())) {
    document_.fail(*item, "must be a time after the epoch: 0 reads as \"unset\" in R");
  }
  return Time() + offset;
}

Time ScenarioReader::expiration(const Item& root) {
  const Duration offset = document_.duration(*document_.find(root, "expiration"));
  if (offset == Duration::zero() || offset.is_infinite()) return Time::never();
  return scenario_.start + offset;
}

// ---- cluster ---------------------------------------------------------------------------

json::value ScenarioReader::cluster(const Item& item) {
  for (const std::string_view format : {"jgf", "grug", "hwloc"}) {
    if (const auto field = document_.find(item, format)) {
      document_.fail(*field, "this format is not available yet; use R, or nodes, cores and gpus");
      return nullptr;
    }
  }
  const auto r = document_.find(item, "R");
  if (!r) return regular_cluster(item);
  document_.only_keys(item, {"R"});
  json::value value = r->node.IsScalar() ? r_file(*r) : to_json(r->node);
  if (!document_.ok()) return nullptr;
  const auto checked = graph::read_inventory(value);
  if (!checked) document_.record(*r, checked.error());
  return value;
}

json::value ScenarioReader::r_file(const Item& item) {
  const std::filesystem::path path = folder_ / document_.text(item);
  const auto text = read_file(path);
  if (!text) {
    document_.record(item, text.error());
    return nullptr;
  }
  boost::system::error_code error;
  json::value value = json::parse(*text, error);
  if (error) document_.fail(item, "{}: {}", path.string(), error.message());
  return value;
}

json::value ScenarioReader::regular_cluster(const Item& item) {
  document_.only_keys(item, {"nodes", "cores", "gpus", "R", "jgf", "grug", "hwloc"});
  graph::RegularMachine machine;
  if (const auto field = document_.need(item, "nodes")) {
    machine.nodes = document_.integer(*field, 1, kMaxHosts);
  }
  if (const auto field = document_.find(item, "cores")) {
    machine.cores = document_.integer(*field, 0, kMaxUnits);
  }
  if (const auto field = document_.find(item, "gpus")) {
    machine.gpus = document_.integer(*field, 0, kMaxUnits);
  }
  return graph::write_r(machine, graph::RTimes{.start = scenario_.start});
}

// ---- queues ----------------------------------------------------------------------------

std::map<std::string, Queue> ScenarioReader::queues(const Item& root) {
  std::map<std::string, Queue> result;
  std::vector<std::pair<std::string, Item>> virtual_queues;
  const auto item = document_.find(root, "queues");
  if (!item) return result;
  for (const auto& [name, body] : document_.entries(*item)) {
    document_.only_keys(
        body, {"requires", "hosts", "parent", "policy", "queue-depth", "reservation-depth"});
    add_scheduling(name, body);
    if (document_.find(body, "parent")) {
      virtual_queues.emplace_back(name, body);
    } else {
      result[name] = queue(name, body);
    }
  }
  std::map<std::string, Queue> resolved = result;
  for (const auto& [name, body] : virtual_queues) {
    const Item parent = *document_.find(body, "parent");
    const auto found = result.find(document_.text(parent));
    for (const std::string_view key : {"requires", "hosts"}) {
      if (const auto field = document_.find(body, key)) {
        document_.fail(*field, "a queue with a parent has the resources of its parent (RFC 33)");
      }
    }
    if (found == result.end()) {
      document_.fail(parent, "\"{}\" is no queue with resources of its own (RFC 33)",
                     document_.text(parent));
    } else {
      resolved[name] = found->second;
    }
  }
  return resolved;
}

/// What the planner has to know of a queue. `policy` is a name, or a table of the keys.
void ScenarioReader::add_scheduling(const std::string& name, const Item& item) {
  json::object keys;
  for (const std::string_view key : {"policy", "queue-depth", "reservation-depth"}) {
    const auto field = document_.find(item, key);
    if (!field) continue;
    const json::value value = to_json(field->node);
    if (value.is_object()) {
      for (const auto& inner : value.get_object()) keys[inner.key()] = inner.value();
    } else {
      keys[key] = value;
    }
  }
  const auto parent = document_.find(item, "parent");
  if (parent && !keys.empty()) {
    document_.fail(item, "a queue with a parent is planned by the parent's policy (RFC 33)");
    return;
  }
  auto queue = sched::read_queue(name, keys);
  if (!queue) {
    document_.record(item, queue.error());
    return;
  }
  if (parent) queue->parent = document_.text(*parent);
  scenario_.config.options.queues.push_back(*std::move(queue));
}

Queue ScenarioReader::queue(const std::string& name, const Item& item) {
  Queue queue;
  if (const auto field = document_.find(item, "requires")) {
    queue.properties = document_.texts(*field);
  }
  if (const auto field = document_.find(item, "hosts")) {
    add_membership(name, *field);
    queue.properties.push_back("+" + name);
  }
  return queue;
}

/// RFC 33: `hosts` gives the named hosts the instance-local property +NAME.
void ScenarioReader::add_membership(const std::string& queue, const Item& item) {
  const auto hosts = parse_hostlist(document_.text(item));
  if (!hosts) {
    document_.record(item, hosts.error());
    return;
  }
  const auto inventory = graph::read_inventory(scenario_.r);
  if (!inventory) return;  // reported with the cluster
  graph::NodeSet members(inventory->graph.node_count());
  for (const std::string& host : *hosts) {
    const auto nodes = inventory->graph.find_host(host);
    if (nodes.empty()) document_.fail(item, "the cluster has no host {}", host);
    for (const NodeIndex node : nodes) members.set(node);
  }
  json::value& properties = scenario_.r.as_object()["execution"].as_object()["properties"];
  if (!properties.is_object()) properties.emplace_object();
  properties.as_object()["+" + queue] = inventory->graph.ranks_of(members).to_string();
}

}  // namespace

Result<Scenario> read_scenario_text(const std::string& text, const std::filesystem::path& file,
                                    const json::object& overrides) {
  const auto root = load_yaml(text, file.string());
  if (!root) return root.error();
  return ScenarioReader(file, overrides).read(*root);
}

Result<Scenario> read_scenario(const std::filesystem::path& file, const json::object& overrides) {
  const auto text = read_file(file);
  if (!text) return text.error();
  return read_scenario_text(*text, file, overrides);
}

}  // namespace tenure::emul
