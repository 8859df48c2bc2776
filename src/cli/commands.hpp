// The subcommands of `tenure`: each adds itself to the command line and says how to run it.
//
// A subcommand's callback returns by throwing CliExit with the exit status, or normally for
// success. Exit status: 0 success, 1 an expectation failed, 2 the input is wrong, 3 the
// invariant checker found a fault of the scheduler.
#pragma once

#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "sched/config.hpp"

namespace tenure::cli {

enum class ExitStatus { success = 0, mismatch = 1, bad_input = 2, fault = 3 };

/// Ends the program with a status after whatever had to be said was said.
struct CliExit {
  ExitStatus status;
};

/// Prints "tenure: MESSAGE" on stderr and ends with status 2.
[[noreturn]] void fail(const Error& error);

/// Adds one option a configuration key (--policy, --queue-depth, …) that collects into
/// `values`, which must outlive the parse.
void add_config_options(CLI::App& command, boost::json::object& values);

/// `config` with the options of add_config_options() over it; fails on a bad one, named as it
/// was given ("--policy: …").
sched::Config or_fail_with_options(const sched::Config& config, const boost::json::object& values);

void add_run(CLI::App& app);
void add_plan(CLI::App& app);
void add_impact(CLI::App& app);
void add_sim(CLI::App& app);
void add_report(CLI::App& app);
void add_query(CLI::App& app);
void add_graph(CLI::App& app);

}  // namespace tenure::cli
