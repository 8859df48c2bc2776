// tenure query: the shell over a resource graph, at a terminal or from a script.
#include <fmt/format.h>
#include <histedit.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/graph_input.hpp"
#include "cli/terminal.hpp"
#include "query/shell.hpp"

namespace tenure::cli {
namespace {

constexpr std::string_view kPrompt = "resource-query> ";

struct QueryArguments {
  std::string file = "conf/default";
  std::string load_format = "grug";
  std::string allowlist;
  std::string subsystems = "CA";
  std::string policy = "first";
  std::string format = "simple";
  std::string traverser = "simple";
  std::vector<std::string> filters;
  std::string graph_format = "dot";
  std::string graph_output;
  std::int64_t reserve = 0;
  bool elapse = false;
  bool no_prompt = false;
  std::string output;
};

/// Bad options of this command are told in the words that scripts know.
[[noreturn]] void refuse(const std::string& text) {
  fmt::print(stderr, "[ERROR] {}\n", text);
  throw CliExit{ExitStatus::mismatch};
}

/// Subsystems by the names of matchers; containment is never auxiliary.
std::optional<std::vector<std::string>> auxiliary_subsystems(std::string name) {
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  static const std::map<std::string, std::optional<std::vector<std::string>>> kMatchers{
      {"CA", {{}}},
      {"IBA", {{"ibnet"}}},
      {"IBBA", {{"ibnetbw"}}},
      {"PFS1BA", {{"pfs1bw"}}},
      {"PA", {{"power"}}},
      {"C+IBA", {{"ibnet"}}},
      {"C+IBBA", {{"ibnetbw"}}},
      {"C+PFS1BA", {{"pfs1bw"}}},
      {"C+PA", {{"power"}}},
      {"IB+IBBA", {{"ibnet", "ibnetbw"}}},
      {"C+P+IBA", {{"power", "ibnet"}}},
      {"VA", {{"virtual1"}}},
      {"V+PFS1BA", {{"virtual1", "pfs1bw"}}},
      {"ALL", std::nullopt},
  };
  const auto found = kMatchers.find(name);
  if (found == kMatchers.end()) {
    refuse(fmt::format("unknown subsystem for --match-subsystems: {}", name));
  }
  return found->second;
}

query::Shell::Options options_of(const QueryArguments& arguments) {
  query::Shell::Options options;
  const auto format = query::parse_format(arguments.format);
  if (!format) refuse(fmt::format("unknown format for --match-format: {}", arguments.format));
  options.format = *format;
  if (arguments.traverser != "simple" && arguments.traverser != "flexible") {
    refuse(fmt::format("unknown policy for --traverser-policy: {}", arguments.traverser));
  }
  if (arguments.traverser == "flexible") options.traverser = query::Shell::Traverser::flexible;
  if (arguments.elapse) options.figures = query::Shell::Figures::shown;
  const auto policy = match::parse_selection_policy(arguments.policy);
  if (!policy) refuse(fmt::format("--match-policy: {}", policy.error().message));
  options.ledger.policy = *policy;
  std::string filters = arguments.filters.empty() ? "ALL:core,ALL:node" : "";
  for (const std::string& filter : arguments.filters) {
    if (!filters.empty() && !filter.empty()) filters += ",";
    filters += filter;
  }
  const auto parsed = match::PruneFilters::parse(filters);
  if (!parsed) refuse(fmt::format("--prune-filters: {}", parsed.error().message));
  options.ledger.filters = *parsed;
  options.ledger.subsystems = auxiliary_subsystems(arguments.subsystems);
  return options;
}

graph::ResourceGraph load(const QueryArguments& arguments) {
  if (!std::filesystem::is_regular_file(arguments.file)) {
    refuse(fmt::format("file does not exist for --load-file: {}", arguments.file));
  }
  const auto format = parse_graph_format(arguments.load_format);
  if (!format) refuse(fmt::format("unknown format for --load-format: {}", arguments.load_format));
  auto graph = load_graph(arguments.file, *format);
  if (!graph) refuse(graph.error().message);
  graph->mark_up_all();
  return *std::move(graph);
}

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// Where results go: standard output, or the file of -t.
class Results {
 public:
  explicit Results(const std::string& path) {
    if (path.empty()) return;
    file_.open(path, std::ios::trunc);
    if (!file_) refuse(fmt::format("can't open {} for --test-output", path));
  }
  void write(std::string_view text) {
    if (file_.is_open()) {
      file_ << text;
      file_.flush();
    } else {
      std::fwrite(text.data(), 1, text.size(), stdout);
    }
  }

