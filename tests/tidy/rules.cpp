#include "tidy/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <string_view>

namespace tenure::tidy {

namespace {

/// "graph" for src/graph/formats/r.hpp; empty outside src/.
std::string layer_of(std::string_view path) {
  constexpr std::string_view kRoot = "src/";
  if (!path.starts_with(kRoot)) return {};
  path.remove_prefix(kRoot.size());
  const std::size_t end = path.find('/');
  return end == std::string_view::npos ? std::string() : std::string(path.substr(0, end));
}

/// What each layer may include besides itself; docs/design/layers.md has the picture.
const std::map<std::string, std::set<std::string>>& allowed_includes() {
  static const std::map<std::string, std::set<std::string>> kAllowed = [] {
    std::map<std::string, std::set<std::string>> allowed;
    allowed["base"] = {};
    allowed["graph"] = {"base"};
    allowed["jobspec"] = {"base", "graph"};
    allowed["profile"] = {"base", "graph"};
    allowed["match"] = {"base", "graph", "jobspec", "profile"};
    const auto above = [&](const std::string& layer, const std::string& below) {
      allowed[layer] = allowed[below];
      allowed[layer].insert(below);
    };
    above("query", "match");
    above("plan", "match");
    above("sched", "plan");
    above("emul", "sched");
    above("report", "emul");
    above("cli", "report");
    allowed["cli"].insert("query");
    above("flux", "report");
    return allowed;
  }();
  return kAllowed;
}

/// What a line includes of this project: in quotes, or a header of a layer in angle brackets.
std::optional<std::string> included(const std::string& line) {
  static const std::regex kInclude("^#\\s*include\\s*([\"<])([^\">]+)[\">]");
  std::smatch match;
  if (!std::regex_search(line, match, kInclude)) return std::nullopt;
  std::string path = match[2].str();
  // <flux/core.h> belongs to flux-core; the headers here end in .hpp.
  const bool of_layer =
      path.ends_with(".hpp") && allowed_includes().contains(layer_of("src/" + path));
  if (match[1].str() == "<" && !of_layer) return std::nullopt;
  return path;
}

/// A pattern with the layers that may use it; no layers: nobody in src/.
struct Ban {
  std::string what;
  std::regex pattern;
  std::set<std::string> allowed_layers;
  std::set<std::string> allowed_files;
};

const std::vector<Ban>& bans() {
  // The engine and its peer (base to sched): no clock, thread, file, output, randomness.
  const std::set<std::string> outside{"emul", "report", "cli", "flux"};
  const std::set<std::string> adapters{"cli", "flux"};
  static const std::vector<Ban> kBans{
      {"std::endl flushes: write '\\n'", std::regex("\\bstd::endl\\b"), {}, {}},
      {"assert disappears in release: CHECK", std::regex("(^|[^_\\w])assert\\s*\\("), {}, {}},
      {"owning new: make_unique or a value", std::regex("\\bnew\\b"), {}, {}},
      {"malloc: a container", std::regex("\\b(malloc|calloc|realloc)\\s*\\("), {}, {}},
      {"delete: unique_ptr owns", std::regex("(^|[^=\\s\\w]|[^=\\s]\\s+|^\\s*)delete\\b"), {}, {}},
      {"using namespace", std::regex("\\busing\\s+namespace\\b"), {}, {}},
      {"goto", std::regex("\\bgoto\\b"), {}, {}},
      {"an untyped parameter", std::regex("\\bvoid\\s*\\*\\s*\\w*\\s*[,)]"), {"flux"}, {}},
      {"the library does not print",
       std::regex("\\bstd::(cout|cerr|clog)\\b|\\b(f|v|vf)?printf\\s*\\(|\\b(puts|fputs|putchar|"
                  "fwrite|perror)\\s*\\(|\\bfmt::print\\s*\\(\\s*(std(out|err)\\b|\")|"
                  "#\\s*include\\s+<iostream>"),
       adapters,
       {"src/base/check.cpp"}},
      {"a clock: `now` is a parameter",
       std::regex("\\b(system|steady|high_resolution)_clock\\b|\\b(clock_gettime|gettimeofday|"
                  "localtime|gmtime|mktime)\\b|\\bstd::time\\s*\\(|\\btime\\s*\\(\\s*(NULL|nullptr|"
                  "0)\\s*\\)|#\\s*include\\s+<chrono>"),
       outside,
       {}},
      {"randomness: decisions are pure functions",
       std::regex("\\bs?rand\\s*\\(|\\brandom_device\\b|\\bmt19937|#\\s*include\\s+<random>"),
       outside,
       {}},
      {"a thread or a lock: the engine is a state machine",
       std::regex("\\bstd::(thread|jthread|async|mutex|shared_mutex|condition_variable|atomic)\\b|"
                  "#\\s*include\\s+<(thread|mutex|shared_mutex|future|atomic)>|"
                  "\\bthread_local\\b|\\bpthread_|\\bsleep_(for|until)\\b|\\bu?sleep\\s*\\("),
       adapters,
       {}},
      {"the environment is the adapters'", std::regex("\\b(secure_)?getenv\\b"), adapters, {}},
      {"files belong to the adapters",
       std::regex("\\bstd::([io]?fstream|filesystem)\\b|\\bf(re)?open\\s*\\(|"
                  "#\\s*include\\s+(<(fstream|filesystem)>|\"base/file\\.hpp\")"),
       outside,
       {"src/base/file.hpp", "src/base/file.cpp"}},
      {"errno exists only in src/flux and where files are read",
       std::regex("\\berrno\\b"),
       {"flux"},
       {"src/base/file.cpp"}},
  };
  return kBans;
}

std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::vector<Finding> check_layers(const SourceFile& file) {
  std::vector<Finding> findings;
  const std::string layer = layer_of(file.path);
  if (layer.empty()) return findings;
  const auto& layers = allowed_includes();
  const auto own = layers.find(layer);
  if (own == layers.end()) return {{file.path, 0, fmt::format("{}: no such layer", layer)}};
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const auto path = included(file.code[i]);
    if (!path) continue;
    const std::string target = layer_of("src/" + *path);
    if (target == layer || own->second.contains(target)) continue;
    const bool known = layers.contains(target);
    findings.push_back({file.path, i + 1,
                        known ? fmt::format("{} must not include {}", layer, target)
                              : fmt::format("\"{}\" does not start with a layer", *path)});
  }
  return findings;
}

std::vector<Finding> check_sizes(const SourceFile& file) {
  std::vector<Finding> findings;
  const std::size_t lines = file.text.size();
  const std::size_t most = file.is_header() ? kMaxHeaderLines : kMaxSourceLines;
  if (lines > most) {
    findings.push_back({file.path, 0, fmt::format("{} lines, at most {}", lines, most)});
  }
  for (std::size_t i = 0; i < lines; ++i) {
    const std::size_t width = columns(file.text[i]);
    if (width <= kMaxColumns) continue;
    findings.push_back(
        {file.path, i + 1, fmt::format("{} columns, at most {}", width, kMaxColumns)});
  }
  for (const Function& function : functions(file)) {
    const std::size_t length = function.last_line - function.first_line + 1;
    if (length <= kMaxFunctionLines) continue;
    findings.push_back(
        {file.path, function.first_line,
         fmt::format("a function of {} lines, at most {}", length, kMaxFunctionLines)});
  }
  return findings;
}

std::vector<Finding> check_header(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!file.is_header()) return findings;
  if (file.text.empty() || !file.text.front().starts_with("// ")) {
    findings.push_back(
        {file.path, 1, "a header opens with a comment: what it is and where it sits"});
  }
  const auto code = std::ranges::find_if(
      file.code, [](const std::string& line) { return line.find_first_not_of(' ') != line.npos; });
  if (code == file.code.end() || *code != "#pragma once") {
    findings.push_back({file.path, 0, "#pragma once must be the first code of a header"});
  }
  return findings;
}

