// Result<T>: bad input or an outside failure, with nothing changed.
//
// Invariants
//  1. A function that returns an error has left every structure as it was.
//  2. The message names the field, the value and what would be valid; it is one
//     sentence without a full stop, ready to be put behind "FILE:LINE: ".
//  3. Normal outcomes ("not now", "never, because") are values, never errors; bugs in
//     Tenure are CHECKs. errno exists only in src/flux.
//
// Result is boost::system::result with our Error and [[nodiscard]]: has_value(),
// operator bool, *r, r->member, r.error(). A function that succeeds without a value
// returns Result<void>, `return {};`.
#pragma once

#include <fmt/format.h>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>
#include <utility>

#include "base/check.hpp"

namespace tenure {

/// A small canonical set of error codes. The Flux adapter maps each to one errno.
enum class ErrorCode {
  invalid,      ///< malformed or out of range (EINVAL)
  not_found,    ///< names something that does not exist (ENOENT)
  exists,       ///< names something that exists already (EEXIST)
  conflict,     ///< refused by policy because something is in the way (EBUSY)
  infeasible,   ///< can never be satisfied by this machine (ENODEV)
  permission,   ///< the sender may not do this (EPERM)
  unsupported,  ///< known but not available in this build or mode (ENOSYS)
  limit,        ///< an explicit bound was exceeded (EOVERFLOW)
  io,           ///< the outside world failed: file, pipe, peer (EIO)
};

/// The word for a code, as printed in JSON output: "invalid", "not-found", ...
std::string_view to_string(ErrorCode code) noexcept;

struct Error {
  ErrorCode code = ErrorCode::invalid;
  std::string message;

  friend bool operator==(const Error&, const Error&) = default;
};

/// Called by boost::system::result when value() is read from an error: a bug in us.
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location& where) {
  check_failed("result.has_value()", where.file_name(), static_cast<int>(where.line()),
               error.message);
}

template <class T>
class [[nodiscard]] Result : public boost::system::result<T, Error> {
 public:
  using boost::system::result<T, Error>::result;
};

/// Builds an Error from a format string: `return failure(ErrorCode::invalid, "…", …)`.
template <class... Args>
Error failure(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  return Error{code, fmt::format(format, std::forward<Args>(args)...)};
}

inline constexpr std::size_t kMaxQuoted = 120;

/// Input text for a message: in single quotes, cut after kMaxQuoted bytes ("…" stands for the
/// rest) and with control characters as \\xNN, so that a message stays one short line.
std::string in_quotes(std::string_view text);

/// The same error with "PREFIX: " before its message, for callers that know the place.
Error within(std::string_view place, Error error);

}  // namespace tenure
