#include "emul/scenario_events.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/file.hpp"
#include "jobspec/jobspec.hpp"
#include "sched/codec.hpp"

namespace tenure::emul {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kMaxCopies = 1'000'000;
constexpr std::uint64_t kMaxU32 = std::numeric_limits<std::uint32_t>::max();

constexpr std::array<std::string_view, 16> kKinds = {
    "submit", "update", "expiration", "instance-expiration", "cancel", "priority",    "free",
    "up",     "down",   "shrink",     "properties",          "reload", "reconfigure", "plan",
    "expect", "impact"};
/// Described in docs/scenarios.md, not there yet.
constexpr std::array<std::string_view, 4> kLater = {"reserve", "alter", "unreserve", "extend"};

bool is_empty(const Item& item) {
  return item.node.IsNull() || (item.node.IsMap() && item.node.size() == 0);
}

json::object& section(json::object& parent, std::string_view key) {
  json::value& value = parent[key];
  if (!value.is_object()) value.emplace_object();
  return value.as_object();
}

}  // namespace

Result<DurationChange> parse_duration_change(std::string_view text) {
  using Kind = DurationChange::Kind;
  DurationChange change;
  if (text.starts_with('+')) change.kind = Kind::plus;
  if (text.starts_with('-')) change.kind = Kind::minus;
  if (change.kind != Kind::absolute) text.remove_prefix(1);
  const auto amount = parse_duration(text);
  if (!amount) return amount.error();
  change.amount = *amount;
  if (change.kind == Kind::absolute && amount->is_infinite()) change.amount = Duration::zero();
  if (change.kind == Kind::minus && amount->is_infinite()) {
    return failure(ErrorCode::invalid, "cannot be shorter by infinity");
  }
  return change;
}

json::object read_config(Document& document, const Item& map, sched::Config& config) {
  json::object changes;
  for (const auto& [key, item] : document.entries(map)) {
    const json::value value = to_json(item.node);
    changes[key] = value;
    auto next = sched::apply(config, json::object{{key, value}});
    if (next) {
      config = *std::move(next);
    } else {
      document.record(Item{item.node, map.path, item.line}, next.error());
    }
  }
  return changes;
}

// ---- events ----------------------------------------------------------------------------

std::vector<ScenarioEvent> EventReader::read(const Item& sequence) {
  std::vector<ScenarioEvent> events;
  for (const Item& item : document_->elements(sequence)) {
    const auto at = document_->need(item, "at");
    ScenarioEvent event{at ? scenario_->start + document_->duration(*at) : Time(), item.line, {}};
    if (at && event.at.is_never()) document_->fail(*at, "an event cannot be at infinity");
    if (!events.empty() && event.at < events.back().at) {
      document_->fail(at.value_or(item), "{} is before the event ahead of it in line {}",
                      at ? document_->text(*at) : "", events.back().line);
    }
    std::optional<Action> action;
    for (const auto& [key, body] : document_->entries(item)) {
      if (key == "at") continue;
      if (action) document_->fail(body, "an event does one thing, this one does two");
      action = read_action(body, key);
      if (!action) break;
    }
    if (!action && document_->ok()) {
      document_->fail(item, "the event does nothing; one of: {}", fmt::join(kKinds, ", "));
    }
    if (!document_->ok()) return events;
    event.action = *std::move(action);
    events.push_back(std::move(event));
  }
  return events;
}

