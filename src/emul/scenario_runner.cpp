#include "emul/scenario_runner.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.hpp"
#include "emul/fanout.hpp"
#include "emul/scenario_report.hpp"

namespace tenure::emul {
namespace {

namespace json = boost::json;

class ScenarioRunner {
 public:
  ScenarioRunner(const Scenario& scenario, Output& output)
      : scenario_(&scenario), report_(scenario.start, output) {}

  Result<RunOutcome> run(const RunOptions& options);

 private:
  void play_time(std::size_t first, std::size_t last);
  void do_event(const ScenarioEvent& event);
  void play_to_the_end();
  JobId id(const std::string& label) const { return ids_.at(label); }

  void act(const action::Submit& submit);
  void act(const action::Update& update) {
    instance_->update_duration(id(update.label), update.change);
  }
  void act(const action::RawExpiration& request) {
    instance_->raw_expiration(request.label.empty() ? request.raw_id : id(request.label),
                              request.expiration);
  }
  void act(const action::InstanceExpiration& change) {
    instance_->set_instance_expiration(change.expiration);
  }
  void act(const action::Cancel& cancel) { instance_->cancel(id(cancel.label)); }
  void act(const action::Prioritize& request);
  void act(const action::Free& free) {
    instance_->free_ranks(id(free.label), free.ranks, free.final);
  }
  void act(const action::NodeState& change);
  void act(const action::Properties& change) {
    instance_->change_properties(change.add, change.remove);
  }
  void act(const action::Reload&) { instance_->reload(); }
  void act(const action::Reconfigure& change) {
    const auto done = instance_->reconfigure(change.changes);
    CHECK(done.has_value(), "reconfigure: {}", done.error().message);  // validated by the reader
  }
  void act(const action::Plan&) { report_.plan(); }
  void act(const action::Impact& question);
  void act(const action::Expect& expect);

  void compare_impact(const action::Impact& question, const Result<plan::Impact>& impact,
                      const std::optional<plan::FreeUntil>& free);
  void compare_shifts(const char* what, const std::optional<action::Expect::Times>& expected,
                      const std::vector<plan::Shift>& shifts,
                      std::vector<Mismatch>& mismatches) const;
  void note(const std::vector<Mismatch>& mismatches);
  void compare_times(std::string_view what, const action::Expect::Times& expected,
                     std::vector<Mismatch>& mismatches) const;
  std::optional<Time> planned_start(JobId id) const;

