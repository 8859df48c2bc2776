// The tidy rules: what CONTRIBUTING.md promises about the source, checked.
//
// Each rule is a pure function from files to findings, so that a seeded bad sample can show
// that it is able to fail. Findings are in the order of files and lines.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tidy/source_file.hpp"

namespace tenure::tidy {

struct Finding {
  std::string path;
  std::size_t line = 0;  ///< from 1; 0: the file as a whole
  std::string message;

  friend bool operator==(const Finding&, const Finding&) = default;
};

inline constexpr std::size_t kMaxHeaderLines = 300;
inline constexpr std::size_t kMaxSourceLines = 800;
inline constexpr std::size_t kMaxFunctionLines = 70;
inline constexpr std::size_t kMaxColumns = 100;

/// Includes go down only: base < graph < jobspec, profile < match < plan < sched < emul <
/// report < cli, flux. The two in one place do not know each other.
std::vector<Finding> check_layers(const SourceFile& file);

/// Lines of headers, sources and functions; columns of a line (characters, not bytes).
std::vector<Finding> check_sizes(const SourceFile& file);

/// A header opens with a comment and has #pragma once behind it.
std::vector<Finding> check_header(const SourceFile& file);

/// Calls that are banned in all of src/, in all layers but some, or in the engine.
std::vector<Finding> check_banned(const SourceFile& file);

/// White space at line ends, tabs, marks of unfinished work, a last line without its end.
std::vector<Finding> check_text(const SourceFile& file);

/// Sources that no target compiles, and headers of src/ that nobody includes.
/// `compiled`: paths of the compilation database, relative to the root of the project.
std::vector<Finding> check_dead_files(std::span<const SourceFile> files,
                                      const std::set<std::string>& compiled);

/// All rules of one file.
std::vector<Finding> check_file(const SourceFile& file);

}  // namespace tenure::tidy
