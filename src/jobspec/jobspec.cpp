#include "jobspec/jobspec.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "graph/formats/json_field.hpp"
#include "jobspec/fields.hpp"

namespace tenure::jobspec {
namespace {

namespace json = boost::json;
using graph::required;
using graph::wrong_value;

/// Reads the resource tree. V1 has three fixed levels, so no input makes it recurse.
class ResourceReader {
 public:
  Result<Resource> read_root(const json::value& value, std::string_view path) {
    const Result<std::string> type = type_of(value, path);
    if (!type) return type.error();
    if (*type == "node") return read_node(value, path);
    if (*type == "slot") return read_slot(value, path);
    return failure(ErrorCode::invalid, "{}: {} is not 'node' or 'slot'", member(path, "type"),
                   graph::show_text(*type));
  }

 private:
  static Result<std::string> type_of(const json::value& value, std::string_view path) {
    const json::object* object = value.if_object();
    if (object == nullptr) return wrong_value(path, value, "a resource object");
    const auto type = required(*object, path, "type");
    if (!type) return type.error();
    return read_string(**type, member(path, "type"));
  }

  Result<Resource> read_node(const json::value& value, std::string_view path) {
    auto node = read_vertex(value, path, {"type", "count", "unit", "with", "label", "exclusive"});
    if (!node) return node.error();
    const auto with = read_with(value.get_object(), path, 1);
    if (!with) return with.error();
    const std::string place = element(member(path, "with"), 0);
    const Result<std::string> type = type_of((*with)->front(), place);
    if (!type) return type.error();
    if (*type != "slot") {
      return wrong_value(member(place, "type"), json::value(json::string(*type)), "'slot'");
    }
    Result<Resource> slot = read_slot((*with)->front(), place);
    if (!slot) return slot.error();
    node->with.push_back(*std::move(slot));
    return node;
  }

  Result<Resource> read_slot(const json::value& value, std::string_view path) {
    auto slot = read_vertex(value, path, {"type", "count", "unit", "with", "label", "exclusive"});
    if (!slot) return slot.error();
    if (const auto label = required(value.get_object(), path, "label"); !label) {
      return label.error();
    }
    const auto with = read_with(value.get_object(), path, 2);
    if (!with) return with.error();
    for (std::size_t i = 0; i < (*with)->size(); ++i) {
      Result<Resource> leaf = read_leaf((**with)[i], element(member(path, "with"), i));
      if (!leaf) return leaf.error();
      slot->with.push_back(*std::move(leaf));
    }
    if (slot->with.size() == 2 && slot->with[0].type == slot->with[1].type) {
      return failure(ErrorCode::invalid, "{}: has '{}' twice, once is valid", member(path, "with"),
                     slot->with[0].type);
    }
    if (slot->with.size() == 1 && slot->with[0].type != "core") {
      return failure(ErrorCode::invalid, "{}: has no 'core', which a slot must have",
                     member(path, "with"));
    }
    return slot;
  }

  Result<Resource> read_leaf(const json::value& value, std::string_view path) {
    const Result<std::string> type = type_of(value, path);
    if (!type) return type.error();
    if (*type != "core" && *type != "gpu") {
      return failure(ErrorCode::invalid, "{}: {} is not 'core' or 'gpu'", member(path, "type"),
                     graph::show_text(*type));
    }
    return read_vertex(value, path, {"type", "count", "unit", "label"});
  }

  static Result<const json::array*> read_with(const json::object& vertex, std::string_view path,
                                              std::size_t most) {
    const auto with = required(vertex, path, "with");
    if (!with) return with.error();
    return array_of(**with, member(path, "with"), 1, most);
  }

  /// What all vertices have in common.
  Result<Resource> read_vertex(const json::value& value, std::string_view path, Keys keys) {
    const auto object = object_with_keys(value, path, keys);
    if (!object) return object.error();
    Resource resource;
    resource.type = (*object)->at("type").get_string();
    const auto count_value = required(**object, path, "count");
    if (!count_value) return count_value.error();
    const Result<std::uint64_t> count = read_count(**count_value, member(path, "count"));
    if (!count) return count.error();
    resource.count = *count;
    if (const json::value* unit = (*object)->if_contains("unit")) {
      if (!unit->is_string()) return wrong_value(member(path, "unit"), *unit, "a string");
    }
    if (const json::value* exclusive = (*object)->if_contains("exclusive")) {
      if (!exclusive->is_bool()) {
        return wrong_value(member(path, "exclusive"), *exclusive, "true or false");
      }
      resource.exclusive = exclusive->get_bool();
    }
    if (const json::value* value_of_label = (*object)->if_contains("label")) {
      const std::string place = member(path, "label");
      Result<std::string> label = read_string(*value_of_label, place);
      if (!label) return label.error();
      if (std::find(labels_.begin(), labels_.end(), *label) != labels_.end()) {
        return failure(ErrorCode::invalid, "{}: {} is given twice", place,
                       graph::show_text(*label));
      }
      labels_.push_back(*label);
      resource.label = *std::move(label);
    }
    return resource;
  }

