#include "sched/snapshot.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "graph/formats/json_field.hpp"
#include "graph/formats/r.hpp"
#include "jobspec/jobspec.hpp"
#include "match/request.hpp"
#include "sched/codec.hpp"

namespace tenure::sched {

namespace {

namespace json = boost::json;
using graph::wrong_value;

constexpr std::string_view kVersionKey = "tenure-snapshot";
using Keys = std::initializer_list<std::string_view>;

json::parse_options deep() {
  json::parse_options options;
  options.max_depth = kMaxSnapshotDepth;
  return options;
}

// ---- writing -------------------------------------------------------------------------------

json::value write_time(Time time) {
  return time.is_never() ? json::value(nullptr) : json::value(time.count());
}

json::value write_duration(Duration duration) {
  return duration.is_infinite() ? json::value(nullptr) : json::value(duration.count());
}

json::array write_queues(const std::vector<plan::QueueOptions>& queues) {
  json::array array;
  for (const plan::QueueOptions& queue : queues) {
    // The keys of a queue are written like those of the configuration.
    Config config;
    if (queue.policy) config.options.policy = *queue.policy;
    if (queue.queue_depth) config.options.queue_depth = *queue.queue_depth;
    if (queue.reservation_depth) config.options.reservation_depth = *queue.reservation_depth;
    const json::object keys = to_json(config);
    json::object entry{{"name", queue.name}};
    if (!queue.parent.empty()) entry["parent"] = queue.parent;
    if (queue.policy) entry["policy"] = keys.at("policy");
    if (queue.queue_depth) entry["queue-depth"] = keys.at("queue-depth");
    if (queue.reservation_depth) entry["reservation-depth"] = keys.at("reservation-depth");
    array.push_back(std::move(entry));
  }
  return array;
}

void put_name(json::object& entry, JobId id, const SnapshotLabels& labels) {
  const auto name = labels.names.find(id);
  if (name != labels.names.end()) entry["name"] = name->second;
}

json::object write_allocation(const plan::Allocation& allocation, const plan::Engine& engine,
                              const SnapshotLabels& labels) {
  json::object entry{{"id", allocation.id.value()}};
  put_name(entry, allocation.id, labels);
  entry["userid"] = allocation.user.value();
  entry["start"] = write_time(allocation.span.start);
  entry["end"] = write_time(allocation.span.end);
  entry["follows-instance"] = allocation.end_origin == plan::EndOrigin::instance;
  entry["R_lite"] = graph::write_r_lite(allocation.resources, engine.graph());
  return entry;
}

json::object write_pending(const plan::PendingJob& job, const SnapshotLabels& labels) {
  CHECK(job.jobspec != nullptr, "job {} has no jobspec", job.id.value());
  json::object entry{{"id", job.id.value()}};
  put_name(entry, job.id, labels);
  entry["userid"] = job.user.value();
  entry["priority"] = job.priority.value();
  entry["submit"] = write_time(job.submit);
  entry["duration"] = write_duration(job.duration);
  entry["jobspec"] = json::parse(job.jobspec->text, {}, deep());
  return entry;
}

json::object write(const plan::Engine& engine, const Config& config,
                   const std::optional<json::value>& scheduling, Time now,
                   const SnapshotLabels& labels) {
  const graph::ResourceGraph& graph = engine.graph();
  graph::NodeSet all(graph.node_count());
  if (all.size() > 0) all.set(graph::NodeRange{NodeIndex(0), NodeIndex(all.size() - 1)});
  graph::NodeSet lost = all;
  lost -= graph.present();
  json::object object{{kVersionKey, kSnapshotVersion}, {"now", write_time(now)}};
  if (labels.origin) object["origin"] = write_time(*labels.origin);
  object["instance-expiration"] = write_time(engine.instance_expiration());
  object["config"] = to_json(config);
  object["queues"] = write_queues(config.options.queues);
  object["R"] = graph::write_inventory(graph, all,
                                       graph::RHeader{{}, 1, scheduling ? &*scheduling : nullptr});
  object["up"] = graph.ranks_of(graph.up()).to_string();
  object["lost"] = graph.ranks_of(lost).to_string();
  object["advance-reservations"] = json::array{};
  json::array allocations;
  for (const auto& [id, allocation] : engine.allocations()) {
    allocations.push_back(write_allocation(allocation, engine, labels));
  }
  object["allocations"] = std::move(allocations);
  json::array pending;
  engine.for_each_pending(
      [&](const plan::PendingJob& job) { pending.push_back(write_pending(job, labels)); });
  object["pending"] = std::move(pending);
  return object;
}

// ---- reading fields ------------------------------------------------------------------------

Result<const json::object*> read_object(const json::value& value, std::string_view path,
                                        Keys keys) {
  const json::object* object = value.if_object();
  if (object == nullptr) return wrong_value(path.empty() ? "snapshot" : path, value, "an object");
  for (const auto& member : *object) {
    if (std::ranges::find(keys, std::string_view(member.key())) != keys.end()) continue;
    return failure(ErrorCode::invalid, "{}{}{}: is not a known key ({})", path,
                   path.empty() ? "" : ".", graph::show_text(member.key()), fmt::join(keys, ", "));
  }
  return object;
}

Result<const json::array*> read_array(const json::value& value, std::string_view path) {
  const json::array* array = value.if_array();
  if (array == nullptr) return wrong_value(path, value, "an array");
  if (array->size() > kMaxSnapshotJobs) {
    return failure(ErrorCode::limit, "{}: {} entries, the most are {}", path, array->size(),
                   kMaxSnapshotJobs);
  }
  return array;
}

Result<std::string> read_string(const json::value& value, std::string_view path) {
  if (const json::string* text = value.if_string()) return std::string(*text);
  return wrong_value(path, value, "a string");
}

Result<bool> read_bool(const json::value& value, std::string_view path) {
  if (const bool* flag = value.if_bool()) return *flag;
  return wrong_value(path, value, "true or false");
}

Result<Time> read_finite_time(const json::value& value, std::string_view path) {
  const std::int64_t* count = value.if_int64();
  if (count != nullptr && !Time::microseconds(*count).is_never()) {
    return Time::microseconds(*count);
  }
  return wrong_value(path, value, "an integer of microseconds since the epoch");
}

Result<Time> read_time(const json::value& value, std::string_view path) {
  if (value.is_null()) return Time::never();
  const auto time = read_finite_time(value, path);
  if (time) return time;
  return wrong_value(path, value, "an integer of microseconds since the epoch, or null: never");
}

Result<Duration> read_duration(const json::value& value, std::string_view path) {
  if (value.is_null()) return Duration::infinite();
  const std::int64_t* count = value.if_int64();
  if (count != nullptr && *count > 0) return Duration::microseconds(*count);
  return wrong_value(path, value, "a positive integer of microseconds, or null: unlimited");
}

/// An integer that fits the id.
template <class Id>
Result<Id> read_id(const json::value& value, std::string_view path) {
  constexpr std::uint64_t kMost =
      std::min<std::uint64_t>(std::numeric_limits<typename Id::Value>::max(), kMaxJobId);
  const bool negative = value.is_int64() && value.get_int64() < 0;
  if (!negative && (value.is_int64() || value.is_uint64())) {
    const auto number = value.to_number<std::uint64_t>();
    if (number <= kMost) return Id(static_cast<typename Id::Value>(number));
  }
  return wrong_value(path, value, fmt::format("an integer from 0 to {}", kMost));
}

/// A field of an object through `read`, stored in `to`; remembers the first error.
class Fields {
 public:
  Fields(const json::object& object, std::string path) : object_(&object), path_(std::move(path)) {}

