#include "sched/codec.hpp"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "graph/formats/json_field.hpp"
#include "graph/formats/r.hpp"

namespace tenure::sched {

namespace {

namespace json = boost::json;
using graph::wrong_value;

// ---- reading fields ------------------------------------------------------------------------

Result<const json::object*> as_object(const json::value& value, std::string_view path) {
  if (const json::object* object = value.if_object()) return object;
  return wrong_value(path, value, "an object");
}

/// An integer from 0 to `most`, exactly.
Result<std::uint64_t> read_integer(const json::value& value, std::string_view path,
                                   std::uint64_t most) {
  std::uint64_t number = 0;
  if (value.is_int64() && value.get_int64() >= 0) {
    number = static_cast<std::uint64_t>(value.get_int64());
  } else if (value.is_uint64()) {
    number = value.get_uint64();
  } else {
    return wrong_value(path, value, fmt::format("an integer from 0 to {}", most));
  }
  if (number > most) return wrong_value(path, value, fmt::format("an integer from 0 to {}", most));
  return number;
}

/// A strong 32-bit id (priority, user).
template <class Id>
Result<Id> read_small(const json::value& value, std::string_view path) {
  const auto number = read_integer(value, path, std::numeric_limits<typename Id::Value>::max());
  if (!number) return number.error();
  return Id(static_cast<typename Id::Value>(*number));
}

Result<JobId> read_id(const json::value& value, std::string_view path) {
  const auto number = read_integer(value, path, kMaxJobId);
  if (!number) return number.error();
  return JobId(*number);
}

/// A field of `object` through `read`, named by its key.
template <class Read>
auto field(const json::object& object, std::string_view key, Read&& read)
    -> decltype(read(std::declval<const json::value&>(), key)) {
  const auto value = graph::required(object, "", key);
  if (!value) return value.error();
  return read(**value, key);
}

/// The same when the key may be absent or null.
template <class T, class Read>
Result<T> field_or(const json::object& object, std::string_view key, T absent, Read&& read) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || value->is_null()) return absent;
  return read(*value, key);
}

/// Seconds since the epoch where 0 means "none": never(). Values beyond Time's range become
/// its last finite value, so that a request for them is not taken for "none".
Result<Time> read_expiration(const json::value& value, std::string_view path) {
  if (value.is_number() && value.to_number<double>() == 0.0) return Time::never();
  const auto time = graph::read_time(value, path);
  if (!time) return wrong_value(path, value, "0 (unset) or finite seconds since the epoch");
  if (time->is_never()) {
    return Time::microseconds(std::numeric_limits<std::int64_t>::max() - 1);
  }
  return *time;
}

/// id, priority, userid and t_submit: common to sched.alloc and sched-hello.
struct JobFields {
  JobId id;
  Priority priority;
  UserId user;
  Time submit;
};

Result<JobFields> read_job(const json::object& object) {
  const auto id = field(object, "id", read_id);
  if (!id) return id.error();
  const auto priority = field(object, "priority", read_small<Priority>);
  if (!priority) return priority.error();
  const auto user = field(object, "userid", read_small<UserId>);
  if (!user) return user.error();
  const auto submit = field_or(object, "t_submit", Time(), graph::read_time);
  if (!submit) return submit.error();
  return JobFields{*id, *priority, *user, *submit};
}

