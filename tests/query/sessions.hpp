// Sessions of the query shell as files: NAME.opts and NAME.in give NAME.out (results), NAME.stdout
// and NAME.stderr; what is missing is empty. Times of matches, which vary, are compared as "T".
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "graph/formats/grug.hpp"
#include "graph/formats/jgf.hpp"
#include "graph/formats/r.hpp"
#include "query/shell.hpp"

namespace tenure::query {

struct Session {
  std::string result;
  std::string info;
  std::string error;
};

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// "INFO: 1, ALLOCATED, 0, a.yaml, 0.00055" without the time.
inline std::string without_times(const std::string& text) {
  static const std::regex kTime("(INFO: [^\n]*, )[0-9.e-]+\n");
  return std::regex_replace(text, kTime, "$1T\n");
}

inline graph::ResourceGraph load(const std::filesystem::path& path, const std::string& format) {
  const std::string text = text_of(path);
  auto graph = [&] {
    if (format == "jgf") return std::move(graph::read_jgf_graph(text)->graph);
    if (format == "rv1exec") {
      return std::move(graph::read_inventory(boost::json::parse(text))->graph);
    }
    return *graph::read_grug(text);
  }();
  graph.mark_up_all();
  return graph;
}

/// Plays NAME.in in the folder, with the options of NAME.opts.
inline Session play(const std::filesystem::path& folder, const std::string& name) {
  Shell::Options options;
  std::string filters = "ALL:core,ALL:node";
  std::string graph_file;
  std::string graph_format = "grug";
  options.ledger.policy = *match::parse_selection_policy("first");
  std::istringstream words(text_of(folder / (name + ".opts")));
  for (std::string option, value; words >> option >> value;) {
    if (option == "-L") graph_file = value;
    if (option == "-f") graph_format = value;
    if (option == "-P") options.ledger.policy = *match::parse_selection_policy(value);
    if (option == "-F") options.format = *parse_format(value);
    if (option == "-T" && value == "flexible") options.traverser = Shell::Traverser::flexible;
    if (option == "-p") filters = value;
    if (option == "-S" && value == "CA") options.ledger.subsystems.emplace();
  }
  options.ledger.filters = *match::PruneFilters::parse(filters);
  Session session;
  Shell shell(
      load(folder / graph_file, graph_format), options,
      {.result = [&](std::string_view text) { session.result += text; },
       .info = [&](std::string_view text) { session.info += text; },
       .error = [&](std::string_view text) { session.error += text; },
       .read_file = [&](const std::string& path) { return tenure::read_file(folder / path); },
       .seconds = [] { return 0.5; }});
  std::istringstream lines(text_of(folder / (name + ".in")));
  for (std::string line; std::getline(lines, line);) {
    if (shell.execute(line) == Shell::Next::quit) break;
  }
  return session;
}

/// The names of the sessions of a folder, in order.
inline std::vector<std::string> sessions_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".in") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tenure::query
