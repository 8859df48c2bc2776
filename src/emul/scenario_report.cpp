#include "emul/scenario_report.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graph/formats/json_field.hpp"
#include "graph/formats/r.hpp"
#include "sched/impact_view.hpp"

namespace tenure::emul {
namespace {

namespace json = boost::json;

/// The numbers that protocol answers carry for these errors (Linux errno values).
int error_number(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid:
      return 22;  // EINVAL
    case ErrorCode::not_found:
      return 2;  // ENOENT
    case ErrorCode::exists:
      return 17;  // EEXIST
    case ErrorCode::conflict:
      return 16;  // EBUSY
    case ErrorCode::infeasible:
      return 19;  // ENODEV
    case ErrorCode::permission:
      return 1;  // EPERM
    case ErrorCode::unsupported:
      return 38;  // ENOSYS
    case ErrorCode::limit:
      return 75;  // EOVERFLOW
    case ErrorCode::io:
      return 5;  // EIO
  }
  return 22;
}

/// Sums of times are good to a microsecond.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

template <class T, class Fn>
void put(json::object& keys, std::string_view key, const sched::Change<T>& change, Fn&& write) {
  if (!change) return;
  keys[key] = *change ? json::value(write(**change)) : json::value(nullptr);
}

}  // namespace

json::value relative_seconds(Time time, Time start) {
  if (time.is_never()) return nullptr;
  return graph::write_duration(time - start);
}

std::string relative_text(Time time, Time start) {
  return time.is_never() ? "never" : number_text(relative_seconds(time, start));
}

std::string with_job_names(std::string_view text, const JobNames& names) {
  constexpr std::string_view kMark = "ƒ";
  constexpr std::string_view kDigits = "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = text.find(kMark, at);
    if (mark == std::string_view::npos) {
      result += text.substr(at);
      break;
    }
    result += text.substr(at, mark - at);
    std::size_t end = text.find_first_not_of(kDigits, mark + kMark.size());
    if (end == std::string_view::npos) end = text.size();
    const std::string_view word = text.substr(mark, end - mark);
    const auto id = parse_job_id(word);
    const auto name = id ? names(*id) : std::nullopt;
    result += name ? *name : word;
    at = end;
  }
  return result;
}

json::object ScenarioReport::event(std::string_view kind) const {
  return json::object{{"t", seconds(instance_->now())}, {"event", json::string(kind)}};
}

json::object ScenarioReport::event(std::string_view kind, JobId id) const {
  json::object result = event(kind);
  result["id"] = name(id);
  return result;
}

json::value ScenarioReport::name(JobId id) const {
  if (instance_->state(id) == JobState::unknown) return id.value();
  return json::string(instance_->label(id));
}

std::string ScenarioReport::with_labels(std::string_view text) const {
  return with_job_names(text, [this](JobId id) -> std::optional<std::string> {
    if (instance_->state(id) == JobState::unknown) return std::nullopt;
    return instance_->label(id);
  });
}

// ---- Observer --------------------------------------------------------------------------

void ScenarioReport::on_submit(JobId id) {
  submitted_.push_back(id);
  submit_time_[id] = instance_->now();
  output_->write(event("submit", id));
}

void ScenarioReport::on_deny(JobId id, std::string_view note) {
  ++denied_;
  json::object line = event("deny", id);
  line["note"] = with_labels(note);
  output_->write(line);
}

void ScenarioReport::on_start(JobId id, const sched::AllocSuccess& success) {
  const plan::Start& start = success.start;
  const graph::ResourceGraph& machine = instance_->machine();
  ++started_;
  const double wait = (instance_->now() - submit_time_[id]).to_seconds();
  wait_sum_ += wait;
  wait_max_ = std::max(wait_max_, wait);
  if (!first_start_) first_start_ = instance_->now();
  account(id, start.placement.resources.node_count());

  json::object line = event("start", id);
  line["ranks"] = machine.ranks_of(start.placement.resources).to_string();
  line["end"] = seconds(start.placement.span.end);
  line["selection"] = json::string(plan::to_string(start.selection));
  if (!start.placement.resources.parts().empty()) {
    line["R_lite"] = graph::write_r_lite(start.placement.resources, machine);
  }
  output_->write(line);
}

void ScenarioReport::on_annotate(JobId id, const sched::Annotations& annotations) {
  const auto text = [&](const std::string& value) { return json::string(with_labels(value)); };
  json::object keys;
  put(keys, "t_estimate", annotations.t_estimate, [&](Time time) { return seconds(time); });
  put(keys, "reason_pending", annotations.reason_pending, text);
  put(keys, "resource_summary", annotations.resource_summary, text);
  put(keys, "selection_type", annotations.selection_type, text);
  json::object line = event("annotate", id);
  line["sched"] = std::move(keys);
  output_->write(line);
}

void ScenarioReport::on_update(JobId id, const Result<std::optional<Time>>& end) {
  json::object line = event("update", id);
  line["ok"] = end.has_value();
  if (!end) {
    line["error"] = with_labels(end.error().message);
    line["errnum"] = error_number(end.error().code);
  } else if (*end) {
    line["end"] = seconds(**end);
  }
  output_->write(line);
}