  template <class Read, class To>
  void need(std::string_view key, Read&& read, To& to) {
    if (error_) return;
    const auto value = graph::required(*object_, path_, key);
    if (!value) {
      error_ = value.error();
      return;
    }
    store(read(**value, member(key)), to);
  }
  template <class Read, class To>
  void find(std::string_view key, Read&& read, To& to) {
    const json::value* value = object_->if_contains(key);
    if (!error_ && value != nullptr) store(read(*value, member(key)), to);
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::string member(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }
  template <class T, class To>
  void store(Result<T> result, To& to) {
    if (result) {
      to = *std::move(result);
    } else {
      error_ = result.error();
    }
  }

  const json::object* object_;
  std::string path_;
  std::optional<Error> error_;
};

// ---- reading the parts ---------------------------------------------------------------------

Result<Config> read_config(const json::value& value, std::string_view path) {
  const json::object* object = value.if_object();
  if (object == nullptr) return wrong_value(path, value, "an object");
  auto config = apply(Config{}, *object);
  if (!config) return within(path, config.error());
  return config;
}

Result<plan::QueueOptions> read_one_queue(const json::value& value, const std::string& path) {
  const auto object =
      read_object(value, path, {"name", "parent", "policy", "queue-depth", "reservation-depth"});
  if (!object) return object.error();
  Fields fields(**object, path);
  std::string name;
  std::string parent;
  fields.need("name", read_string, name);
  fields.find("parent", read_string, parent);
  if (fields.error()) return *fields.error();
  json::object keys = **object;
  keys.erase("name");
  keys.erase("parent");
  auto queue = read_queue(std::move(name), keys);
  if (!queue) return within(path, queue.error());
  queue->parent = std::move(parent);
  return queue;
}

Result<std::vector<plan::QueueOptions>> read_queues(const json::value& value,
                                                    std::string_view path) {
  const auto array = read_array(value, path);
  if (!array) return array.error();
  std::vector<plan::QueueOptions> queues;
  for (std::size_t i = 0; i < (*array)->size(); ++i) {
    auto queue = read_one_queue((**array)[i], fmt::format("{}[{}]", path, i));
    if (!queue) return queue.error();
    queues.push_back(*std::move(queue));
  }
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const std::string& name = queues[i].name;
    const auto first = std::ranges::find(queues, name, &plan::QueueOptions::name);
    if (name.empty() || first != queues.begin() + static_cast<std::ptrdiff_t>(i)) {
      return failure(ErrorCode::invalid, "{}[{}].name: '{}' is empty or named before", path, i,
                     name);
    }
    const auto is_parent = [&](const plan::QueueOptions& queue) {
      return queue.name == queues[i].parent && queue.parent.empty();
    };
    if (!queues[i].parent.empty() && std::ranges::none_of(queues, is_parent)) {
      return failure(ErrorCode::invalid, "{}[{}].parent: '{}' is not a queue without a parent",
                     path, i, queues[i].parent);
    }
  }
  return queues;
}

Result<plan::Allocation> read_one_allocation(const json::value& value, const std::string& path,
                                             const graph::ResourceGraph& graph, std::string& name) {
  const auto object = read_object(
      value, path, {"id", "name", "userid", "start", "end", "follows-instance", "R_lite"});
  if (!object) return object.error();
  plan::Allocation allocation;
  bool follows_instance = false;
  const json::value* r_lite = nullptr;
  const auto as_it_is = [](const json::value& given,
                           std::string_view) -> Result<const json::value*> { return &given; };
  Fields fields(**object, path);
  fields.need("id", read_id<JobId>, allocation.id);
  fields.find("name", read_string, name);
  fields.need("userid", read_id<UserId>, allocation.user);
  fields.need("start", read_finite_time, allocation.span.start);
  fields.need("end", read_time, allocation.span.end);
  fields.need("follows-instance", read_bool, follows_instance);
  fields.need("R_lite", as_it_is, r_lite);
  if (fields.error()) return *fields.error();
  if (follows_instance) allocation.end_origin = plan::EndOrigin::instance;
  if (r_lite->is_array() && r_lite->get_array().empty()) return allocation;  // freed but in name
  const json::value r = json::object{{"version", 1}, {"execution", {{"R_lite", *r_lite}}}};
  auto read = graph::read_allocation(r, graph);
  if (!read) return within(path, read.error());
  if (read->unknown_ranks > 0 || read->unknown_units > 0) {
    return failure(ErrorCode::invalid, "{}.R_lite: {} ranks and {} units are not in R, or lost",
                   path, read->unknown_ranks, read->unknown_units);
  }
  allocation.resources = std::move(read->resources);
  return allocation;
}

Result<plan::PendingJob> read_one_pending(const json::value& value, const std::string& path,
                                          std::string& name) {
  const auto object = read_object(
      value, path, {"id", "name", "userid", "priority", "submit", "duration", "jobspec"});
  if (!object) return object.error();
  plan::PendingJob job;
  jobspec::Jobspec spec;
  const auto read_jobspec = [](const json::value& given, std::string_view place) {
    auto parsed = jobspec::parse(given);
    return parsed ? parsed : Result<jobspec::Jobspec>(within(place, parsed.error()));
  };
  Fields fields(**object, path);
  fields.need("id", read_id<JobId>, job.id);
  fields.find("name", read_string, name);
  fields.need("userid", read_id<UserId>, job.user);
  fields.need("priority", read_id<Priority>, job.priority);
  fields.need("submit", read_finite_time, job.submit);
  fields.need("duration", read_duration, job.duration);
  fields.need("jobspec", read_jobspec, spec);
  if (fields.error()) return *fields.error();
  auto request = match::compile(spec);
  if (!request) return within(path + ".jobspec", request.error());
  job.queue = spec.queue;
  job.request = std::make_shared<const match::Request>(*std::move(request));
  job.jobspec = std::make_shared<const jobspec::Jobspec>(std::move(spec));
  return job;
}

/// Gives the jobs of the document to the engine.
Result<void> read_jobs(const json::array& allocations, const json::array& pending,
                       Snapshot& snapshot) {
  plan::Engine& engine = *snapshot.engine;
  const auto remember = [&](JobId id, std::string name) {
    if (!name.empty()) snapshot.labels.names.emplace(id, std::move(name));
  };
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    const std::string path = fmt::format("allocations[{}]", i);
    std::string name;
    auto allocation = read_one_allocation(allocations[i], path, engine.graph(), name);
    if (!allocation) return allocation.error();
    remember(allocation->id, std::move(name));
    const auto left_out = engine.hold(*std::move(allocation));
    if (!left_out) return within(path, left_out.error());
    if (*left_out > 0) {
      return failure(ErrorCode::invalid, "{}.R_lite: {} nodes are held by allocations before it",
                     path, *left_out);
    }
  }
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const std::string path = fmt::format("pending[{}]", i);
    std::string name;
    auto job = read_one_pending(pending[i], path, name);
    if (!job) return job.error();
    remember(job->id, std::move(name));
    if (const auto submitted = engine.submit(*std::move(job)); !submitted) {
      return within(path, submitted.error());
    }
  }
  return {};
}

