#include "base/result.hpp"

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

Error within(std::string_view place, Error error) {
  error.message = fmt::format("{}: {}", place, error.message);
  return error;
}

}  // namespace tenure
