// RAII and JSON around flux-core's C interface, and the one place where errno lives.
//
// Invariants
//  1. What flux-core hands out is owned by one of the pointers below; errno is read at once
//     after a failed call, before anything else can change it.
//  2. Every payload is JSON text: it is parsed once, when it arrives, and written once.
//  3. Nothing here waits but get_now(), which is for start-up alone.
#pragma once

#include <flux/core.h>

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "sched/messages.hpp"

namespace tenure::flux {

template <class T, void (*Destroy)(T*)>
struct Destroyer {
  void operator()(T* object) const noexcept { Destroy(object); }
};

using Future = std::unique_ptr<flux_future_t, Destroyer<flux_future_t, flux_future_destroy>>;
using Message = std::unique_ptr<flux_msg_t, Destroyer<flux_msg_t, flux_msg_destroy>>;
using Watcher = std::unique_ptr<flux_watcher_t, Destroyer<flux_watcher_t, flux_watcher_destroy>>;
using KvsTransaction =
    std::unique_ptr<flux_kvs_txn_t, Destroyer<flux_kvs_txn_t, flux_kvs_txn_destroy>>;
using Handlers =
    std::unique_ptr<flux_msg_handler_t*, Destroyer<flux_msg_handler_t*, flux_msg_handler_delvec>>;

/// Deepest nesting of a JSON payload: jobspecs nest "with" arrays.
inline constexpr std::size_t kMaxJsonDepth = 256;

/// The errno of an error, for answers.
int errno_of(ErrorCode code);

/// The present errno as an error, "WHAT: strerror"; `not_found` for ENOENT, else `io`.
Error last_error(std::string_view what);
/// The error of a future that is fulfilled with one, with the peer's own text if it sent one.
Error error_of(flux_future_t* future, std::string_view what);

/// Errors: `invalid` with the position.
Result<boost::json::value> parse_json(std::string_view text);
/// The payload of a request; null when there is none.
Result<boost::json::value> payload_of(const flux_msg_t& request);

/// Sends a request. A null payload is none. The future is null on failure, errno is set.
Future rpc(flux_t* handle, const char* topic, const boost::json::value& payload, int flags = 0);
/// The answer that has come, parsed; an empty one is null. Waits if none has.
Result<boost::json::value> get_now(flux_future_t* future, std::string_view what);

/// Answers; a failure is logged. A null value is an empty payload.
void respond(flux_t* handle, const flux_msg_t& request, const boost::json::value& answer);
void respond(flux_t* handle, const flux_msg_t& request, const Error& error);

void log(flux_t* handle, sched::LogLevel level, std::string_view text);

/// A time of the reactor's clock or of an answer, seconds since the epoch.
Time time_of(double seconds);

/// "KEY" of a job in the KVS. Errors: `invalid`.
Result<std::string> kvs_key(JobId id, const char* name);

}  // namespace tenure::flux
