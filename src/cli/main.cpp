// tenure: the command line. One file a subcommand; this one only dispatches.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.hpp"

namespace {

using tenure::cli::CliExit;
using tenure::cli::ExitStatus;

int parse_and_run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);  // --help, --version
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "tenure: {}\nTry `tenure --help`, or --help behind a subcommand.\n",
               error.what());
    return static_cast<int>(ExitStatus::bad_input);
  } catch (const CliExit& exit) {
    return static_cast<int>(exit.status);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Tenure: a batch scheduler for Flux in which the end of a running job may move\n"
      "at any time and the plan stays exact.");
  app.name("tenure");
  app.set_version_flag("--version", "tenure " TENURE_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  tenure::cli::add_run(app);
  tenure::cli::add_plan(app);
  tenure::cli::add_impact(app);
  tenure::cli::add_sim(app);
  tenure::cli::add_report(app);
  tenure::cli::add_query(app);
  tenure::cli::add_graph(app);
  return parse_and_run(app, argc, argv);
}
