// tenure impact: what would another end of a running job do?
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "cli/commands.hpp"
#include "emul/instance.hpp"
#include "emul/output.hpp"
#include "emul/scenario.hpp"
#include "emul/scenario_report.hpp"
#include "plan/impact.hpp"
#include "sched/impact_view.hpp"
#include "sched/snapshot.hpp"

namespace tenure::cli {

namespace {

namespace json = boost::json;

struct ImpactArguments {
  std::string file;
  std::string job;
  std::string duration;
  bool as_json = false;
  json::object config;
};

/// Extensions whose cost the frontier shows.
constexpr std::array kSteps{
    Duration::seconds(15 * 60),     Duration::seconds(30 * 60),    Duration::seconds(3600),
    Duration::seconds(2LL * 3600),  Duration::seconds(4LL * 3600), Duration::seconds(8LL * 3600),
    Duration::seconds(24LL * 3600),
};

/// A job by its name in the snapshot, or by its id.
JobId find_job(const sched::Snapshot& snapshot, const std::string& text) {
  for (const auto& [id, name] : snapshot.labels.names) {
    if (name == text) return id;
  }
  const auto id = parse_job_id(text);
  if (!id) fail(within("JOBID", id.error()));
  return *id;
}

/// The end that the job would have, as the job manager computes it.
Time end_of(const plan::Allocation& held, const std::string& text) {
  const auto change = emul::parse_duration_change(text);
  if (!change) fail(within("DURATION", change.error()));
  const bool unlimited = held.end_origin == plan::EndOrigin::instance || held.span.end.is_never();
  const Duration present = unlimited ? Duration::infinite() : held.span.end - held.span.start;
  const auto duration = emul::changed(present, *change);
  if (!duration) fail(duration.error());
  return held.span.start + *duration;
}

json::object answer(const sched::Snapshot& snapshot, JobId id, Time end,
                    const sched::PlanTerms& terms) {
  const plan::Engine& engine = *snapshot.engine;
  const plan::Impact impact = plan::preview(engine, id, end, snapshot.now);
  const auto frontier = plan::find_frontier(engine, id, snapshot.now, kSteps);
  if (!frontier) fail(frontier.error());
  json::object object{{"t", terms.seconds(snapshot.now)}, {"id", terms.name(id)}};
  for (auto& [key, value] : sched::write_impact(impact, frontier->free, terms)) {
    object[key] = std::move(value);
  }
  object["frontier"] = sched::write_frontier(*frontier, terms);
  const Time present = engine.find_allocation(id)->span.end;
  for (std::size_t i = 0; i < frontier->steps.size(); ++i) {
    const Duration step = frontier->steps[i].end - present;
    object["frontier"].as_array()[i].as_object()["by"] = "+" + format_fsd(step);
  }
  return object;
}

void impact(const ImpactArguments& arguments) {
  const auto text = read_file(arguments.file);
  if (!text) fail(text.error());
  auto snapshot = sched::read_snapshot_text(*text);
  if (!snapshot) fail(within(arguments.file, snapshot.error()));
  const sched::Config config = or_fail_with_options(snapshot->config, arguments.config);
  snapshot->engine->set_options(config.options);

  const JobId id = find_job(*snapshot, arguments.job);
  const plan::Allocation* held = snapshot->engine->find_allocation(id);
  if (held == nullptr) {
    const bool waits = snapshot->engine->find_pending(id) != nullptr;
    fail(failure(ErrorCode::not_found, "JOBID: job {} {}", arguments.job,
                 waits ? "is pending and holds no resources" : "is not in the snapshot"));
  }
  const Time end = end_of(*held, arguments.duration);
  const Time now = snapshot->now;
  const Time origin = snapshot->labels.origin.value_or(arguments.as_json ? Time() : now);
  const auto names = [&](JobId job) -> std::optional<std::string> {
    const auto name = snapshot->labels.names.find(job);
    if (name == snapshot->labels.names.end()) return std::nullopt;
    return name->second;
  };
  const sched::PlanTerms terms{
      .name = [&](JobId job) { return json::string(names(job).value_or(format_f58(job))); },
      .seconds = [&](Time time) { return emul::relative_seconds(time, origin); },
      .reason = {}};
  const json::object object = answer(*snapshot, id, end, terms);
  if (arguments.as_json) {
    fmt::print("{}\n", emul::json_text(object));
    return;
  }
  if (!snapshot->labels.origin) {
    fmt::print("Times are seconds from {:%Y-%m-%dT%H:%M:%S}Z.\n",
               fmt::gmtime(static_cast<std::time_t>(origin.to_seconds())));
  }
  fmt::print("{} on {} ends at {}; now is {}\n{}", arguments.job,
             held->resources.node_count() == 1
                 ? std::string("1 node")
                 : fmt::format("{} nodes", held->resources.node_count()),
             emul::relative_text(held->span.end, origin), emul::relative_text(now, origin),
             emul::impact_text(object));
}

}  // namespace

void add_impact(CLI::App& app) {
  auto arguments = std::make_shared<ImpactArguments>();
  CLI::App* command = app.add_subcommand(
      "impact", "What would another end of a running job do, and how far is it free?");
  command->add_option("SNAPSHOT", arguments->file, "a snapshot (docs/snapshots.md)")->required();
  command->add_option("JOBID", arguments->job, "a running job: its id or its name")->required();
  command
      ->add_option("DURATION", arguments->duration,
                   "as in `flux update`: +1h, 90m (the whole duration), 0 (unlimited); to\n"
                   "shorten write `-- -30m`")
      ->required();
  command->add_flag("--json", arguments->as_json, "one JSON object");
  add_config_options(*command, arguments->config);
  command->footer(R"(Examples:
  tenure run examples/extension.yaml --until 5m --snapshot state.json
  tenure impact state.json A +10m
  tenure impact state.json A +10m --json

Whether the new end would be accepted, who would start later or earlier, from when to when,
and the frontier: until when the job delays nobody, and what each further step costs.
Nothing changes. docs/impact.md has the fields.
Exit status: 0, whatever the answer; 2 the input is wrong.)");
  command->callback([arguments] { impact(*arguments); });
}

}  // namespace tenure::cli
