// tenure plan: the whole plan of a scenario at a time, or of a snapshot.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "emul/output.hpp"
#include "emul/scenario.hpp"
#include "emul/scenario_report.hpp"
#include "emul/scenario_runner.hpp"
#include "sched/plan_view.hpp"
#include "sched/snapshot.hpp"

namespace tenure::cli {

namespace {

namespace json = boost::json;

struct PlanArguments {
  std::string file;
  std::string at;
  std::string format;
  json::object config;
};

enum class Format { text, json, mermaid };

Format format_of(const std::string& name) {
  if (name == "json") return Format::json;
  if (name == "mermaid") return Format::mermaid;
  if (name == "text" || is_terminal(STDOUT_FILENO)) return Format::text;
  return Format::json;
}

/// The plan with `t`, its time, and `origin`, the time 0 of all others.
json::object plan_of(const plan::Engine& engine, Time now, Time origin,
                     const emul::JobNames& names) {
  const sched::PlanTerms terms{
      .name = [&](JobId id) { return json::string(names(id).value_or(format_f58(id))); },
      .seconds = [&](Time time) { return emul::relative_seconds(time, origin); },
      .reason =
          [&](const plan::Reason& reason) {
            const auto text = [&](Time time) { return emul::relative_text(time, origin); };
            return emul::with_job_names(plan::describe(reason, text), names);
          }};
  json::object plan{{"t", terms.seconds(now)}, {"origin", emul::relative_seconds(origin, Time())}};
  for (auto& [key, value] : sched::write_plan(engine, now, terms)) plan[key] = std::move(value);
  return plan;
}

void print(const json::object& plan, Format format) {
  std::string text;
  switch (format) {
    case Format::json:
      text = emul::json_text(plan) + "\n";
      break;
    case Format::mermaid:
      text = emul::mermaid(plan, plan.at("origin").to_number<double>() == 0 ? emul::Axis::dates
                                                                            : emul::Axis::seconds);
      break;
    case Format::text: {
      emul::TextStyle style;
      style.width = terminal_width(STDOUT_FILENO);
      style.colour =
          wants_colour(STDOUT_FILENO) ? emul::TextStyle::Colour::yes : emul::TextStyle::Colour::no;
      text = emul::gantt(plan, style);
      break;
    }
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0) {
    fail(failure(ErrorCode::io, "standard output: could not be written"));
  }
}

void plan_snapshot(const PlanArguments& arguments, const std::string& text) {
  if (!arguments.at.empty()) {
    fail(failure(ErrorCode::invalid, "--at: {} is a snapshot, of one moment; leave --at out",
                 arguments.file));
  }
  auto snapshot = sched::read_snapshot_text(text);
  if (!snapshot) fail(within(arguments.file, snapshot.error()));
  const sched::Config config = or_fail_with_options(snapshot->config, arguments.config);
  plan::Engine& engine = *snapshot->engine;
  engine.set_options(config.options);
  engine.plan(snapshot->now);

  const Format format = format_of(arguments.format);
  Time origin = snapshot->labels.origin.value_or(Time());
  if (format == Format::text && origin == Time()) {
    origin = snapshot->now;
    fmt::print("Times are seconds from {:%Y-%m-%dT%H:%M:%S}Z.\n",
               fmt::gmtime(static_cast<std::time_t>(origin.to_seconds())));
  }
  const auto& names = snapshot->labels.names;
  print(plan_of(engine, snapshot->now, origin,
                [&](JobId id) -> std::optional<std::string> {
                  const auto name = names.find(id);
                  if (name == names.end()) return std::nullopt;
                  return name->second;
                }),
        format);
}

/// Events of a run that nobody wants to see.
class NoOutput final : public emul::Output {
 public:
  void write(const json::object&) override {}
};

void plan_scenario(const PlanArguments& arguments, const std::string& text) {
  const auto scenario = emul::read_scenario_text(text, arguments.file, arguments.config);
  if (!scenario) fail(scenario.error());
  emul::RunOptions options;
  options.until =
      scenario->events.empty() ? Duration::zero() : scenario->events.back().at - scenario->start;
  if (!arguments.at.empty()) {
    const auto at = emul::parse_duration(arguments.at);
    if (!at) fail(within("--at", at.error()));
    options.until = *at;
  }
  json::object plan;
  options.at_end = [&](const emul::Instance& instance) {
    plan = plan_of(instance.scheduler().engine(), instance.now(), scenario->start,
                   [&](JobId id) -> std::optional<std::string> {
                     if (instance.state(id) == emul::JobState::unknown) return std::nullopt;
                     return instance.label(id);
                   });
  };
  NoOutput output;
  const auto outcome = emul::run_scenario(*scenario, options, output);
  if (!outcome) fail(outcome.error());
  print(plan, format_of(arguments.format));
  for (const std::string& fault : outcome->faults) {
    fmt::print(stderr, "tenure: fault of the scheduler: {}\n", fault);
  }
  if (!outcome->faults.empty()) throw CliExit{ExitStatus::fault};
}

void plan(const PlanArguments& arguments) {
  or_fail_with_options(sched::Config{}, arguments.config);
  const auto text = read_file(arguments.file);
  if (!text) fail(text.error());
  if (sched::is_snapshot(*text)) return plan_snapshot(arguments, *text);
  plan_scenario(arguments, *text);
}

}  // namespace

void add_plan(CLI::App& app) {
  auto arguments = std::make_shared<PlanArguments>();
  CLI::App* command =
      app.add_subcommand("plan", "Show the whole plan of a scenario or of a snapshot");
  command
      ->add_option("FILE", arguments->file,
                   "a scenario (docs/scenarios.md) or a snapshot (docs/snapshots.md)")
      ->required();
  command
      ->add_option("--at", arguments->at,
                   "scenario: play up to this virtual time, seconds or a duration such as 1.5h;\n"
                   "default: the time of its last event")
      ->type_name("TIME");
  command
      ->add_option("--format", arguments->format,
                   "text, json or mermaid; default: text on a terminal, else json")
      ->check(CLI::IsMember({"text", "json", "mermaid"}));
  add_config_options(*command, arguments->config);
  command->footer(R"(Examples:
  tenure plan examples/extension.yaml --at 10 --format text
  tenure run examples/extension.yaml --until 10 --snapshot state.json
  tenure plan state.json --policy easy

Running jobs, planned starts, and why the others wait. Configuration options go over those
of the file: what would the plan be under another policy?
Exit status: 0; 2 the input is wrong; 3 the invariant checker found a fault of the
scheduler.)");
  command->callback([arguments] { plan(*arguments); });
}

}  // namespace tenure::cli
