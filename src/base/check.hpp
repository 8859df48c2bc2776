// CHECK: the third kind of error, a bug in Tenure itself.
//
// CHECK(condition, "format", args...) stays on in release builds. It must be
// unreachable from any input: bad input is a Result, a normal outcome is a value.
// A failed check prints expression, place and text on stderr and aborts.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace tenure {

/// Prints the failed expression with its place and aborts. Never returns.
[[noreturn]] void check_failed(std::string_view expression, std::string_view file, int line,
                               std::string_view text) noexcept;

}  // namespace tenure

#define CHECK(condition, ...)                                                                \
  do {                                                                                       \
    if (!(condition)) [[unlikely]] {                                                         \
      ::tenure::check_failed(#condition, __FILE__, __LINE__, ::fmt::format("" __VA_ARGS__)); \
    }                                                                                        \
  } while (false)
