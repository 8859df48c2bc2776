// SourceFile: a C++ file as the tidy rules see it.
//
// The text is read once. `code` is the same text, line by line and column by column, with
// the contents of comments, strings and character constants blanked, so that a rule about
// code is not misled by words. Preprocessor lines stay as they are, includes with their path.
//
// Invariant: text and code have the same number of lines. O(length).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::tidy {

struct SourceFile {
  std::string path;  ///< relative to the root of the project, with '/'
  std::vector<std::string> text;
  std::vector<std::string> code;
  bool last_line_ends = true;

  bool is_header() const { return path.ends_with(".hpp"); }
};

SourceFile scan(std::string path, std::string_view content);

/// A function body found by its braces: lines from 1, from its first line of declaration to
/// its closing brace. Lambdas belong to the function around them.
struct Function {
  std::size_t first_line;
  std::size_t last_line;
};

std::vector<Function> functions(const SourceFile& file);

}  // namespace tenure::tidy
