// The report page: one HTML file that needs nothing else, made from result files.
//
// The page itself is built from web/ and is part of the program; each result is put into it as
// it is, so that the page and the file cannot tell different stories.
//
// Linear in the size of the results.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tenure::report {

/// Most results of a page.
inline constexpr std::size_t kMaxPageResults = 12;

/// Empty when the program was built without it (no npm).
std::string_view page_template();

/// `results` are texts that parse_result() takes. Errors: `unsupported` without a page; `io`.
Result<void> write_page(const std::filesystem::path& path, std::span<const std::string> results);

}  // namespace tenure::report
