#include "tidy/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <sstream>

namespace tenure::tidy {

namespace {

constexpr std::size_t kHeaderLines = 300;
constexpr std::size_t kSourceLines = 800;
constexpr std::size_t kFunctionLines = 70;
constexpr std::size_t kLineColumns = 100;

/// Arrows point down: a layer may include itself and those before it.
constexpr std::array<std::string_view, 12> kLayers{"base",   "graph", "jobspec", "profile",
                                                   "match",  "plan",  "sched",   "emul",
                                                   "report", "cli",   "flux",    "bindings"};
/// No clock, thread, environment, random device or output up to and including this layer.
constexpr std::string_view kLastPureLayer = "sched";

struct Ban {
  const char* pattern;
  const char* why;
  bool pure_layers_only;
};

const std::array<Ban, 11> kBans{{
    {R"(\bstd::(system_clock|steady_clock|high_resolution_clock|chrono::\w+_clock)\b)",
     "reads a clock", true},
    {R"(\b(gettimeofday|clock_gettime|time)\s*\((NULL|nullptr|0|&))", "reads a clock", true},
    {R"(\b(std::random_device|s?rand\s*\(\)|srand\s*\())", "draws a random number", true},
    {R"(\b(std::thread|std::jthread|std::async)\b)", "starts a thread", true},
    {R"(\bgetenv\s*\()", "reads the environment", true},
    {R"(\bstd::(cout|cerr|clog|endl)\b)", "prints", true},
    {R"(\b(TO)(DO)\b|\b(FIX)(ME)\b)", "unfinished business", false},
    {R"(\busing namespace\b)", "opens a namespace", false},
    {R"(\bassert\s*\()", "CHECK stays on in release builds, assert does not", false},
    {R"(=\s*new\s+\w|\bdelete\s+\w|\bdelete\[\])", "owns by hand", false},
    {R"(\bvoid\s*\*\s*\w+\s*[,)])", "an untyped parameter", false},
}};

std::optional<std::size_t> layer_rank(std::string_view layer) {
  const auto found = std::ranges::find(kLayers, layer);
  if (found == kLayers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kLayers.begin());
}

std::string layer_of(std::string_view path) {
  if (!path.starts_with("src/")) return {};
  path.remove_prefix(4);
  return std::string(path.substr(0, path.find('/')));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Columns of a line: UTF-8 continuation bytes take none.
std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string without_comment(const std::string& line) { return line.substr(0, line.find("//")); }

void check_sizes(const Source& source, const std::vector<std::string>& lines,
                 std::vector<std::string>& found) {
  const bool header = source.path.ends_with(".hpp");
  const std::size_t most = header ? kHeaderLines : kSourceLines;
  if (lines.size() > most)
    found.push_back(fmt::format("size: {} lines, at most {}", lines.size(), most));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (columns(lines[i]) > kLineColumns) {
      found.push_back(fmt::format("line {}: longer than {} columns", i + 1, kLineColumns));
    }
  }
  // A function begins with a line at the margin that opens a brace and ends with one at it.
  std::optional<std::size_t> begin;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const bool opens = !line.empty() && line.back() == '{' && line.front() != ' ' &&
                       !line.starts_with("namespace") && !line.starts_with("class") &&
                       !line.starts_with("struct") && !line.starts_with("enum");
    if (opens) begin = i;
    if (line != "}" || !begin) continue;
    if (i - *begin > kFunctionLines) {
      found.push_back(fmt::format("line {}: a function of {} lines, at most {}", *begin + 1,
                                  i - *begin, kFunctionLines));
    }
    begin.reset();
  }
}

void check_layers(const Source& source, const std::vector<std::string>& lines,
                  std::vector<std::string>& found) {
  const std::string own = layer_of(source.path);
  const auto rank = layer_rank(own);
  if (!rank) return;
  static const std::regex kInclude(R"re(^#include "([a-z]+)/)re");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (!std::regex_search(lines[i], match, kInclude)) continue;
    const auto other = layer_rank(match[1].str());
    if (!other || *other > *rank) {
      found.push_back(
          fmt::format("line {}: {} includes {}, arrows point down", i + 1, own, match[1].str()));
    }
  }
}

void check_bans(const Source& source, const std::vector<std::string>& lines,
                std::vector<std::string>& found) {
  const auto rank = layer_rank(layer_of(source.path));
  const bool pure = rank && *rank <= *layer_rank(kLastPureLayer);
  for (const Ban& ban : kBans) {
    if (!rank || (ban.pure_layers_only && !pure)) continue;
    const std::regex pattern(ban.pattern);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool business = std::string_view(ban.why).starts_with("unfinished");
      const std::string line = business ? lines[i] : without_comment(lines[i]);
      if (std::regex_search(line, pattern)) {
        found.push_back(fmt::format("line {}: {}", i + 1, ban.why));
      }
    }
  }
}

void check_opening(const Source& source, const std::vector<std::string>& lines,
                   std::vector<std::string>& found) {
  if (!source.path.ends_with(".hpp")) return;
  if (lines.empty() || !lines.front().starts_with("//")) {
    found.push_back("opening: a header opens with what it is");
  }
  if (std::ranges::find(lines, "#pragma once") == lines.end()) {
    found.push_back("opening: no #pragma once");
  }
}

}  // namespace

std::vector<std::string> complaints(const Source& source) {
  const std::vector<std::string> lines = lines_of(source.text);
  std::vector<std::string> found;
  check_sizes(source, lines, found);
  check_layers(source, lines, found);
  check_bans(source, lines, found);
  check_opening(source, lines, found);
  return found;
}

}  // namespace tenure::tidy