  std::vector<std::string> labels_;
};

Result<Resource> read_resources(const json::value& value) {
  const auto array = array_of(value, "resources", 1, 1);
  if (!array) return array.error();
  return ResourceReader().read_root((*array)->front(), "resources[0]");
}

const Resource& slot_of(const Resource& root) {
  return root.type == "slot" ? root : root.with.front();
}

Result<void> check_task_count(const json::value& value, std::string_view path) {
  const auto object = object_with_keys(value, path, {"per_slot", "total"});
  if (!object) return object.error();
  if ((*object)->size() != 1) {
    return failure(ErrorCode::invalid, "{}: must have one of per_slot and total", path);
  }
  const auto& [key, number] = *(*object)->begin();
  const std::string place = member(path, key);
  const Result<std::uint64_t> count = read_count(number, place);
  if (!count) return count.error();
  if (std::string_view(key) == "per_slot" && *count != 1) return wrong_value(place, number, "1");
  return {};
}

/// Tasks mean nothing to a scheduler, but a wrong one is better refused early.
Result<void> check_tasks(const json::value& value, const Resource& slot) {
  const auto array = array_of(value, "tasks", 1, 1);
  if (!array) return array.error();
  constexpr std::string_view kPath = "tasks[0]";
  const auto task = object_with_keys((*array)->front(), kPath, {"command", "slot", "count"});
  if (!task) return task.error();

  const auto command = required(**task, kPath, "command");
  if (!command) return command.error();
  if (auto checked = check_command(**command, "tasks[0].command"); !checked) return checked;

  const auto label = required(**task, kPath, "slot");
  if (!label) return label.error();
  const json::string* text = (*label)->if_string();
  if (text == nullptr || std::string_view(*text) != slot.label) {
    return wrong_value("tasks[0].slot", **label,
                       fmt::format("the label of the slot, {}", graph::show_text(slot.label)));
  }
  const auto count = required(**task, kPath, "count");
  if (!count) return count.error();
  return check_task_count(**count, "tasks[0].count");
}

/// The keys of attributes.system that read_system() reads a value from.
constexpr std::array<std::string_view, 5> kSystemKeys{"duration", "preemptible-after",
                                                      "constraints", "queue", "reservation"};

/// What parse() reads of a jobspec that it accepted, with a command that says nothing.
std::string text_of(const json::object& jobspec) {
  json::object task = jobspec.at("tasks").as_array().front().as_object();
  task["command"] = json::array{"true"};
  json::object system;
  const json::object* attributes = jobspec.at("attributes").if_object();
  const json::value* given = attributes == nullptr ? nullptr : attributes->if_contains("system");
  for (const std::string_view key : kSystemKeys) {
    if (given == nullptr) break;
    if (const json::value* value = given->as_object().if_contains(key)) system[key] = *value;
  }
  return fmt::format(R"({{"version":1,"resources":{},"tasks":[{}],"attributes":{{"system":{}}}}})",
                     json::serialize(jobspec.at("resources")), json::serialize(task),
                     json::serialize(system));
}

json::object vertex(std::string_view type, std::uint64_t count) {
  json::object object;
  object["type"] = type;
  object["count"] = count;
  return object;
}

json::object write_tasks_entry() {
  json::object count;
  count["per_slot"] = 1;
  json::object task;
  task["command"] = json::array{"true"};
  task["slot"] = "task";
  task["count"] = std::move(count);
  return task;
}

}  // namespace

Result<Jobspec> parse(const json::value& json) {
  const auto object = object_with_keys(json, "", {"version", "resources", "tasks", "attributes"});
  if (!object) return object.error();
  const auto version = required(**object, "", "version");
  if (!version) return version.error();
  if (const std::int64_t* number = (*version)->if_int64(); number == nullptr || *number != 1) {
    return wrong_value("version", **version, "1");
  }
  const auto resources = required(**object, "", "resources");
  if (!resources) return resources.error();
  const auto tasks = required(**object, "", "tasks");
  if (!tasks) return tasks.error();
  const auto attributes = required(**object, "", "attributes");
  if (!attributes) return attributes.error();

  Result<Resource> root = read_resources(**resources);
  if (!root) return root.error();
  if (auto checked = check_tasks(**tasks, slot_of(*root)); !checked) return checked.error();
  Jobspec jobspec;
  jobspec.resources.push_back(*std::move(root));
  if (auto read = read_attributes(**attributes, jobspec); !read) return read.error();
  jobspec.text = text_of(**object);
  return jobspec;
}

json::object write(const Shorthand& request) {
  CHECK(request.slots >= 1, "slots {}", request.slots);
  CHECK(request.nodes == 0 || request.slots % request.nodes == 0, "{} slots on {} nodes",
        request.slots, request.nodes);
  json::array leaves;
  leaves.push_back(vertex("core", request.cores_per_slot));
  if (request.gpus_per_slot > 0) leaves.push_back(vertex("gpu", request.gpus_per_slot));

  const bool on_nodes = request.nodes > 0;
  json::object root = vertex("slot", on_nodes ? request.slots / request.nodes : request.slots);
  root["label"] = "task";
  root["with"] = std::move(leaves);
  if (on_nodes) {
    json::object node = vertex("node", request.nodes);
    json::array slots;
    slots.push_back(std::move(root));
    node["with"] = std::move(slots);
    root = std::move(node);
  }
  if (request.exclusive) root["exclusive"] = true;

  json::object system;
  system["duration"] = graph::write_duration(request.duration);
  if (!request.queue.empty()) system["queue"] = request.queue;
  if (!request.reservation.empty()) system["reservation"] = request.reservation;
  if (request.constraint) system["constraints"] = *request.constraint;

  json::object jobspec;
  jobspec["version"] = 1;
  json::array resources;
  resources.push_back(std::move(root));
  jobspec["resources"] = std::move(resources);
  json::array tasks;
  tasks.push_back(write_tasks_entry());
  jobspec["tasks"] = std::move(tasks);
  json::object attributes;
  attributes["system"] = std::move(system);
  jobspec["attributes"] = std::move(attributes);
  return jobspec;
}

}  // namespace tenure::jobspec