 private:
  std::ofstream file_;
};

/// Line editing and history of libedit.
class Editor {
 public:
  Editor() : history_(history_init()), editor_(el_init("tenure", stdin, stdout, stderr)) {
    HistEvent event;
    history(history_, &event, H_SETSIZE, 1000);
    el_set(editor_, EL_PROMPT, &prompt);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_HIST, history, history_);
    el_source(editor_, nullptr);
  }
  ~Editor() {
    el_end(editor_);
    history_end(history_);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  std::optional<std::string> next() {
    int length = 0;
    const char* text = el_gets(editor_, &length);
    if (text == nullptr || length <= 0) return std::nullopt;
    HistEvent event;
    history(history_, &event, H_ENTER, text);
    return std::string(text, static_cast<std::size_t>(length));
  }

 private:
  static char* prompt(EditLine*) {
    static std::string text(kPrompt);
    return text.data();
  }
  History* history_;
  EditLine* editor_;
};

void run_lines(query::Shell& shell, const QueryArguments& arguments) {
  if (is_terminal(STDIN_FILENO) && !arguments.no_prompt) {
    Editor editor;
    while (const auto line = editor.next()) {
      if (shell.execute(*line) == query::Shell::Next::quit) return;
    }
    return;
  }
  std::string line;
  const auto ask = [&] {
    if (!arguments.no_prompt) fmt::print("{}", kPrompt);
  };
  for (ask(); std::getline(std::cin, line); ask()) {
    if (shell.execute(line) == query::Shell::Next::quit) return;
  }
}

void query(const QueryArguments& arguments) {
  const auto options = options_of(arguments);
  constexpr std::int64_t kMaxReserve = 2'000'000;
  if (arguments.reserve < 0 || arguments.reserve > kMaxReserve) {
    fmt::print(stderr, "[WARN] --reserve-vtx-vec: {} is not in 1..{}: ignored\n", arguments.reserve,
               kMaxReserve);
  }
  const double before = seconds_now();
  graph::ResourceGraph graph = load(arguments);
  if (arguments.elapse) show_load_figures(graph, seconds_now() - before);
  Results results(arguments.output);
  query::Shell shell(
      std::move(graph), options,
      {.result = [&](std::string_view text) { results.write(text); },
       .info = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); },
       .error =
           [](std::string_view text) {
             std::fflush(stdout);
             std::fwrite(text.data(), 1, text.size(), stderr);
           },
       .read_file = [](const std::string& path) { return read_file(path); },
       .seconds = seconds_now});
  run_lines(shell, arguments);
  if (std::fflush(stdout) != 0) {
    fail(failure(ErrorCode::io, "standard output: could not be written"));
  }
}

}  // namespace

void add_query(CLI::App& app) {
  auto arguments = std::make_shared<QueryArguments>();
  CLI::App* command = app.add_subcommand(
      "query", "Ask a resource graph: a shell with the commands of resource-query");
  command->add_option("-L,--load-file", arguments->file, "the graph")->capture_default_str();
  command
      ->add_option("-f,--load-format", arguments->load_format,
                   "grug, hwloc, jgf, jgf_shorthand, rv1exec or rv1exec_force")
      ->capture_default_str();
  command->add_option("-W,--load-allowlist", arguments->allowlist,
                      "types to load from hwloc, comma-separated");
  command
      ->add_option("-S,--match-subsystems", arguments->subsystems,
                   "CA IBA IBBA PFS1BA PA C+IBA C+IBBA C+PFS1BA C+PA IB+IBBA C+P+IBA VA V+PFS1BA\n"
                   "ALL")
      ->capture_default_str();
  command
      ->add_option("-P,--match-policy", arguments->policy,
                   "first, firstnodex, low, high, lonode, hinode, lonodex, hinodex, locality,\n"
                   "variation, or \"policy=high node_centric=true …\"")
      ->capture_default_str();
  command
      ->add_option("-F,--match-format", arguments->format,
                   "simple, pretty_simple, jgf, jgf_shorthand, rlite, rv1, rv1_nosched,\n"
                   "rv1_shorthand")
      ->capture_default_str();
  command
      ->add_option("-T,--traverser-policy", arguments->traverser,
                   "simple, or flexible for or_slot and xor_slot")
      ->capture_default_str();
  command
      ->add_option("-p,--prune-filters", arguments->filters,
                   "HL:LL[,HL:LL…], \"\" for none; default ALL:core,ALL:node. Speed only")
      ->allow_extra_args(false);
  command->add_option("-g,--graph-format", arguments->graph_format, "of -o: dot or graphml")
      ->capture_default_str();
  command->add_option("-o,--graph-output", arguments->graph_output,
                      "write the graph to BASENAME.dot or .graphml at the end");
  command->add_option("-r,--reserve-vtx-vec", arguments->reserve, "taken and ignored");
  command->add_flag("-e,--elapse-time", arguments->elapse, "print load and match figures");
  command->add_flag("-d,--disable-prompt", arguments->no_prompt, "no prompt");
  command->add_option("-t,--test-output", arguments->output, "results go to this file");
  command->footer(
      R"(Reads commands from standard input, one a line; `help` lists them. docs/query.md says what
each prints.
Examples:
  tenure query -L machine.graphml -P low
  tenure query -L R.json -f rv1exec -F rv1_nosched -d <script
Exit status: 0; 1 a bad option or a graph that cannot be loaded.)");
  command->callback([arguments] { query(*arguments); });
}

}  // namespace tenure::cli
