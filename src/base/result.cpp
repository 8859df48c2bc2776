#include "base/result.hpp"

#include <algorithm>

namespace tenure {

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid:
      return "invalid";
    case ErrorCode::not_found:
      return "not-found";
    case ErrorCode::exists:
      return "exists";
    case ErrorCode::conflict:
      return "conflict";
    case ErrorCode::infeasible:
      return "infeasible";
    case ErrorCode::permission:
      return "permission";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::limit:
      return "limit";
    case ErrorCode::io:
      return "io";
  }
  return "unknown";
}

std::string in_quotes(std::string_view text) {
  std::size_t length = std::min(text.size(), kMaxQuoted);
  const bool cut = length < text.size();
  // A UTF-8 sequence is kept or left out as a whole.
  while (cut && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
    --length;
  }
  std::string result = "'";
  for (const char c : text.substr(0, length)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + (cut ? "…'" : "'");
}

Error within(std::string_view place, Error error) {
  error.message = fmt::format("{}: {}", place, error.message);
  return error;
}

}  // namespace tenure