  const Scenario* scenario_;
  ScenarioReport report_;
  std::optional<Fanout> observers_;
  std::unique_ptr<Instance> instance_;
  boost::unordered_flat_map<std::string, JobId> ids_;
  RunOutcome outcome_;
  int line_ = 0;  ///< of the event being played
};

Result<RunOutcome> ScenarioRunner::run(const RunOptions& options) {
  InstanceOptions settings;
  settings.scheduler.config = scenario_->config;
  settings.scheduler.time_text = [start = scenario_->start](Time time) {
    return relative_text(time, start);
  };
  settings.check = Check::on;
  settings.link = options.link;
  settings.start = scenario_->start;
  observers_.emplace(Fanout{&report_, options.observer});
  auto instance = Instance::create(scenario_->r, scenario_->up, std::move(settings), *observers_);
  if (!instance) return within(scenario_->file, instance.error());
  instance_ = *std::move(instance);
  report_.watch(*instance_);
  if (options.at_start) options.at_start(*instance_);

  const Time until = options.until ? scenario_->start + *options.until : Time::never();
  const auto& events = scenario_->events;
  for (std::size_t first = 0; first < events.size() && events[first].at <= until;) {
    std::size_t last = first;
    while (last < events.size() && events[last].at == events[first].at) ++last;
    play_time(first, last);
    first = last;
  }
  if (until.is_never()) {
    play_to_the_end();
  } else if (until > instance_->now()) {
    instance_->advance_to(until);
    instance_->settle();
  }
  if (options.at_end) options.at_end(*instance_);
  const bool exhausted = instance_->next_event().is_never();
  const bool all = events.empty() || events.back().at <= until;
  report_.summary(exhausted && all ? ScenarioReport::End::exhausted : ScenarioReport::End::stopped);
  outcome_.faults = report_.faults();
  return std::move(outcome_);
}

/// The events [first, last), all of one time.
void ScenarioRunner::play_time(std::size_t first, std::size_t last) {
  const auto& events = scenario_->events;
  instance_->advance_to(events[first].at);
  std::size_t asked = last;  // questions from here on are answered after planning
  while (asked > first && events[asked - 1].is_question()) --asked;
  for (std::size_t i = first; i < asked; ++i) do_event(events[i]);
  instance_->settle();
  for (std::size_t i = asked; i < last; ++i) do_event(events[i]);
}

void ScenarioRunner::do_event(const ScenarioEvent& event) {
  line_ = event.line;
  std::visit([this](const auto& action) { act(action); }, event.action);
}

void ScenarioRunner::play_to_the_end() {
  for (Time next = instance_->next_event(); !next.is_never(); next = instance_->next_event()) {
    instance_->advance_to(next);
    instance_->settle();
  }
}

// ---- changes ---------------------------------------------------------------------------

void ScenarioRunner::act(const action::Submit& submit) {
  for (const Submission& job : submit.jobs) {
    const std::string label = job.label;
    ids_[label] = instance_->submit(job);
  }
}

void ScenarioRunner::act(const action::Prioritize& request) {
  std::vector<std::pair<JobId, Priority>> priorities;
  priorities.reserve(request.priorities.size());
  for (const auto& [label, priority] : request.priorities) {
    priorities.emplace_back(id(label), priority);
  }
  instance_->prioritize(priorities);
}

void ScenarioRunner::act(const action::NodeState& change) {
  switch (change.kind) {
    case action::NodeState::Kind::up:
      return instance_->mark_up(change.ranks);
    case action::NodeState::Kind::down:
      return instance_->mark_down(change.ranks);
    case action::NodeState::Kind::shrink:
      return instance_->shrink(change.ranks);
  }
}

// ---- impact ----------------------------------------------------------------------------

void ScenarioRunner::act(const action::Impact& question) {
  const JobId job = id(question.label);
  const plan::Engine& engine = instance_->scheduler().engine();
  const Result<Time> end = question.expiration ? Result<Time>(*question.expiration)
                                               : instance_->end_after(job, question.change);
  Result<plan::Impact> impact = plan::Impact{};
  if (end) {
    impact = plan::preview(engine, job, *end, instance_->now());
  } else {
    impact = end.error();
  }
  std::optional<plan::FreeUntil> free;
  if (const auto found = plan::find_free_until(engine, job, instance_->now())) free = *found;
  report_.impact(job, impact, free);
  compare_impact(question, impact, free);
}

void ScenarioRunner::compare_shifts(const char* what,
                                    const std::optional<action::Expect::Times>& expected,
                                    const std::vector<plan::Shift>& shifts,
                                    std::vector<Mismatch>& mismatches) const {
  if (!expected) return;
  std::map<std::string, json::value> wanted;
  std::map<std::string, json::value> found;
  for (const auto& [label, time] : *expected) {
    wanted[label] = report_.seconds(time.value_or(Time::never()));
  }
  for (const plan::Shift& shift : shifts) {
    found[instance_->label(shift.id)] = report_.seconds(shift.to);
  }
  for (const auto& [label, to] : wanted) {
    if (found.contains(label)) continue;
    mismatches.push_back(Mismatch{fmt::format("{} {}", label, what), to, "not at all"});
  }
  for (const auto& [label, to] : found) {
    const auto other = wanted.find(label);
    if (other != wanted.end() && other->second == to) continue;
    const json::value before = other == wanted.end() ? json::value("not at all") : other->second;
    mismatches.push_back(Mismatch{fmt::format("{} {}", label, what), before, to});
  }
}

void ScenarioRunner::compare_impact(const action::Impact& question,
                                    const Result<plan::Impact>& impact,
                                    const std::optional<plan::FreeUntil>& free) {
  const action::Impact::Expected& expected = question.expected;
  std::vector<Mismatch> mismatches;
  const bool ok = impact && !impact->refusal;
  if (expected.ok && *expected.ok != ok) {
    mismatches.push_back(
        Mismatch{"impact accepted", *expected.ok ? "yes" : "no", ok ? "yes" : "no"});
  }
  const plan::Impact& found = impact ? *impact : plan::Impact{};
  compare_shifts("delayed to", expected.delayed, found.delayed, mismatches);
  compare_shifts("advanced to", expected.advanced, found.advanced, mismatches);
  if (expected.free_until && (!free || free->end != *expected.free_until)) {
    mismatches.push_back(Mismatch{"free until", report_.seconds(*expected.free_until),
                                  free ? report_.seconds(free->end) : "no such job"});
  }
  if (mismatches.empty()) return;
  note(mismatches);
  report_.expect(mismatches);
}

/// Remembers what differs, with file and line.
void ScenarioRunner::note(const std::vector<Mismatch>& mismatches) {
  for (const Mismatch& mismatch : mismatches) {
    const auto show = [](const json::value& value) {
      return value.is_string() ? std::string(value.get_string()) : number_text(value);
    };
    outcome_.mismatches.push_back(fmt::format("{}:{}: {}: expected {}, actual {}", scenario_->file,
                                              line_, mismatch.what, show(mismatch.expected),
                                              show(mismatch.actual)));
  }
}

// ---- expect ----------------------------------------------------------------------------

std::optional<Time> ScenarioRunner::planned_start(JobId id) const {
  const plan::PlannedJob* planned = instance_->scheduler().engine().find_planned(id);
  if (planned == nullptr || planned->outcome != plan::PlannedJob::Outcome::reserved) return {};
  return planned->placement.span.start;
}

void ScenarioRunner::compare_times(std::string_view what, const action::Expect::Times& expected,
                                   std::vector<Mismatch>& mismatches) const {
  const bool start = what == "start";
  const auto show = [&](std::optional<Time> time) {
    return time ? report_.seconds(*time) : json::value(nullptr);
  };
  for (const auto& [label, time] : expected) {
    const auto actual = start ? instance_->start_time(id(label)) : planned_start(id(label));
    if (actual == time) continue;
    mismatches.push_back(Mismatch{fmt::format("{} of {}", what, label), show(time), show(actual)});
  }
}

void ScenarioRunner::act(const action::Expect& expect) {
  std::vector<Mismatch> mismatches;
  compare_times("start", expect.start, mismatches);
  compare_times("planned", expect.planned, mismatches);

  const auto state_of = [&](JobId job) -> std::string {
    if (instance_->is_denied(job)) return "denied";
    return std::string(to_string(instance_->state(job)));
  };
  const auto compare_state = [&](const char* state, const action::Expect::Labels& labels) {
    if (!labels) return;
    for (const std::string& label : *labels) {
      const std::string actual = state_of(id(label));
      if (actual == state) continue;
      mismatches.push_back(
          Mismatch{fmt::format("state of {}", label), json::string(state), json::string(actual)});
    }
    if (!labels->empty()) return;
    for (const auto& [label, job] : ids_) {
      if (state_of(job) != state) continue;
      mismatches.push_back(Mismatch{fmt::format("{} jobs", state), "none", json::string(label)});
      break;
    }
  };
  compare_state("denied", expect.denied);
  compare_state("pending", expect.pending);
  compare_state("running", expect.running);

  const auto compare_count = [&](const char* what, std::optional<std::uint64_t> expected,
                                 std::uint64_t actual) {
    if (expected && *expected != actual) {
      mismatches.push_back(Mismatch{what, *expected, actual});
    }
  };
  compare_count("free-nodes", expect.free_nodes, instance_->free_node_count());
  compare_count("up-nodes", expect.up_nodes, instance_->machine().up().count());

  note(mismatches);
  report_.expect(mismatches);
}

}  // namespace

Result<RunOutcome> run_scenario(const Scenario& scenario, const RunOptions& options,
                                Output& output) {
  return ScenarioRunner(scenario, output).run(options);
}

}  // namespace tenure::emul