/// The ranks of an R's R_lite.
Result<Idset> read_ranks(const json::value& r, std::string_view path) {
  const auto root = as_object(r, path);
  if (!root) return root.error();
  const auto execution = graph::required(**root, path, "execution");
  if (!execution) return execution.error();
  const auto inner = as_object(**execution, "R.execution");
  if (!inner) return inner.error();
  const auto r_lite = graph::required(**inner, "R.execution", "R_lite");
  if (!r_lite) return r_lite.error();
  const json::array* entries = (*r_lite)->if_array();
  if (entries == nullptr) return wrong_value("R.execution.R_lite", **r_lite, "an array");
  if (entries->size() > kMaxFreeEntries) {
    return failure(ErrorCode::limit, "R.execution.R_lite: {} entries, the most are {}",
                   entries->size(), kMaxFreeEntries);
  }
  Idset ranks;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const std::string place = fmt::format("R.execution.R_lite[{}]", i);
    const auto entry = as_object((*entries)[i], place);
    if (!entry) return entry.error();
    const auto rank = graph::required(**entry, place, "rank");
    if (!rank) return rank.error();
    const auto ids = graph::read_idset(**rank, place + ".rank");
    if (!ids) return ids.error();
    for (const Idset::Range& range : ids->ranges()) ranks.insert(range);
  }
  return ranks;
}

using Properties = std::map<std::string, Idset>;

Result<Properties> read_properties(const json::value& value, std::string_view path) {
  const auto object = as_object(value, path);
  if (!object) return object.error();
  if ((*object)->size() > kMaxProperties) {
    return failure(ErrorCode::limit, "{}: {} properties, the most are {}", path, (*object)->size(),
                   kMaxProperties);
  }
  Properties properties;
  for (const auto& member : **object) {
    const std::string_view name = member.key();
    if (!graph::is_property_name(name)) {
      return failure(ErrorCode::invalid, "{}: {} is not {}", path, graph::show_text(name),
                     graph::kPropertyNameRule);
    }
    auto ranks = graph::read_idset(member.value(), fmt::format("{}.{}", path, name));
    if (!ranks) return ranks.error();
    properties.emplace(name, *std::move(ranks));
  }
  return properties;
}

// ---- writing -------------------------------------------------------------------------------

template <class T, class Encode>
void put_change(json::object& object, std::string_view key, const Change<T>& change,
                Encode&& encode_value) {
  if (!change) return;
  object[key] = *change ? json::value(encode_value(**change)) : json::value(nullptr);
}

json::string to_text(std::string_view text) { return json::string(text); }

void put_idset(json::object& object, std::string_view key, const Idset& ids) {
  if (!ids.empty()) object[key] = to_text(ids.to_string());
}

void put_properties(json::object& object, std::string_view key, const Properties& properties) {
  if (properties.empty()) return;
  json::object inner;
  for (const auto& [name, ranks] : properties) inner[name] = to_text(ranks.to_string());
  object[key] = std::move(inner);
}

/// The type of an answer to sched.alloc (RFC 27).
enum class ResponseType { success = 0, annotate = 1, deny = 2, cancel = 3 };

json::object response(JobId id, ResponseType type) {
  return {{"id", id.value()}, {"type", static_cast<int>(type)}};
}

}  // namespace

// ---- requests and responses that reach the scheduler ---------------------------------------

Result<AllocEnvelope> decode_alloc(const json::value& payload) {
  const auto object = as_object(payload, "payload");
  if (!object) return object.error();
  const auto job = read_job(**object);
  if (!job) return job.error();
  const auto jobspec = graph::required(**object, "", "jobspec");
  if (!jobspec) return jobspec.error();
  return AllocEnvelope{job->id, job->priority, job->user, job->submit, *jobspec};
}

Result<JobId> decode_cancel(const json::value& payload) {
  const auto object = as_object(payload, "payload");
  if (!object) return object.error();
  return field(**object, "id", read_id);
}

Result<FreeRequest> decode_free(const json::value& payload) {
  const auto object = as_object(payload, "payload");
  if (!object) return object.error();
  const auto id = field(**object, "id", read_id);
  if (!id) return id.error();
  const auto read_bool = [](const json::value& value, std::string_view path) -> Result<bool> {
    if (const bool* flag = value.if_bool()) return *flag;
    return wrong_value(path, value, "true or false");
  };
  const auto final = field_or(**object, "final", false, read_bool);
  if (!final) return final.error();
  using Release = plan::Engine::Release;
  if (*final) {  // refused for its R, it would leave the resources taken for ever
    auto ranks = field_or(**object, "R", Idset(), read_ranks);
    return FreeRequest{*id, ranks ? *std::move(ranks) : Idset(), Release::final};
  }
  auto ranks = field(**object, "R", read_ranks);
  if (!ranks) return ranks.error();
  return FreeRequest{*id, *std::move(ranks), Release::partial};
}

