#include "jobspec/canonical.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "graph/formats/json_field.hpp"
#include "jobspec/fields.hpp"

namespace tenure::jobspec {
namespace {

namespace json = boost::json;
using graph::wrong_value;
using Slot = ResourceVertex::Slot;

Error at(std::string_view path, std::string_view text) {
  return failure(ErrorCode::invalid, "{}: {}", path, text);
}

/// The members of a dictionary of counts; the words are those of query.md section 3.6.
class CountReader {
 public:
  explicit CountReader(std::string_view path) : path_(path) {}

  Result<CountSet> read(const json::value& value) {
    if (value.is_number()) {
      const auto fixed = read_count(value, path_);
      if (!fixed) return fixed.error();
      return CountSet::fixed(*fixed);
    }
    if (const json::string* text = value.if_string()) {
      auto set = CountSet::parse(*text);
      if (!set) return within(path_, set.error());
      return *std::move(set);
    }
    const json::object* object = value.if_object();
    if (object == nullptr) return at(path_, "count is not a mapping, an integer or a range");
    return read_range(*object);
  }

 private:
  Result<CountSet> read_range(const json::object& object) {
    for (const auto& [key, ignored] : object) {
      const std::string_view k = key;
      if (k == "min" || k == "max" || k == "operator" || k == "operand") continue;
      return failure(ErrorCode::invalid, "{}: is not a known key (min, max, operator, operand)",
                     member(path_, k));
    }
    CountRange::Members members;
    const auto min = number(object, "min");
    if (!min) return min.error();
    if (!*min) return at(path_, "Key \"min\" missing from count");
    members.min = **min;
    const auto max = number(object, "max");
    if (!max) return max.error();
    members.max = *max;
    if (object.contains("operator") != object.contains("operand")) {
      return at(path_, "\"operator\" and \"operand\" must both be specified or neither");
    }
    const auto operand = number(object, "operand");
    if (!operand) return operand.error();
    members.operand = operand->value_or(1);
    if (const json::value* op = object.if_contains("operator")) {
      const json::string* text = op->if_string();
      const std::string_view word = text == nullptr ? std::string_view() : *text;
      if (word != "+" && word != "*" && word != "^") {
        return at(
            member(path_, "operator"),
            fmt::format("Invalid count operator {}; '+', '*' and '^' are valid", graph::show(*op)));
      }
      members.op = word == "+"   ? CountRange::Operator::add
                   : word == "*" ? CountRange::Operator::multiply
                                 : CountRange::Operator::power;
    }
    return finish(members);
  }

  Result<std::optional<Count>> number(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    if (value == nullptr) return std::optional<Count>();
    const bool is_negative = value->is_int64() && value->get_int64() < 1;
    if (is_negative && key == "min") {
      return at(member(path_, key),
                fmt::format("\"min\" must be greater than zero, not {}", graph::show(*value)));
    }
    if (is_negative && key == "operand") {
      return at(member(path_, key),
                fmt::format("\"operand\" must be greater than zero for addition '+', not {}",
                            graph::show(*value)));
    }
    const auto count = read_count(*value, member(path_, key));
    if (!count) return count.error();
    return std::optional<Count>(*count);
  }

  Result<CountSet> finish(const CountRange::Members& members) {
    using Operator = CountRange::Operator;
    if (members.max && *members.max < members.min) {
      return at(path_, fmt::format("\"max\" must be greater than or equal to \"min\": {} < {}",
                                   *members.max, members.min));
    }
    if (members.op != Operator::add && members.operand < 2) {
      return at(path_, members.op == Operator::multiply
                           ? "\"operand\" must be greater than one for multiplication '*'"
                           : "\"operand\" must be greater than one for exponentiation '^'");
    }
    if (members.op == Operator::power && members.min < 2) {
      return at(path_, "\"min\" must be greater than one for exponentiation '^'");
    }
    auto range = CountRange::create(members);
    if (!range) return within(path_, range.error());
    return CountSet(*range);
  }