std::optional<EventReader::Action> EventReader::read_action(const Item& item,
                                                            std::string_view kind) {
  using Kind = action::NodeState::Kind;
  if (kind == "submit") return submit(item);
  if (kind == "update") return update(item);
  if (kind == "expiration") return raw_expiration(item);
  if (kind == "instance-expiration") return action::InstanceExpiration{instant(item)};
  if (kind == "cancel") return action::Cancel{known_label(item)};
  if (kind == "priority") return prioritize(item);
  if (kind == "free") return free(item);
  if (kind == "up") return node_state(item, Kind::up);
  if (kind == "down") return node_state(item, Kind::down);
  if (kind == "shrink") return node_state(item, Kind::shrink);
  if (kind == "properties") return properties(item);
  if (kind == "reconfigure") return reconfigure(item);
  if (kind == "impact") return impact(item);
  if (kind == "expect") return expect(item);
  if (kind == "plan" || kind == "reload") {
    if (!is_empty(item)) document_->fail(item, "takes no fields: {{{}: {{}}}}", kind);
    if (kind == "plan") return action::Plan{};
    return action::Reload{};
  }
  if (std::ranges::find(kLater, kind) != kLater.end()) {
    document_->fail(item, "not available in this version");
  } else {
    document_->fail(item, "unknown event; valid: {}", fmt::join(kKinds, ", "));
  }
  return std::nullopt;
}

// ---- names and times -------------------------------------------------------------------

/// A time relative to the start; 0 is none.
Time EventReader::instant(const Item& item) {
  const Duration offset = document_->duration(item);
  if (offset == Duration::zero() || offset.is_infinite()) return Time::never();
  return scenario_->start + offset;
}

Idset EventReader::ranks(const Item& item) {
  const Idset ranks = document_->idset(item);
  const graph::ResourceGraph& machine = *machine_;
  const Idset all = machine.ranks_of(graph::NodeSet::full(machine.node_count()));
  if (const Idset unknown = ranks - all; !unknown.empty()) {
    document_->fail(item, "the cluster has no rank {}; it has {}", unknown.to_string(),
                    all.to_string());
  }
  return ranks;
}

void EventReader::new_label(const Item& item, const std::string& label) {
  const auto [found, added] = labels_.emplace(label, item.line);
  if (!added) document_->fail(item, "\"{}\" is the id of the job of line {}", label, found->second);
}

std::string EventReader::known_label(const Item& item) {
  return known_label(item, document_->text(item));
}

std::string EventReader::known_label(const Item& item, const std::string& label) {
  if (labels_.contains(label)) return label;
  if (labels_.contains(label + ".1")) {
    document_->fail(item, "\"{}\" stands for several jobs; name one: {}.1, {}.2, …", label, label,
                    label);
    return label;
  }
  std::vector<std::string> known;
  for (const auto& [name, line] : labels_) {
    if (known.size() < 10) known.push_back(name);
  }
  document_->fail(item, "no job \"{}\" was submitted before this event; known: {}{}", label,
                  known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")),
                  labels_.size() > known.size() ? ", …" : "");
  return label;
}

// ---- submit ----------------------------------------------------------------------------

action::Submit EventReader::submit(const Item& item) {
  document_->only_keys(item, {"id", "jobspec", "nodes", "slots", "cores", "gpus", "exclusive",
                              "duration", "queue", "constraint", "reservation", "runtime", "epilog",
                              "urgency", "priority", "user", "count"});
  Submission job;
  const auto id = document_->need(item, "id");
  if (id) job.label = document_->text(*id);
  if (id && job.label.empty()) document_->fail(*id, "is empty");
  auto spec = document_->find(item, "jobspec") ? jobspec(item) : shorthand(item);
  if (spec) {
    add_queue_constraint(item, *spec);
    job.jobspec = std::make_shared<const json::object>(*std::move(spec));
  }
  if (const auto field = document_->find(item, "runtime")) {
    const Duration runtime = document_->duration(*field);
    job.runtime = runtime;
  }
  if (const auto field = document_->find(item, "epilog")) job.epilog = document_->duration(*field);
  if (const auto field = document_->find(item, "urgency")) {
    job.urgency = static_cast<std::uint32_t>(document_->integer(*field, 0, 31));
  }
  if (const auto field = document_->find(item, "priority")) {
    job.priority = Priority(static_cast<std::uint32_t>(document_->integer(*field, 0, kMaxU32)));
  }
  if (const auto field = document_->find(item, "user")) {
    job.user = UserId(static_cast<std::uint32_t>(document_->integer(*field, 0, kMaxU32)));
  }

  action::Submit submit;
  const auto count = document_->find(item, "count");
  if (!count) {
    if (id) new_label(*id, job.label);
    submit.jobs.push_back(std::move(job));
    return submit;
  }
  const std::uint64_t copies = document_->integer(*count, 1, kMaxCopies);
  for (std::uint64_t i = 1; i <= copies && document_->ok(); ++i) {
    Submission copy = job;
    copy.label = fmt::format("{}.{}", job.label, i);
    new_label(*id, copy.label);
    submit.jobs.push_back(std::move(copy));
  }
  return submit;
}

