// tenure sim: replay a trace, or a generated workload, and measure the policy.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>

#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "emul/extend_rule.hpp"
#include "emul/jobs_csv.hpp"
#include "emul/lublin.hpp"
#include "emul/output.hpp"
#include "emul/replay.hpp"
#include "emul/scenario.hpp"
#include "emul/schedule_csv.hpp"
#include "emul/swf_writer.hpp"
#include "emul/workload.hpp"
#include "report/sim_report.hpp"
#include "sched/config.hpp"

namespace tenure::cli {
namespace {

namespace json = boost::json;

struct SimArguments {
  std::string trace;
  std::string model;
  std::optional<std::uint64_t> seed;
  std::optional<std::size_t> jobs;
  std::optional<double> overestimate;
  std::optional<double> too_short;
  emul::MachineWish machine;
  bool share = false;
  std::string extend;
  bool no_baseline = false;
  std::string until;
  std::string jobs_csv;
  std::string schedule_csv;
  std::string swf;
  std::string output;
  std::string format = "text";
  bool quiet = false;
  json::object config;
};

template <class T>
T or_fail(Result<T> result) {
  if (!result) fail(result.error());
  return *std::move(result);
}

Duration monotonic_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return Duration::microseconds(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux: KiB
}

void require_folder(std::string_view option, const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return;
  fail(failure(ErrorCode::io, "{}: {} is not a folder", option, folder.string()));
}

void refuse_contradictions(const SimArguments& arguments) {
  const bool is_model = !arguments.model.empty();
  if (arguments.trace.empty() != is_model) {
    fail(failure(ErrorCode::invalid,
                 "{}; give a trace (TRACE.swf or TRACE.swf.gz) or --model lublin, one of the two",
                 is_model ? "both a trace and --model" : "neither a trace nor --model"));
  }
  if (!is_model && (arguments.seed || arguments.overestimate || arguments.too_short)) {
    fail(
        failure(ErrorCode::invalid,
                "--seed, --overestimate and --too-short: only with --model; a trace has its jobs"));
  }
  if (arguments.extend.empty() && arguments.no_baseline) {
    fail(failure(ErrorCode::invalid, "--no-baseline: only with --extend"));
  }
  // Better now than after a long replay.
  require_folder("--jobs-csv", arguments.jobs_csv);
  require_folder("--schedule-csv", arguments.schedule_csv);
  require_folder("--swf", arguments.swf);
  require_folder("--output", arguments.output);
}

emul::Workload generate(const SimArguments& arguments, emul::MachineShape machine) {
  emul::LublinOptions options;
  options.machine = machine;
  options.jobs = arguments.jobs.value_or(options.jobs);
  options.seed = arguments.seed.value_or(options.seed);
  options.overestimate = arguments.overestimate.value_or(options.overestimate);
  options.too_short = arguments.too_short.value_or(options.too_short);
  return or_fail(emul::generate_lublin(options));
}

/// Jobs and machine, from the trace or the model.
std::pair<emul::Workload, emul::MachineShape> load(const SimArguments& arguments) {
  if (arguments.model.empty()) {
    emul::Workload workload = or_fail(emul::read_workload(arguments.trace));
    const auto machine = emul::machine_of(workload.header, arguments.machine);
    if (!machine) fail(within(arguments.trace, machine.error()));
    return {std::move(workload), *machine};
  }
  emul::MachineWish wish = arguments.machine;
  if (!wish.nodes) wish.nodes = emul::LublinOptions{}.machine.nodes;
  const emul::MachineShape machine = or_fail(emul::machine_of(emul::SwfHeader{}, wish));
  return {generate(arguments, machine), machine};
}

emul::ReplayOptions replay_options(const SimArguments& arguments) {
  emul::ReplayOptions options;
  options.config = or_fail_with_options(sched::Config{}, arguments.config);
  if (arguments.share) options.sharing = emul::Sharing::cores;
  if (!arguments.jobs_csv.empty()) options.keep_ranks = emul::KeepRanks::yes;
  if (!arguments.output.empty()) {
    options.keep_ranks = emul::KeepRanks::yes;
    options.keep_announcements = emul::KeepAnnouncements::yes;
  }
  if (arguments.jobs) options.jobs = *arguments.jobs;
  if (!arguments.extend.empty()) {
    const auto rule = emul::parse_extend_rule(arguments.extend);
    if (!rule) fail(within("--extend", rule.error()));
    options.extend = *rule;
  }
  if (!arguments.until.empty()) {
    const auto until = emul::parse_duration(arguments.until);
    if (!until) fail(within("--until", until.error()));
    options.until = *until;
  }
  options.stopwatch = monotonic_now;
  return options;
}

emul::Replay replay(const emul::Workload& workload, emul::ReplayOptions options,
                    std::string_view label, Drawing drawing) {
  ProgressBar bar{std::string(label), drawing};
  options.progress = [&bar](std::size_t ended, std::size_t all) { bar.show(ended, all); };
  return or_fail(emul::replay(workload, options));
}

void print(const report::SimReport& result, const std::string& format) {
  const std::string text =
      format == "json" ? emul::json_text(report::to_json(result)) + "\n" : report::to_text(result);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0) {
    fail(failure(ErrorCode::io, "standard output: could not be written"));
  }
}

/// The replay in the forms of others.
void write_tables(const SimArguments& arguments, const report::SimReport& report) {
  const emul::Replay& replay = *report.replay;
  const emul::Workload& workload = *report.workload;
  const auto write = [](const std::string& path, const std::string& text) {
    if (const auto written = replace_file(path, text); !written) fail(written.error());
  };
  if (!arguments.jobs_csv.empty()) {
    const auto written =
        emul::write_jobs_csv(arguments.jobs_csv, replay.jobs, {workload.name, workload.epoch});
    if (!written) fail(written.error());
  }
  if (!arguments.schedule_csv.empty()) {
    const auto& passes = replay.pass_seconds;
    write(arguments.schedule_csv,
          emul::format_schedule_csv(replay.jobs, {.horizon = replay.horizon,
                                                  .version = "tenure " TENURE_VERSION,
                                                  .scheduling_seconds = std::accumulate(
                                                      passes.begin(), passes.end(), 0.0),
                                                  .simulation_seconds = report.wall_seconds}));
  }
  if (!arguments.swf.empty()) {
    const bool cores = report.options->sharing == emul::Sharing::cores;
    const emul::MachineShape& machine = report.options->machine;
    const std::string note = fmt::format("replay of {} by tenure " TENURE_VERSION, workload.name);
    write(arguments.swf,
          emul::format_swf(replay.jobs, {.header = &workload.header,
                                         .epoch = workload.epoch,
                                         .machine = machine,
                                         .procs_per_unit = cores ? 1 : machine.cores_per_node,
                                         .note = note}));
  }
}

void simulate(const SimArguments& arguments) {
  refuse_contradictions(arguments);
  emul::ReplayOptions options = replay_options(arguments);
  auto [workload, machine] = load(arguments);
  options.machine = machine;
  const Drawing drawing =
      !arguments.quiet && is_terminal(STDERR_FILENO) ? Drawing::on : Drawing::off;

  const Duration began = monotonic_now();
  std::optional<emul::Replay> baseline;
  if (options.extend && !arguments.no_baseline) {
    emul::ReplayOptions without = options;
    without.extend.reset();
    without.keep_ranks = emul::KeepRanks::no;
    without.keep_announcements = emul::KeepAnnouncements::no;
    baseline = replay(workload, std::move(without), "baseline", drawing);
  }
  const emul::Replay result = replay(workload, options, "replay", drawing);

  report::SimReport report;
  report.workload = &workload;
  report.options = &options;
  if (!arguments.model.empty()) report.seed = arguments.seed.value_or(emul::LublinOptions{}.seed);
  report.replay = &result;
  report.baseline = baseline ? &*baseline : nullptr;
  report.wall_seconds = (monotonic_now() - began).to_seconds();
  report.peak_memory_bytes = peak_memory_bytes();
  print(report, arguments.format);
  write_tables(arguments, report);
  if (!arguments.output.empty()) {
    const auto written = report::write_result(arguments.output, report, "tenure " TENURE_VERSION);
    if (!written) fail(written.error());
  }
  for (const std::string& fault : result.faults) {
    fmt::print(stderr, "tenure: fault of the scheduler: {}\n", fault);
  }
  if (!result.faults.empty()) throw CliExit{ExitStatus::fault};
}

void add_workload_options(CLI::App& command, SimArguments& arguments) {
  command.add_option("TRACE", arguments.trace,
                     "a trace in Standard Workload Format, packed by gzip or not");
  command
      .add_option("--model", arguments.model,
                  "generate the workload instead: lublin (Lublin and Feitelson 2003)")
      ->check(CLI::IsMember({"lublin"}));
  command.add_option("--seed", arguments.seed, "of the model; default 1");
  command.add_option("--overestimate", arguments.overestimate,
                     "model: walltime as a multiple of the run time; default 1");
  command.add_option("--too-short", arguments.too_short,
                     "model: share of jobs, 0 to 1, that ask for less than they need; default 0");
  command
      .add_option("--jobs", arguments.jobs,
                  "only the first so many; with --model how many, default 10000")
      ->check(CLI::Range(std::size_t{1}, emul::kMaxWorkloadJobs));
  command
      .add_option("--until", arguments.until,
                  "stop so long after the first submission: seconds or a duration such as 7d")
      ->type_name("TIME");
  command.add_option("--nodes", arguments.machine.nodes,
                     "nodes of the machine; default: the trace's, or 256");
  command.add_option("--cores-per-node", arguments.machine.cores_per_node,
                     "default: the trace's processors a node, or 1");
  command.add_flag("--share", arguments.share,
                   "jobs ask for cores anywhere instead of whole nodes");
}

void add_output_options(CLI::App& command, SimArguments& arguments) {
  command
      .add_option("--extend", arguments.extend,
                  "jobs that their limit would kill ask for more: lead=10m,amount=1h,max=3\n"
                  "(amount: a duration or a part of the walltime such as 25%)")
      ->type_name("RULE");
  command.add_flag("--no-baseline", arguments.no_baseline,
                   "with --extend: no second replay without extensions to compare with");
  command
      .add_option("--jobs-csv", arguments.jobs_csv,
                  "write one row a job, with the columns of Batsim's _jobs.csv")
      ->type_name("FILE");
  command
      .add_option("--schedule-csv", arguments.schedule_csv,
                  "write the summary as one row, with the columns of Batsim's _schedule.csv")
      ->type_name("FILE");
  command
      .add_option("--swf", arguments.swf,
                  "write the replay in Standard Workload Format, waits and run times included")
      ->type_name("FILE");
  command
      .add_option("-o,--output", arguments.output,
                  "write the whole result as JSON (docs/result.md); `tenure report` reads it")
      ->type_name("FILE");
  command.add_option("--format", arguments.format, "text or json; default text")
      ->check(CLI::IsMember({"text", "json"}));
  command.add_flag("--quiet", arguments.quiet, "no progress bar, even on a terminal");
}

}  // namespace

void add_sim(CLI::App& app) {
  auto arguments = std::make_shared<SimArguments>();
  CLI::App* command =
      app.add_subcommand("sim", "Replay a trace or a generated workload and measure the policy");
  add_workload_options(*command, *arguments);
  add_output_options(*command, *arguments);
  add_config_options(*command, arguments->config);
  command->footer(R"(Examples:
  tenure sim LLNL-Atlas.swf.gz --policy conservative --queue-depth unlimited
  tenure sim KTH-SP2.swf --extend lead=10m,amount=25%,max=3 --jobs-csv jobs.csv
  tenure sim --model lublin --seed 7 --jobs 5000 --nodes 128 --overestimate 2
  tenure sim --model lublin --too-short 0.05 --extend amount=1h,max=24

Jobs ask for whole nodes. What is odd about a trace is counted and reported, never left out.
Traces: docs/traces.md; what the numbers mean: docs/metrics.md.
Exit status: 0; 2 the input is wrong; 3 a fault of the scheduler was found.)");
  command->callback([arguments] { simulate(*arguments); });
}

}  // namespace tenure::cli
