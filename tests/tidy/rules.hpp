// The rules that the source itself must keep: layers, sizes, banned words.
//
// Each rule looks at one file and returns complaints, "RULE: …", so that a test can feed it a
// bad sample. Sizes are those of CONTRIBUTING.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenure::tidy {

struct Source {
  std::string path;  ///< relative to the repository: "src/plan/engine.hpp"
  std::string text;
};

/// Everything wrong with the file.
std::vector<std::string> complaints(const Source& source);

}  // namespace tenure::tidy