std::vector<Finding> check_banned(const SourceFile& file) {
  std::vector<Finding> findings;
  const std::string layer = layer_of(file.path);
  if (layer.empty()) return findings;
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    for (const Ban& ban : bans()) {
      if (ban.allowed_layers.contains(layer) || ban.allowed_files.contains(file.path)) continue;
      if (std::regex_search(file.code[i], ban.pattern)) {
        findings.push_back({file.path, i + 1, ban.what});
      }
    }
  }
  return findings;
}

std::vector<Finding> check_text(const SourceFile& file) {
  // Spelled in two parts, so that this file passes its own rule.
  static const std::regex kUnfinished(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b");
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    const std::string& line = file.text[i];
    if (line.ends_with(' ') || line.ends_with('\r')) {
      findings.push_back({file.path, i + 1, "white space at the end of the line"});
    }
    if (line.find('\t') != line.npos) findings.push_back({file.path, i + 1, "a tab"});
    if (std::regex_search(line, kUnfinished)) {
      findings.push_back({file.path, i + 1, "a mark of unfinished work"});
    }
  }
  if (!file.last_line_ends) {
    findings.push_back({file.path, file.text.size(), "the last line has no end"});
  }
  return findings;
}

std::vector<Finding> check_dead_files(std::span<const SourceFile> files,
                                      const std::set<std::string>& compiled) {
  std::set<std::string> included_paths;
  for (const SourceFile& file : files) {
    for (const std::string& line : file.code) {
      if (const auto path = included(line)) included_paths.insert(*path);
    }
  }
  std::vector<Finding> findings;
  for (const SourceFile& file : files) {
    const std::string layer = layer_of(file.path);
    if (layer == "flux") continue;  // compiled where flux-core is installed
    if (!file.is_header() && !compiled.contains(file.path)) {
      findings.push_back({file.path, 0, "no target compiles this file"});
    }
    constexpr std::string_view kRoot = "src/";
    if (!layer.empty() && file.is_header() &&
        !included_paths.contains(file.path.substr(kRoot.size()))) {
      findings.push_back({file.path, 0, "nobody includes this header"});
    }
  }
  return findings;
}

std::vector<Finding> check_file(const SourceFile& file) {
  std::vector<Finding> findings;
  for (const auto& rule : {check_layers, check_sizes, check_header, check_banned, check_text}) {
    const auto found = rule(file);
    findings.insert(findings.end(), found.begin(), found.end());
  }
  return findings;
}

}  // namespace tenure::tidy
