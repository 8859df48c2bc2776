// What the fuzz targets share: how a property is required, and bytes read as choices.
//
// A target is one source file with LLVMFuzzerTestOneInput. Under the `fuzz` preset it is
// linked with libFuzzer and looks for inputs that break a property; in every other build it
// is linked with replay.cpp and tries the inputs of corpus/TARGET, as a test.
//
// A broken property ends the program: that is what libFuzzer reports, and what ctest sees.
#pragma once

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace tenure::fuzz {

/// Longest error text; whatever was read, a person has to be able to read it.
inline constexpr std::size_t kMaxErrorBytes = 1024;

template <class... Args>
void require(bool holds, fmt::format_string<Args...> format, Args&&... args) {
  if (holds) return;
  const std::string text = fmt::format(format, std::forward<Args>(args)...);
  std::fprintf(stderr, "broken property: %s\n", text.c_str());
  std::abort();
}

inline std::string_view as_text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// The input as JSON, as it would reach a reader; nullopt: it is none.
inline std::optional<boost::json::value> as_json(std::string_view text) {
  boost::system::error_code error;
  auto value = boost::json::parse(text, error);
  if (error) return std::nullopt;
  return value;
}

/// Errors are one short line.
inline void check_error(const Error& error) {
  require(!error.message.empty(), "an error without a text");
  require(error.message.size() <= kMaxErrorBytes, "an error text of {} bytes: {}",
          error.message.size(), error.message.substr(0, kMaxErrorBytes));
  for (const char c : error.message) {
    require(static_cast<unsigned char>(c) >= 0x20, "an error text with a control character: {}",
            error.message);
  }
}

/// The input as a row of choices; behind its end every choice is the lowest.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}

  bool is_empty() const { return bytes_.empty(); }
  /// Requires low <= high.
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    if (bytes_.empty()) return low;
    const auto width = static_cast<std::uint64_t>(high - low) + 1;
    std::uint64_t number = next();
    if (width > 256) number = number * 256 + next();
    return low + static_cast<std::int64_t>(number % width);
  }
  bool one_in(std::int64_t n) { return draw(0, n - 1) == n - 1; }

 private:
  std::uint64_t next() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }

  std::string_view bytes_;
};

}  // namespace tenure::fuzz