Result<void> check_version(const json::value& json) {
  if (!json.is_object() || !json.get_object().contains(kVersionKey)) {
    return failure(ErrorCode::invalid, "{}: is missing; this is no snapshot", kVersionKey);
  }
  const json::value& version = json.get_object().at(kVersionKey);
  if (version == kSnapshotVersion) return {};
  return failure(ErrorCode::unsupported, "{}: {} is not a version that is known here ({})",
                 kVersionKey, graph::show(version), kSnapshotVersion);
}

Result<graph::Inventory> read_r(const json::value& value, std::string_view path) {
  auto inventory = graph::read_inventory(value);
  return inventory ? std::move(inventory)
                   : Result<graph::Inventory>(within(path, inventory.error()));
}

Result<void> check_ranks(const Idset& ranks, const graph::ResourceGraph& graph,
                         std::string_view path) {
  if (graph.nodes_with_ranks(ranks).count() == ranks.size()) return {};
  return failure(ErrorCode::invalid, "{}: '{}' has ranks that are not in R", path,
                 ranks.to_string());
}

/// Advance reservations have their place, and none can be honoured yet.
Result<const json::array*> read_windows(const json::value& value, std::string_view path) {
  const auto array = read_array(value, path);
  if (!array || (*array)->empty()) return array;
  return failure(ErrorCode::unsupported, "{}: {} entries; advance reservations are not available",
                 path, (*array)->size());
}

}  // namespace

