// tenure run: play a scenario file on the emulated instance.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "emul/scenario.hpp"
#include "emul/scenario_runner.hpp"
#include "report/run_result.hpp"
#include "sched/config.hpp"
#include "sched/snapshot.hpp"

namespace tenure::cli {

namespace {

struct RunArguments {
  std::string file;
  std::string format;
  std::string until;
  std::string snapshot;
  std::string output;
  boost::json::object config;
};

std::unique_ptr<emul::Output> make_output(const std::string& format) {
  const bool text = format.empty() ? is_terminal(STDOUT_FILENO) : format == "text";
  if (!text) return emul::jsonl_output(std::cout);
  emul::TextStyle style;
  style.width = terminal_width(STDOUT_FILENO);
  style.colour =
      wants_colour(STDOUT_FILENO) ? emul::TextStyle::Colour::yes : emul::TextStyle::Colour::no;
  return emul::text_output(std::cout, style);
}

/// The state of the scheduler, with the scenario's labels and its time 0.
std::string snapshot_of(const emul::Instance& instance, Time start) {
  const plan::Engine& engine = instance.scheduler().engine();
  sched::SnapshotLabels labels{.names = {}, .origin = start};
  for (const auto& [id, allocation] : engine.allocations()) labels.names[id] = instance.label(id);
  engine.for_each_pending(
      [&](const plan::PendingJob& job) { labels.names[job.id] = instance.label(job.id); });
  return sched::to_text(sched::write_snapshot(instance.scheduler(), instance.now(), labels));
}

std::string result_of(const report::RunRecorder& recorder, const emul::Scenario& scenario) {
  report::ResultHead head;
  head.producer = "tenure " TENURE_VERSION;
  head.name = std::filesystem::path(scenario.file).stem().string();
  head.config = sched::to_json(scenario.config);
  return recorder.result(std::move(head), scenario.start);
}

void run(const RunArguments& arguments) {
  emul::RunOptions options;
  if (!arguments.until.empty()) {
    const auto until = emul::parse_duration(arguments.until);
    if (!until) fail(within("--until", until.error()));
    options.until = *until;
  }
  or_fail_with_options(sched::Config{}, arguments.config);
  const auto scenario = emul::read_scenario(arguments.file, arguments.config);
  if (!scenario) fail(scenario.error());
  report::RunRecorder recorder;
  if (!arguments.output.empty()) {
    options.observer = &recorder;
    options.at_start = [&](const emul::Instance& instance) { recorder.watch(instance); };
  }
  Result<void> snapshot_written;
  Result<void> result_written;
  options.at_end = [&](const emul::Instance& instance) {
    if (!arguments.snapshot.empty()) {
      snapshot_written = replace_file(arguments.snapshot, snapshot_of(instance, scenario->start));
    }
    if (!arguments.output.empty()) {
      result_written = replace_file(arguments.output, result_of(recorder, *scenario));
    }
  };
  const auto output = make_output(arguments.format);
  const auto outcome = emul::run_scenario(*scenario, options, *output);
  if (!outcome) fail(outcome.error());
  std::cout.flush();
  if (!std::cout) fail(failure(ErrorCode::io, "standard output: could not be written"));
  if (!snapshot_written) fail(within("--snapshot", snapshot_written.error()));
  if (!result_written) fail(within("--output", result_written.error()));
  for (const std::string& mismatch : outcome->mismatches) {
    fmt::print(stderr, "tenure: {}\n", mismatch);
  }
  for (const std::string& fault : outcome->faults) {
    fmt::print(stderr, "tenure: fault of the scheduler: {}\n", fault);
  }
  if (!outcome->faults.empty()) throw CliExit{ExitStatus::fault};
  if (!outcome->mismatches.empty()) throw CliExit{ExitStatus::mismatch};
}

}  // namespace

void add_run(CLI::App& app) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Play a scenario and print what is decided");
  command->add_option("FILE", arguments->file, "the scenario (YAML or JSON; docs/scenarios.md)")
      ->required();
  command
      ->add_option("--format", arguments->format,
                   "text or jsonl; default: text on a terminal, else jsonl")
      ->check(CLI::IsMember({"text", "jsonl"}));
  command
      ->add_option("--until", arguments->until,
                   "stop at this virtual time: seconds or a duration such as 1.5h")
      ->type_name("TIME");
  command
      ->add_option("--snapshot", arguments->snapshot,
                   "write the scheduler's state at the end (see --until) to this file;\n"
                   "`tenure plan` reads it (docs/snapshots.md)")
      ->type_name("FILE");
  command
      ->add_option("-o,--output", arguments->output,
                   "write the whole result as JSON (docs/result.md); `tenure report` reads it")
      ->type_name("FILE");
  add_config_options(*command, arguments->config);
  command->footer(R"(Example, FILE:
  cluster: {nodes: 4, cores: 8}
  config: {policy: conservative}
  events:
    - {at: 0,  submit: {id: A, nodes: 4, duration: 60s}}
    - {at: 1,  submit: {id: B, nodes: 4, duration: 60s}}
    - {at: 10, update: {id: A, duration: +10m}}
    - {at: 11, plan: {}}
    - {at: 12, expect: {planned: {B: 660}}}

Configuration options go over the file's own config.
Exit status: 0; 1 an expectation failed; 2 the input is wrong; 3 the invariant checker
found a fault of the scheduler.)");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace tenure::cli
