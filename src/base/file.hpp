// Whole files: read at once, replaced at once.
//
// Invariant: after replace_file() the file holds the old text or the new one, whole, even when
// the machine stops in the middle; an error leaves the old one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tenure {

/// The text of a file. Errors: `io`, "FILE: cannot be read".
Result<std::string> read_file(const std::filesystem::path& path);

/// Writes to FILE.part in the same folder, has it stored, and renames. Errors: `io`,
/// "FILE: cannot be written: …".
Result<void> replace_file(const std::filesystem::path& path, std::string_view text);

}  // namespace tenure
