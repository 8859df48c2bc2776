#include "flux/handle.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>

namespace tenure::flux {

namespace json = boost::json;

int errno_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid:
      return EINVAL;
    case ErrorCode::not_found:
      return ENOENT;
    case ErrorCode::exists:
      return EEXIST;
    case ErrorCode::conflict:
      return EBUSY;
    case ErrorCode::infeasible:
      return ENODEV;
    case ErrorCode::permission:
      return EPERM;
    case ErrorCode::unsupported:
      return ENOSYS;
    case ErrorCode::limit:
      return EOVERFLOW;
    case ErrorCode::io:
      return EIO;
  }
  return EINVAL;
}

namespace {

ErrorCode code_of(int number) { return number == ENOENT ? ErrorCode::not_found : ErrorCode::io; }

}  // namespace

Error last_error(std::string_view what) {
  const int number = errno;
  return failure(code_of(number), "{}: {}", what, flux_strerror(number));
}

Error error_of(flux_future_t* future, std::string_view what) {
  const int number = errno;
  return failure(code_of(number), "{}: {}", what, future_strerror(future, number));
}

Result<json::value> parse_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  boost::system::error_code error;
  json::value value = json::parse(text, error, {}, options);
  if (error) return failure(ErrorCode::invalid, "not JSON: {}", error.message());
  return value;
}

Result<json::value> payload_of(const flux_msg_t& request) {
  const char* text = nullptr;
  if (flux_request_decode(&request, nullptr, &text) < 0) return last_error("payload");
  if (text == nullptr) return json::value();
  return parse_json(text);
}

Future rpc(flux_t* handle, const char* topic, const json::value& payload, int flags) {
  if (payload.is_null()) return Future(flux_rpc(handle, topic, nullptr, FLUX_NODEID_ANY, flags));
  return Future(flux_rpc(handle, topic, json::serialize(payload).c_str(), FLUX_NODEID_ANY, flags));
}

Result<json::value> get_now(flux_future_t* future, std::string_view what) {
  if (future == nullptr) return last_error(what);
  const char* text = nullptr;
  if (flux_rpc_get(future, &text) < 0) return error_of(future, what);
  if (text == nullptr) return json::value();
  auto value = parse_json(text);
  if (!value) return within(what, value.error());
  return value;
}

void respond(flux_t* handle, const flux_msg_t& request, const json::value& answer) {
  const int sent = answer.is_null()
                       ? flux_respond(handle, &request, nullptr)
                       : flux_respond(handle, &request, json::serialize(answer).c_str());
  if (sent < 0) log(handle, sched::LogLevel::error, last_error("answer").message);
}

void respond(flux_t* handle, const flux_msg_t& request, const Error& error) {
  if (flux_respond_error(handle, &request, errno_of(error.code), error.message.c_str()) < 0) {
    log(handle, sched::LogLevel::error, last_error("answer").message);
  }
}

void log(flux_t* handle, sched::LogLevel level, std::string_view text) {
  constexpr std::array kSyslog{LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO, LOG_DEBUG};
  (void)flux_log(handle, kSyslog.at(static_cast<std::size_t>(level)), "%.*s",
                 static_cast<int>(text.size()), text.data());
}

Time time_of(double seconds) {
  const auto time = Time::from_seconds(seconds);
  return time ? *time : Time();
}

Result<std::string> kvs_key(JobId id, const char* name) {
  std::array<char, 128> buffer{};
  if (flux_job_kvs_key(buffer.data(), static_cast<int>(buffer.size()), id.value(), name) < 0) {
    return last_error("KVS key");
  }
  return std::string(buffer.data());
}

}  // namespace tenure::flux