  std::string path_;
};

class ResourcesReader {
 public:
  Result<std::vector<ResourceVertex>> read_list(const json::value& value, const std::string& path,
                                                int depth, bool in_slot) {
    const json::array* array = value.if_array();
    if (array == nullptr) {
      return at(path,
                depth == 1 ? "\"resources\" is not a sequence" : "\"with\" is not a sequence");
    }
    if (array->empty()) return at(path, "an array of 0 is not an array of one or more resources");
    if (depth > kMaxResourceDepth) {
      return failure(ErrorCode::limit, "{}: is nested deeper than {}", path, kMaxResourceDepth);
    }
    std::vector<ResourceVertex> list;
    for (std::size_t i = 0; i < array->size(); ++i) {
      auto vertex = read_vertex((*array)[i], element(path, i), depth, in_slot);
      if (!vertex) return vertex.error();
      list.push_back(*std::move(vertex));
    }
    if (auto ok = check_alternatives(list, path); !ok) return ok.error();
    return list;
  }

 private:
  Result<ResourceVertex> read_vertex(const json::value& value, const std::string& path, int depth,
                                     bool in_slot) {
    if (++vertices_ > kMaxResourceVertices) {
      return failure(ErrorCode::limit, "{}: more than {} resource vertices", path,
                     kMaxResourceVertices);
    }
    const json::object* object = value.if_object();
    if (object == nullptr) return at(path, "resource is not a mapping");
    for (const auto& [key, ignored] : *object) {
      constexpr std::string_view kKeys[] = {"type", "count", "unit", "exclusive",
                                            "with", "label", "id"};
      if (std::ranges::find(kKeys, std::string_view(key)) == std::end(kKeys)) {
        return failure(ErrorCode::invalid,
                       "{}: Unrecognized key in resource mapping (type, count, unit, exclusive, "
                       "with, label, id)",
                       member(path, key));
      }
    }
    ResourceVertex vertex;
    if (auto ok = read_scalars(*object, path, vertex); !ok) return ok.error();
    const json::value* count = object->if_contains("count");
    if (count == nullptr) return at(path, "Key \"count\" missing from resource");
    auto counts = CountReader(member(path, "count")).read(*count);
    if (!counts) return counts.error();
    vertex.count = *std::move(counts);
    if (auto ok = check_label(vertex, path); !ok) return ok.error();
    if (in_slot && vertex.is_slot()) return at(path, "a slot inside a slot");
    if (const json::value* with = object->if_contains("with")) {
      auto below = read_list(*with, member(path, "with"), depth + 1, in_slot || vertex.is_slot());
      if (!below) return below.error();
      vertex.with = *std::move(below);
    } else if (vertex.is_slot()) {
      return at(path, "Key \"with\" missing from slot");
    }
    return vertex;
  }

  static Result<void> read_scalars(const json::object& object, const std::string& path,
                                   ResourceVertex& vertex) {
    if (!object.contains("type")) return at(path, "Key \"type\" missing from resource");
    const std::pair<std::string_view, std::string*> fields[] = {{"type", &vertex.type},
                                                                {"unit", &vertex.unit},
                                                                {"label", &vertex.label},
                                                                {"id", &vertex.id}};
    for (const auto& [key, target] : fields) {
      const json::value* value = object.if_contains(key);
      if (value == nullptr) continue;
      const bool scalar = value->is_string() || (value->is_number() && key != "type");
      if (!scalar) {
        return at(member(path, key), fmt::format("Value of \"{}\" must be a scalar, not {}", key,
                                                 graph::show(*value)));
      }
      *target = value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
    }
    if (vertex.type.empty()) return at(member(path, "type"), "Value of \"type\" must not be empty");
    vertex.slot = vertex.type == "slot"       ? Slot::all
                  : vertex.type == "or_slot"  ? Slot::any
                  : vertex.type == "xor_slot" ? Slot::one
                                              : Slot::none;
    if (const json::value* exclusive = object.if_contains("exclusive")) {
      const json::string* word = exclusive->if_string();
      const bool is_word = word != nullptr && (*word == "true" || *word == "false");
      if (!exclusive->is_bool() && !is_word) {
        return at(member(path, "exclusive"),
                  fmt::format("Value of \"exclusive\" must be either \"true\" or \"false\", not {}",
                              graph::show(*exclusive)));
      }
      vertex.exclusive = is_word ? *word == "true" : exclusive->get_bool();
    }
    return {};
  }