Result<PrioritizeRequest> decode_prioritize(const json::value& payload) {
  const auto object = as_object(payload, "payload");
  if (!object) return object.error();
  const auto jobs = graph::required(**object, "", "jobs");
  if (!jobs) return jobs.error();
  const json::array* entries = (*jobs)->if_array();
  if (entries == nullptr) return wrong_value("jobs", **jobs, "an array of [id, priority]");
  if (entries->size() > kMaxPrioritized) {
    return failure(ErrorCode::limit, "jobs: {} entries, the most are {}", entries->size(),
                   kMaxPrioritized);
  }
  PrioritizeRequest request;
  request.jobs.reserve(entries->size());
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const json::array* pair = (*entries)[i].if_array();
    if (pair == nullptr || pair->size() != 2) {
      return wrong_value(fmt::format("jobs[{}]", i), (*entries)[i], "a pair [id, priority]");
    }
    const auto id = read_id((*pair)[0], fmt::format("jobs[{}][0]", i));
    if (!id) return id.error();
    const auto priority = read_small<Priority>((*pair)[1], fmt::format("jobs[{}][1]", i));
    if (!priority) return priority.error();
    request.jobs.emplace_back(*id, *priority);
  }
  return request;
}

Result<ExpirationRequest> decode_expiration(const json::value& payload) {
  const auto object = as_object(payload, "payload");
  if (!object) return object.error();
  const auto id = field(**object, "id", read_id);
  if (!id) return id.error();
  const auto expiration = field(**object, "expiration", read_expiration);
  if (!expiration) return expiration.error();
  return ExpirationRequest{*id, *expiration};
}

Result<HelloJob> decode_hello(const json::value& payload, const json::value& r,
                              std::optional<Duration> duration, const graph::ResourceGraph& graph) {
  const auto object = as_object(payload, "payload");
  if (!object) return object.error();
  const auto job = read_job(**object);
  if (!job) return job.error();
  auto freed = field_or(**object, "free", Idset(), graph::read_idset);
  if (!freed) return freed.error();
  auto allocation = graph::read_allocation(r, graph);
  if (!allocation) return within("R", allocation.error());
  return HelloJob{job->id,           job->priority,          job->user, job->submit,
                  *std::move(freed), *std::move(allocation), duration};
}

Result<AcquireInitial> decode_acquire_initial(const json::value& payload) {
  const auto object = as_object(payload, "payload");
  if (!object) return object.error();
  const auto resources = graph::required(**object, "", "resources");
  if (!resources) return resources.error();
  auto up = field_or(**object, "up", Idset(), graph::read_idset);
  if (!up) return up.error();
  auto inventory = graph::read_inventory(**resources);
  if (!inventory) return within("resources", inventory.error());
  return AcquireInitial{*std::move(inventory), *std::move(up)};
}

Result<AcquireUpdate> decode_acquire_update(const json::value& payload) {
  const auto object = as_object(payload, "payload");
  if (!object) return object.error();
  auto up = field_or(**object, "up", Idset(), graph::read_idset);
  if (!up) return up.error();
  auto down = field_or(**object, "down", Idset(), graph::read_idset);
  if (!down) return down.error();
  auto shrink = field_or(**object, "shrink", Idset(), graph::read_idset);
  if (!shrink) return shrink.error();
  auto add = field_or(**object, "property-add", Properties(), read_properties);
  if (!add) return add.error();
  auto remove = field_or(**object, "property-remove", Properties(), read_properties);
  if (!remove) return remove.error();
  AcquireUpdate update{*std::move(up),  *std::move(down),   *std::move(shrink),
                       *std::move(add), *std::move(remove), std::nullopt};
  if (const json::value* value = (*object)->if_contains("expiration")) {
    const auto expiration = read_expiration(*value, "expiration");
    if (!expiration) return expiration.error();
    update.expiration = *expiration;
  }
  return update;
}