std::optional<json::object> EventReader::jobspec(const Item& item) {
  for (const std::string_view key : {"nodes", "slots", "cores", "gpus", "exclusive", "duration",
                                     "queue", "constraint", "reservation"}) {
    if (const auto field = document_->find(item, key)) {
      document_->fail(*field, "does not go with jobspec, which says it itself");
    }
  }
  const Item field = *document_->find(item, "jobspec");
  if (field.node.IsScalar()) return jobspec_file(field);
  if (!field.node.IsMap()) {
    document_->fail(field, "expected an RFC 14 object or the name of a file");
    return std::nullopt;
  }
  return to_json(field.node).as_object();
}

std::optional<json::object> EventReader::jobspec_file(const Item& item) {
  const std::filesystem::path path = folder_ / document_->text(item);
  const auto text = read_file(path);
  if (!text) {
    document_->record(item, text.error());
    return std::nullopt;
  }
  const auto node = load_yaml(*text, path.string());
  if (!node) {
    document_->record(item, node.error());
    return std::nullopt;
  }
  if (!node->IsMap()) {
    document_->fail(item, "{} holds no RFC 14 object", path.string());
    return std::nullopt;
  }
  return to_json(*node).as_object();
}

std::optional<json::object> EventReader::shorthand(const Item& item) {
  constexpr std::uint64_t kMax = jobspec::kMaxCount;
  jobspec::Shorthand request;
  const auto nodes = document_->find(item, "nodes");
  const auto slots = document_->find(item, "slots");
  const auto cores = document_->find(item, "cores");
  const auto gpus = document_->find(item, "gpus");
  if (!nodes && !slots) document_->fail(item, "needs one of: nodes, slots, jobspec");
  if (nodes) request.nodes = document_->integer(*nodes, 1, kMax);
  request.slots = slots ? document_->integer(*slots, 1, kMax) : (nodes ? request.nodes : 1);
  if (cores) request.cores_per_slot = document_->integer(*cores, 1, kMax);
  if (gpus) request.gpus_per_slot = document_->integer(*gpus, 0, kMax);
  if (nodes && slots && request.slots % request.nodes != 0) {
    document_->fail(*slots, "{} is not a multiple of nodes ({})", request.slots, request.nodes);
  }
  if (const auto exclusive = document_->find(item, "exclusive")) {
    request.exclusive = document_->boolean(*exclusive);
    if (!nodes) document_->fail(*exclusive, "goes with nodes only");
  } else {
    request.exclusive = nodes && !slots && !cores && !gpus;  // whole nodes
  }
  if (const auto duration = document_->find(item, "duration")) {
    request.duration = document_->duration(*duration);
    if (request.duration == Duration::zero()) request.duration = Duration::infinite();
  }
  if (const auto queue = document_->find(item, "queue")) request.queue = document_->text(*queue);
  if (const auto reservation = document_->find(item, "reservation")) {
    document_->fail(*reservation, "advance reservations are not available in this version");
  }
  if (const auto constraint = document_->find(item, "constraint")) {
    request.constraint = to_json(constraint->node);
    const auto parsed = jobspec::Constraint::parse(*request.constraint);
    if (!parsed) document_->record(*constraint, parsed.error());
  }
  if (!document_->ok()) return std::nullopt;
  return jobspec::write(request);
}

