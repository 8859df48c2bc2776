// tenure report: result files as one HTML page.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/commands.hpp"
#include "report/page.hpp"
#include "report/result.hpp"
#include "report/run_result.hpp"
#include "sched/snapshot.hpp"

namespace tenure::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> results;
  std::string output;
};

std::string read_result(const std::string& path) {
  auto text = read_file(path);
  if (!text) fail(text.error());
  if (sched::is_snapshot(*text)) {
    auto snapshot = sched::read_snapshot_text(*text);
    if (!snapshot) fail(within(path, snapshot.error()));
    const std::string name = std::filesystem::path(path).stem().string();
    return report::snapshot_result(*snapshot, name, "tenure " TENURE_VERSION);
  }
  if (const auto checked = report::parse_result(*text); !checked) {
    fail(within(path, checked.error()));
  }
  return *std::move(text);
}

void make_report(const ReportArguments& arguments) {
  if (arguments.results.size() > report::kMaxPageResults) {
    fail(failure(ErrorCode::limit, "{} results; a page has room for {}", arguments.results.size(),
                 report::kMaxPageResults));
  }
  std::vector<std::string> results;
  for (const std::string& path : arguments.results) results.push_back(read_result(path));
  if (const auto written = report::write_page(arguments.output, results); !written) {
    fail(written.error());
  }
}

}  // namespace

void add_report(CLI::App& app) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command =
      app.add_subcommand("report", "Make one HTML page of results, to look at and to send");
  command
      ->add_option("RESULT", arguments->results,
                   "result files (`tenure sim … -o RESULT`, `tenure run … -o RESULT`) or\n"
                   "snapshots; of several, differences come first")
      ->required();
  command->add_option("-o,--output", arguments->output, "the page")
      ->type_name("FILE.html")
      ->required();
  command->footer(R"(Examples:
  tenure sim KTH-SP2.swf --policy easy -o easy.json
  tenure sim KTH-SP2.swf --policy conservative -o conservative.json
  tenure report easy.json conservative.json -o report.html
  tenure run examples/extension.yaml -o run.json && tenure report run.json -o run.html

The page works offline and from a mail attachment. See docs/report.md.
Exit status: 0; 2 the input is wrong.)");
  command->callback([arguments] { make_report(*arguments); });
}

}  // namespace tenure::cli