void ScenarioReport::on_finish(JobId id, FinishReason reason) {
  ++finished_[reason];
  json::object line = event("finish", id);
  line["reason"] = json::string(to_string(reason));
  output_->write(line);
}

void ScenarioReport::on_free(JobId id, const Idset& ranks, bool final) {
  const auto held = held_.find(id);
  const std::uint64_t before = held == held_.end() ? 0 : held->second.nodes;
  account(id, final ? 0 : before - std::min(before, ranks.size()));
  json::object line = event("free", id);
  line["ranks"] = ranks.to_string();
  line["final"] = final;
  output_->write(line);
}

void ScenarioReport::on_cancel(JobId id) {
  ++canceled_;
  output_->write(event("cancel", id));
}

void ScenarioReport::on_fault(std::string_view text) {
  faults_.push_back(with_labels(text));
  json::object line = event("fault");
  line["text"] = faults_.back();
  output_->write(line);
}

/// From now on the job holds so many nodes.
void ScenarioReport::account(JobId id, std::uint64_t nodes) {
  const Time now = instance_->now();
  Held& held = held_[id];
  if (held.nodes > 0) {
    node_seconds_ += static_cast<double>(held.nodes) * (now - held.since).to_seconds();
  }
  held = Held{nodes, now};
  if (nodes == 0) held_.erase(id);
}

// ---- answers to questions --------------------------------------------------------------

sched::PlanTerms ScenarioReport::terms() const {
  return sched::PlanTerms{.name = [this](JobId id) { return name(id); },
                          .seconds = [this](Time time) { return seconds(time); },
                          .reason =
                              [this](const plan::Reason& reason) {
                                return with_labels(plan::describe(reason, [this](Time time) {
                                  return relative_text(time, start_);
                                }));
                              }};
}

void ScenarioReport::plan() {
  json::object line = event("plan");
  for (auto& [key, value] :
       sched::write_plan(instance_->scheduler().engine(), instance_->now(), terms())) {
    line[key] = std::move(value);
  }
  output_->write(line);
}

void ScenarioReport::impact(JobId id, const Result<plan::Impact>& impact,
                            const std::optional<plan::FreeUntil>& free) {
  json::object line = event("impact", id);
  json::object answer;
  if (impact) {
    answer = sched::write_impact(*impact, free, terms());
  } else {
    answer = json::object{{"ok", false}, {"error", impact.error().message}};
    if (free) answer["free_until"] = seconds(free->end);
  }
  for (auto& [key, value] : answer) line[key] = std::move(value);
  if (json::value* error = line.if_contains("error")) {
    *error = with_labels(error->get_string());
    line["errnum"] = error_number(impact ? impact->refusal->code : impact.error().code);
  }
  output_->write(line);
}

void ScenarioReport::expect(const std::vector<Mismatch>& mismatches) {
  json::object line = event("expect");
  line["ok"] = mismatches.empty();
  if (!mismatches.empty()) {
    ++failed_expectations_;
    json::array list;
    for (const Mismatch& mismatch : mismatches) {
      list.push_back(json::object{{"what", json::string(mismatch.what)},
                                  {"expected", mismatch.expected},
                                  {"actual", mismatch.actual}});
    }
    line["mismatches"] = std::move(list);
  }
  output_->write(line);
}

void ScenarioReport::summary(End end) {
  const Time now = instance_->now();
  json::array running;
  json::array waiting;
  for (const JobId id : submitted_) {
    const JobState state = instance_->state(id);
    if (state == JobState::pending) waiting.push_back(name(id));
    if (state == JobState::running || state == JobState::epilog) running.push_back(name(id));
  }
  for (auto& [id, held] : held_) {
    node_seconds_ += static_cast<double>(held.nodes) * (now - held.since).to_seconds();
    held.since = now;
  }
  const double elapsed = first_start_ ? (now - *first_start_).to_seconds() : 0;
  const double capacity = elapsed * instance_->machine().target_count();
  json::object line = event("summary");
  line["jobs"] = submitted_.size();
  line["started"] = started_;
  line["finished"] = json::object{{"done", finished_[FinishReason::done]},
                                  {"timeout", finished_[FinishReason::timeout]},
                                  {"canceled", finished_[FinishReason::canceled]}};
  line["denied"] = denied_;
  line["canceled"] = canceled_;
  line["running"] = std::move(running);
  const bool stopped = end == End::stopped;
  line["pending"] = stopped ? waiting : json::array();
  line["never_started"] = stopped ? json::array() : waiting;
  line["wait_mean"] = rounded(started_ == 0 ? 0 : wait_sum_ / static_cast<double>(started_));
  line["wait_max"] = rounded(wait_max_);
  line["node_seconds"] = rounded(node_seconds_);
  line["utilisation"] = rounded(capacity > 0 ? node_seconds_ / capacity : 0);
  line["failed_expectations"] = failed_expectations_;
  line["faults"] = faults_.size();
  output_->write(line);
}

}  // namespace tenure::emul