json::object write_snapshot(const Scheduler& scheduler, Time now, const SnapshotLabels& labels) {
  return write(scheduler.engine(), scheduler.config(), scheduler.inventory_scheduling(), now,
               labels);
}

json::object write_snapshot(const Snapshot& snapshot) {
  return write(*snapshot.engine, snapshot.config, snapshot.scheduling, snapshot.now,
               snapshot.labels);
}

std::string to_text(const json::object& snapshot) {
  std::string text = "{";
  std::string_view separator = "\n";
  for (const auto& [key, value] : snapshot) {
    fmt::format_to(std::back_inserter(text), "{}{}: ", separator,
                   json::serialize(json::string(key)));
    separator = ",\n";
    const json::array* list = value.if_array();
    if (list == nullptr || list->empty()) {
      text += json::serialize(value);
      continue;
    }
    std::string_view before = "[\n  ";
    for (const json::value& element : *list) {
      text += before;
      text += json::serialize(element);
      before = ",\n  ";
    }
    text += "]";
  }
  return text + "\n}\n";
}

bool is_snapshot(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto skip = [&](std::string_view word) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
  };
  return skip("{") && skip("\"") && skip(kVersionKey) && skip("\"");
}

Result<Snapshot> read_snapshot(const json::value& json) {
  if (auto version = check_version(json); !version) return version.error();
  const auto object =
      read_object(json, "",
                  {kVersionKey, "now", "origin", "instance-expiration", "config", "queues", "R",
                   "up", "lost", "advance-reservations", "allocations", "pending"});
  if (!object) return object.error();
  Snapshot snapshot;
  graph::Inventory inventory;
  Time instance_expiration;
  Idset up;
  Idset lost;
  const json::array* windows = nullptr;
  const json::array* allocations = nullptr;
  const json::array* pending = nullptr;
  Fields fields(**object, "");
  fields.need("now", read_finite_time, snapshot.now);
  fields.find("origin", read_finite_time, snapshot.labels.origin);
  fields.need("instance-expiration", read_time, instance_expiration);
  fields.need("config", read_config, snapshot.config);
  fields.need("queues", read_queues, snapshot.config.options.queues);
  fields.need("R", read_r, inventory);
  fields.need("up", graph::read_idset, up);
  fields.need("lost", graph::read_idset, lost);
  fields.need("advance-reservations", read_windows, windows);
  fields.need("allocations", read_array, allocations);
  fields.need("pending", read_array, pending);
  if (fields.error()) return *fields.error();
  for (const auto& [key, ranks] : {std::pair("lost", &lost), std::pair("up", &up)}) {
    if (auto known = check_ranks(*ranks, inventory.graph, key); !known) return known.error();
  }
  inventory.graph.shrink(lost);
  inventory.graph.mark_up(up);
  snapshot.scheduling = std::move(inventory.scheduling);
  snapshot.engine = std::make_unique<plan::Engine>(std::move(inventory.graph), instance_expiration,
                                                   snapshot.config.options);
  if (auto jobs = read_jobs(*allocations, *pending, snapshot); !jobs) return jobs.error();
  return snapshot;
}

Result<Snapshot> read_snapshot_text(std::string_view text) {
  boost::system::error_code error;
  const json::value json = json::parse(text, error, {}, deep());
  if (error) return failure(ErrorCode::invalid, "not JSON: {}", error.message());
  return read_snapshot(json);
}

}  // namespace tenure::sched
