// The traces of the archive that may lie beside the repository: ../shared/data/swf, seen
// from the root. Tests that need one are skipped without it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tenure::emul::testing {

/// Looks for shared/data/swf/NAME in all folders above the working directory.
inline std::optional<std::string> find_trace(std::string_view name) {
  for (std::filesystem::path folder = std::filesystem::current_path();;
       folder = folder.parent_path()) {
    const auto candidate = folder / "shared" / "data" / "swf" / name;
    if (std::filesystem::exists(candidate)) return candidate.string();
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

}  // namespace tenure::emul::testing