// ---- what the peers send -------------------------------------------------------------------

json::object encode(const AllocRequest& request, const json::value& jobspec) {
  return {{"id", request.id.value()},
          {"priority", request.priority.value()},
          {"userid", request.user.value()},
          {"t_submit", encode_time(request.submit)},
          {"jobspec", jobspec}};
}

json::object encode(const FreeRequest& request, const json::value& r) {
  json::object object{{"id", request.id.value()}, {"R", r}};
  if (request.kind == plan::Engine::Release::final) object["final"] = true;
  return object;
}

json::object encode(const PrioritizeRequest& request) {
  json::array jobs;
  jobs.reserve(request.jobs.size());
  for (const auto& [id, priority] : request.jobs) {
    jobs.push_back(json::array{id.value(), priority.value()});
  }
  return {{"jobs", std::move(jobs)}};
}

json::object encode(const ExpirationRequest& request) {
  return {{"id", request.id.value()}, {"expiration", encode_time(request.expiration)}};
}

json::object encode(const AcquireUpdate& update) {
  json::object object;
  put_idset(object, "up", update.up);
  put_idset(object, "down", update.down);
  put_idset(object, "shrink", update.shrink);
  put_properties(object, "property-add", update.property_add);
  put_properties(object, "property-remove", update.property_remove);
  if (update.expiration) object["expiration"] = encode_time(*update.expiration);
  return object;
}

// ---- what the scheduler sends --------------------------------------------------------------

json::object encode_success(const AllocSuccess& success) {
  json::object object = response(success.start.id, ResponseType::success);
  if (!success.annotations.empty()) object["annotations"] = encode(success.annotations);
  return object;
}

json::object encode_annotate(JobId id, const Annotations& annotations) {
  json::object object = response(id, ResponseType::annotate);
  object["annotations"] = encode(annotations);
  return object;
}

json::object encode_deny(JobId id, std::string_view note) {
  json::object object = response(id, ResponseType::deny);
  object["note"] = to_text(note);
  return object;
}

json::object encode_cancel(JobId id) { return response(id, ResponseType::cancel); }

json::object encode(const Annotations& annotations) {
  json::object sched;
  put_change(sched, "t_estimate", annotations.t_estimate, encode_time);
  put_change(sched, "reason_pending", annotations.reason_pending, to_text);
  put_change(sched, "resource_summary", annotations.resource_summary, to_text);
  put_change(sched, "selection_type", annotations.selection_type, to_text);
  return {{"sched", std::move(sched)}};
}

json::object encode_r(const AllocSuccess& success, const graph::ResourceGraph& graph,
                      const json::value* scheduling) {
  const Span span = success.start.placement.span;
  return graph::write_r(success.start.placement.resources, graph,
                        graph::RHeader{.times = {.start = span.start, .expiration = span.end},
                                       .nslots = success.start.nslots,
                                       .scheduling = scheduling});
}

json::object encode(const ResourceStatus& status, const graph::ResourceGraph& graph) {
  const auto write = [&](const graph::ResourceSet& set) {
    json::object r = graph::write_r(set, graph, graph::RHeader{});
    // Slots belong to a job, not to the machine.
    if (json::value* execution = r.if_contains("execution")) execution->as_object().erase("nslots");
    return r;
  };
  return {{"all", write(status.all)},
          {"allocated", write(status.allocated)},
          {"down", write(status.down)}};
}

json::value encode_time(Time time) { return graph::write_time(time); }

}  // namespace tenure::sched