  Result<void> check_label(const ResourceVertex& vertex, const std::string& path) {
    const bool must = vertex.slot == Slot::all || vertex.slot == Slot::any;
    if (must && vertex.label.empty()) return at(path, "All slots must be labeled");
    if (vertex.label.empty()) return {};
    if (std::ranges::find(labels_, vertex.label) != labels_.end()) {
      // Alternatives of one slot carry its label.
      if (vertex.slot == Slot::any || vertex.slot == Slot::one) return {};
      return at(member(path, "label"),
                fmt::format("{} is given twice", graph::show_text(vertex.label)));
    }
    labels_.push_back(vertex.label);
    return {};
  }

  /// Bounds the requests that xor_slots stand for: the product over lists.
  Result<void> check_alternatives(const std::vector<ResourceVertex>& list,
                                  const std::string& path) {
    const auto count = std::ranges::count(list, Slot::one, &ResourceVertex::slot);
    if (count > 1) alternatives_ *= static_cast<std::uint64_t>(count);
    if (alternatives_ <= kMaxAlternatives) return {};
    return failure(ErrorCode::limit, "{}: xor_slots stand for more than {} requests", path,
                   kMaxAlternatives);
  }

  std::size_t vertices_ = 0;
  std::uint64_t alternatives_ = 1;
  std::vector<std::string> labels_;
};

const ResourceVertex* find_slot(const std::vector<ResourceVertex>& list, std::string_view label) {
  for (const ResourceVertex& vertex : list) {
    if (vertex.is_slot() && vertex.label == label) return &vertex;
    if (const ResourceVertex* below = find_slot(vertex.with, label)) return below;
  }
  return nullptr;
}

bool has_type(const std::vector<ResourceVertex>& list, std::string_view type) {
  return std::ranges::any_of(list, [&](const ResourceVertex& vertex) {
    return vertex.type == type || has_type(vertex.with, type);
  });
}

void collect_labels(const std::vector<ResourceVertex>& list, std::vector<std::string>& labels) {
  for (const ResourceVertex& vertex : list) {
    if (vertex.is_slot() && !vertex.label.empty()) labels.push_back(vertex.label);
    collect_labels(vertex.with, labels);
  }
}

Result<void> read_task_count(const json::value& value, const std::string& path,
                             const ResourceVertex& slot, Task& task) {
  const json::object* object = value.if_object();
  if (object == nullptr) return at(path, "\"count\" in task is not a mapping");
  if (object->size() != 1) {
    return at(path,
              "\"count\" in task must have exactly one entry (per_slot, per_resource, total)");
  }
  const auto& [key, number] = *object->begin();
  const std::string place = member(path, key);
  if (key != "per_slot" && key != "per_resource" && key != "total") {
    return at(place, "is not a known key (per_slot, per_resource, total)");
  }
  if (key == "per_resource") {
    const auto members = object_with_keys(number, place, {"type", "count"});
    if (!members) return members.error();
    const auto type = graph::required(**members, place, "type");
    if (!type) return type.error();
    auto name = read_string(**type, member(place, "type"));
    if (!name) return name.error();
    if (!has_type(slot.with, *name)) {
      return wrong_value(member(place, "type"), **type, "a type of the task's slot");
    }
    const auto count = graph::required(**members, place, "count");
    if (!count) return count.error();
    const auto tasks = read_count(**count, member(place, "count"));
    if (!tasks) return tasks.error();
    task.kind = Task::Count::per_resource;
    task.resource = *std::move(name);
    task.count = *tasks;
    return {};
  }
  const auto count = read_count(number, place);
  if (!count) return count.error();
  task.kind = key == "total" ? Task::Count::total : Task::Count::per_slot;
  task.count = *count;
  return {};
}

Result<Task> read_task(const json::value& value, const std::string& path,
                       const std::vector<ResourceVertex>& resources) {
  if (!value.is_object()) return at(path, "task is not a mapping");
  const auto object =
      object_with_keys(value, path, {"command", "slot", "count", "distribution", "attributes"});
  if (!object) return object.error();
  const json::value* command = (*object)->if_contains("command");
  if (command == nullptr) return at(path, "Key \"command\" missing from task");
  if (!command->is_array()) {
    return at(member(path, "command"), "\"command\" value must be a sequence");
  }
  if (auto ok = check_command(*command, member(path, "command")); !ok) return ok.error();
  const json::value* label = (*object)->if_contains("slot");
  if (label == nullptr) return at(path, "Key \"slot\" missing from task");
  Task task;
  for (const json::value& word : command->get_array()) {
    task.command +=
        fmt::format("{}{}", task.command.empty() ? "" : " ", std::string_view(word.get_string()));
  }
  auto name = read_string(*label, member(path, "slot"));
  if (!name) return name.error();
  task.slot = *std::move(name);
  const ResourceVertex* slot = find_slot(resources, task.slot);
  if (slot == nullptr) {
    std::vector<std::string> labels;
    collect_labels(resources, labels);
    return wrong_value(member(path, "slot"), *label,
                       fmt::format("the label of a slot ({})", fmt::join(labels, ", ")));
  }
  const json::value* count = (*object)->if_contains("count");
  if (count == nullptr) return at(path, "Key \"count\" missing from task");
  if (auto ok = read_task_count(*count, member(path, "count"), *slot, task); !ok) return ok.error();
  if (const json::value* distribution = (*object)->if_contains("distribution")) {
    if (!distribution->is_string()) {
      return wrong_value(member(path, "distribution"), *distribution, "a string");
    }
  }
  if (const json::value* attributes = (*object)->if_contains("attributes")) {
    if (!attributes->is_object()) {
      return wrong_value(member(path, "attributes"), *attributes, "an object");
    }
  }
  return task;
}

Result<std::uint64_t> read_version(const json::value& value) {
  const std::int64_t* version = value.if_int64();
  if (version == nullptr) {
    return at("version",
              fmt::format("\"version\" must be an unsigned integer, not {}", graph::show(value)));
  }
  if (*version < 1 || *version > 9999) {
    return at("version",
              fmt::format("Only jobspec \"version\" 1-9999 is supported, not {}", *version));
  }
  return static_cast<std::uint64_t>(*version);
}

json::value count_to_json(const CountSet& count) {
  if (count.is_fixed()) return count.min();
  return json::string(count.to_string());
}

json::object vertex_to_json(const ResourceVertex& vertex) {
  json::object object;
  object["type"] = vertex.type;
  object["count"] = count_to_json(vertex.count);
  if (!vertex.unit.empty()) object["unit"] = vertex.unit;
  if (vertex.exclusive) object["exclusive"] = *vertex.exclusive;
  if (!vertex.label.empty()) object["label"] = vertex.label;
  if (!vertex.id.empty()) object["id"] = vertex.id;
  if (!vertex.with.empty()) object["with"] = to_json(vertex.with);
  return object;
}

/// A word as it may stand in a shape: quoted when it has characters of the grammar.
std::string shape_word(const std::string& word) {
  const bool plain = !word.empty() &&
                     word.find_first_of(" \t\n\r[]{};,=/:\"'+-") == std::string::npos &&
                     word != "true" && word != "false" && word != "null" &&
                     word.find_first_not_of("0123456789.eE") != std::string::npos;
  return plain ? word : json::serialize(json::string(word));
}

std::string vertex_to_shape(const ResourceVertex& vertex) {
  std::string text = shape_word(vertex.type == "slot" ? std::string() : vertex.type);
  if (vertex.slot == Slot::all) text = "slot";
  if (vertex.count != CountSet::fixed(1)) text += "=" + vertex.count.to_string();
  std::vector<std::string> items;
  if (vertex.slot == Slot::all) items.push_back(shape_word(vertex.label));
  if (vertex.exclusive) items.push_back(*vertex.exclusive ? "x" : "-x");
  if (!vertex.unit.empty()) items.push_back("unit:" + shape_word(vertex.unit));
  if (!vertex.label.empty() && vertex.slot != Slot::all) {
    items.push_back("label:" + shape_word(vertex.label));
  }
  if (!vertex.id.empty()) items.push_back("id:" + shape_word(vertex.id));
  if (!items.empty()) text += fmt::format("{{{}}}", fmt::join(items, ","));
  if (!vertex.with.empty()) text += "/" + to_shape(vertex.with);
  return text;
}

}  // namespace

Result<std::vector<ResourceVertex>> parse_resources(const json::value& json,
                                                    std::string_view path) {
  return ResourcesReader().read_list(json, std::string(path), 1, false);
}

Result<Canonical> parse_canonical(const json::value& json) {
  const json::object* object = json.if_object();
  if (object == nullptr) {
    return failure(ErrorCode::invalid, "Top level of jobspec is not a mapping");
  }
  constexpr std::string_view kKeys[] = {"version", "resources", "tasks", "attributes"};
  for (const std::string_view key : kKeys) {
    if (!object->contains(key)) {
      return failure(ErrorCode::invalid, "Missing key \"{}\" in top level mapping", key);
    }
  }
  for (const auto& [key, ignored] : *object) {
    if (std::ranges::find(kKeys, std::string_view(key)) != std::end(kKeys)) continue;
    return failure(ErrorCode::invalid,
                   "{}: Top mapping in jobspec must have exactly four entries ({})",
                   member("", key), fmt::join(kKeys, ", "));
  }
  Canonical canonical;
  const auto version = read_version(object->at("version"));
  if (!version) return version.error();
  canonical.version = *version;
  auto resources = parse_resources(object->at("resources"), "resources");
  if (!resources) return resources.error();
  canonical.resources = *std::move(resources);
  const json::array* tasks = object->at("tasks").if_array();
  if (tasks == nullptr) return at("tasks", "\"tasks\" is not a sequence");
  if (tasks->empty()) return at("tasks", "an array of 0 is not an array of one or more tasks");
  for (std::size_t i = 0; i < tasks->size(); ++i) {
    auto task = read_task((*tasks)[i], element("tasks", i), canonical.resources);
    if (!task) return task.error();
    canonical.tasks.push_back(*std::move(task));
  }
  Jobspec attributes;
  if (auto ok = read_attributes(object->at("attributes"), attributes); !ok) return ok.error();
  canonical.duration = attributes.duration;
  canonical.constraint = std::move(attributes.constraint);
  canonical.queue = std::move(attributes.queue);
  canonical.reservation = std::move(attributes.reservation);
  return canonical;
}

json::array to_json(const std::vector<ResourceVertex>& resources) {
  json::array array;
  for (const ResourceVertex& vertex : resources) array.push_back(vertex_to_json(vertex));
  return array;
}

std::string to_shape(const std::vector<ResourceVertex>& resources) {
  if (resources.size() == 1) return vertex_to_shape(resources.front());
  std::string text = "[";
  for (const ResourceVertex& vertex : resources) {
    text += fmt::format("{}{}", text.size() > 1 ? ";" : "", vertex_to_shape(vertex));
  }
  return text + "]";
}

}  // namespace tenure::jobspec