/// The job manager turns the queue of a job into a constraint (RFC 33).
void EventReader::add_queue_constraint(const Item& item, json::object& jobspec) {
  json::object& system = section(section(jobspec, "attributes"), "system");
  const json::value* name = system.if_contains("queue");
  if (name == nullptr || !name->is_string()) return;
  const auto queue = queues_->find(std::string(name->as_string()));
  if (queue == queues_->end()) {
    std::vector<std::string> known;
    for (const auto& entry : *queues_) known.push_back(entry.first);
    document_->fail(document_->find(item, "queue").value_or(item),
                    "no queue \"{}\"; the scenario defines: {}",
                    std::string_view(name->as_string()),
                    known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
    return;
  }
  if (queue->second.properties.empty()) return;
  json::array names(queue->second.properties.begin(), queue->second.properties.end());
  json::object required{{"properties", std::move(names)}};
  json::value* present = system.if_contains("constraints");
  if (present == nullptr || present->is_null()) {
    system["constraints"] = std::move(required);
  } else {
    json::value before = *present;
    system["constraints"] = json::object{{"and", json::array{std::move(before), required}}};
  }
}

// ---- what happens to jobs --------------------------------------------------------------

action::Update EventReader::update(const Item& item) {
  document_->only_keys(item, {"id", "duration"});
  action::Update update;
  if (const auto id = document_->need(item, "id")) update.label = known_label(*id);
  if (const auto duration = document_->need(item, "duration")) {
    update.change = duration_change(*duration);
  }
  return update;
}

DurationChange EventReader::duration_change(const Item& item) {
  const auto change = parse_duration_change(document_->text(item));
  if (change) return *change;
  document_->record(item, change.error());
  return {};
}

action::RawExpiration EventReader::raw_expiration(const Item& item) {
  document_->only_keys(item, {"id", "raw-id", "expiration"});
  action::RawExpiration request;
  const auto raw = document_->find(item, "raw-id");
  const auto id = document_->find(item, "id");
  if (raw && id) document_->fail(*raw, "does not go with id");
  if (raw) {
    request.raw_id = JobId(document_->integer(*raw, 0));
  } else if (id) {
    request.label = known_label(*id);
  } else {
    document_->fail(item, "needs one of: id, raw-id");
  }
  const auto field = document_->find(item, "expiration");
  if (!field) return request;
  const json::value value = to_json(field->node);
  request.expiration = value;
  if (!value.is_number()) return request;
  // Positive numbers are times relative to the start; 0 is unset, and what is no time is
  // sent as it is.
  const double seconds = value.to_number<double>();
  if (!(seconds > 0) || std::isinf(seconds)) return request;
  const double start = scenario_->start.to_seconds();
  if (std::abs(start + seconds) < 9e15 && std::floor(start + seconds) == start + seconds) {
    request.expiration = static_cast<std::int64_t>(start + seconds);
  } else {
    request.expiration = start + seconds;
  }
  return request;
}

action::Prioritize EventReader::prioritize(const Item& item) {
  action::Prioritize request;
  for (const auto& [label, value] : document_->entries(item)) {
    const auto priority = static_cast<std::uint32_t>(document_->integer(value, 0, kMaxU32));
    request.priorities.emplace_back(known_label(value, label), Priority(priority));
  }
  if (request.priorities.empty()) document_->fail(item, "names no job: {{label: value, …}}");
  return request;
}

action::Free EventReader::free(const Item& item) {
  document_->only_keys(item, {"id", "ranks", "final"});
  action::Free request;
  if (const auto id = document_->need(item, "id")) request.label = known_label(*id);
  if (const auto field = document_->need(item, "ranks")) request.ranks = ranks(*field);
  if (const auto field = document_->find(item, "final")) request.final = document_->boolean(*field);
  return request;
}

// ---- what happens to the machine and the scheduler -------------------------------------

action::NodeState EventReader::node_state(const Item& item, action::NodeState::Kind kind) {
  action::NodeState change{kind, ranks(item)};
  if (document_->ok() && change.ranks.empty()) document_->fail(item, "names no rank");
  return change;
}

action::Properties EventReader::properties(const Item& item) {
  document_->only_keys(item, {"add", "remove"});
  action::Properties change;
  const auto read = [&](std::string_view key, std::map<std::string, Idset>& into) {
    const auto field = document_->find(item, key);
    if (!field) return;
    for (const auto& [name, value] : document_->entries(*field)) into[name] = ranks(value);
  };
  read("add", change.add);
  read("remove", change.remove);
  if (document_->ok() && change.add.empty() && change.remove.empty()) {
    document_->fail(item, "changes nothing: {{add: {{name: ranks}}, remove: {{name: ranks}}}}");
  }
  // What a property may be called is the protocol's affair.
  sched::AcquireUpdate update;
  update.property_add = change.add;
  update.property_remove = change.remove;
  const auto checked = sched::decode_acquire_update(sched::encode(update));
  if (!checked) document_->record(item, checked.error());
  return change;
}

action::Reconfigure EventReader::reconfigure(const Item& item) {
  action::Reconfigure change{read_config(*document_, item, config_)};
  if (document_->ok() && change.changes.empty()) {
    document_->fail(item, "changes nothing: {{key: value, …}}");
  }
  return change;
}

// ---- impact ----------------------------------------------------------------------------

action::Impact EventReader::impact(const Item& item) {
  document_->only_keys(item, {"id", "duration", "expiration", "expect"});
  action::Impact impact;
  if (const auto id = document_->need(item, "id")) impact.label = known_label(*id);
  const auto duration = document_->find(item, "duration");
  const auto expiration = document_->find(item, "expiration");
  if (duration.has_value() == expiration.has_value()) {
    document_->fail(item, "needs one of: duration, expiration");
  } else if (duration) {
    impact.change = duration_change(*duration);
  } else {
    impact.expiration = instant(*expiration);
  }
  if (const auto field = document_->find(item, "expect")) {
    impact.expected = expected_impact(*field);
  }
  return impact;
}

action::Impact::Expected EventReader::expected_impact(const Item& item) {
  document_->only_keys(item, {"ok", "delayed", "advanced", "free-until"});
  if (is_empty(item)) document_->fail(item, "expects nothing");
  action::Impact::Expected expected;
  if (const auto field = document_->find(item, "ok")) expected.ok = document_->boolean(*field);
  if (const auto field = document_->find(item, "delayed")) expected.delayed = times(*field);
  if (const auto field = document_->find(item, "advanced")) expected.advanced = times(*field);
  if (const auto field = document_->find(item, "free-until")) {
    expected.free_until = Time::never();
    if (!field->node.IsNull()) {
      expected.free_until = scenario_->start + document_->duration(*field);
    }
  }
  return expected;
}

// ---- expect ----------------------------------------------------------------------------

action::Expect EventReader::expect(const Item& item) {
  document_->only_keys(
      item, {"start", "planned", "denied", "pending", "running", "free-nodes", "up-nodes"});
  if (is_empty(item)) document_->fail(item, "expects nothing");
  action::Expect expect;
  if (const auto field = document_->find(item, "start")) expect.start = times(*field);
  if (const auto field = document_->find(item, "planned")) expect.planned = times(*field);
  if (const auto field = document_->find(item, "denied")) expect.denied = labels(*field);
  if (const auto field = document_->find(item, "pending")) expect.pending = labels(*field);
  if (const auto field = document_->find(item, "running")) expect.running = labels(*field);
  if (const auto field = document_->find(item, "free-nodes")) {
    expect.free_nodes = document_->integer(*field, 0);
  }
  if (const auto field = document_->find(item, "up-nodes")) {
    expect.up_nodes = document_->integer(*field, 0);
  }
  return expect;
}

action::Expect::Times EventReader::times(const Item& item) {
  action::Expect::Times times;
  for (const auto& [label, value] : document_->entries(item)) {
    std::optional<Time> time;
    if (!value.node.IsNull()) time = scenario_->start + document_->duration(value);
    times.emplace_back(known_label(value, label), time);
  }
  return times;
}

action::Expect::Labels EventReader::labels(const Item& item) {
  std::vector<std::string> labels;
  for (const Item& element : document_->elements(item)) labels.push_back(known_label(element));
  return labels;
}

}  // namespace tenure::emul
