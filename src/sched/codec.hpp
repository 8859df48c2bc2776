// Codec: RFC 27 and RFC 28 payloads as JSON <-> the messages of messages.hpp.
//
// Decoders validate completely and change nothing: an error names the key, the value and
// what would be valid ("expiration: -1 is not 0 (unset) or finite seconds since the epoch").
// Encoders write exactly the keys of the RFCs; whole seconds are written as integers.
//
// Invariants
//  1. Ids are integers from 0 to 2^63-1 and keep every bit; a real is not an id.
//  2. Keys that the RFCs do not name are ignored: a newer peer may send more.
//  3. Sizes are bounded by the constants below; beyond them the error is `limit`.
//
// All functions are pure and linear in the size of the payload (of a free: in order of rank).
#pragma once

#include <boost/json.hpp>

#include "base/result.hpp"
#include "graph/resource_graph.hpp"
#include "sched/messages.hpp"

namespace tenure::sched {

/// Largest job id: FLUIDs have 63 bits, and JSON integers of the peers are signed.
inline constexpr std::uint64_t kMaxJobId = 9'223'372'036'854'775'807ULL;
/// Most jobs in one sched.prioritize; a plugin may send all pending ones at once.
inline constexpr std::size_t kMaxPrioritized = 16'777'216;
/// Most R_lite entries of one sched.free.
inline constexpr std::size_t kMaxFreeEntries = 4'194'304;
/// Most properties in one property-add or property-remove.
inline constexpr std::size_t kMaxProperties = 65'536;

// ---- requests and responses that reach the scheduler -------------------------------------

/// The envelope of a sched.alloc; its jobspec is read separately so that a bad one can be
/// denied by id instead of being lost.
struct AllocEnvelope {
  JobId id;
  Priority priority;
  UserId user;
  Time submit;  ///< the epoch when absent (RFC 27 does not require t_submit)
  const boost::json::value* jobspec = nullptr;  ///< into the payload
};
Result<AllocEnvelope> decode_alloc(const boost::json::value& payload);
Result<JobId> decode_cancel(const boost::json::value& payload);
/// R is needed for its ranks; with `final`, which releases everything, a bad R has none.
Result<FreeRequest> decode_free(const boost::json::value& payload);
Result<PrioritizeRequest> decode_prioritize(const boost::json::value& payload);
/// `expiration` may be an integer or a real; 0 is unset, and what no Time can hold becomes
/// the last finite Time. Errors: `invalid` for a missing, non-numeric, negative, infinite or
/// NaN value.
Result<ExpirationRequest> decode_expiration(const boost::json::value& payload);
/// One sched-hello answer with the job's current R and, when known, its jobspec's duration.
Result<HelloJob> decode_hello(const boost::json::value& payload, const boost::json::value& r,
                              std::optional<Duration> duration, const graph::ResourceGraph& graph);
Result<AcquireInitial> decode_acquire_initial(const boost::json::value& payload);
Result<AcquireUpdate> decode_acquire_update(const boost::json::value& payload);

// ---- what the peers send (used by the emulated instance) ---------------------------------

boost::json::object encode(const AllocRequest& request, const boost::json::value& jobspec);
boost::json::object encode(const FreeRequest& request, const boost::json::value& r);
boost::json::object encode(const PrioritizeRequest& request);
boost::json::object encode(const ExpirationRequest& request);
boost::json::object encode(const AcquireUpdate& update);

// ---- what the scheduler sends --------------------------------------------------------------

/// The four answers of sched.alloc. SUCCESS has annotations only when there are some.
boost::json::object encode_success(const AllocSuccess& success);
boost::json::object encode_annotate(JobId id, const Annotations& annotations);
boost::json::object encode_deny(JobId id, std::string_view note);
boost::json::object encode_cancel(JobId id);

/// {"sched": {...}} with nulls for removed keys.
boost::json::object encode(const Annotations& annotations);
/// The R of an allocation made, with `scheduling` when the inventory came with one.
boost::json::object encode_r(const AllocSuccess& success, const graph::ResourceGraph& graph,
                             const boost::json::value* scheduling);
boost::json::object encode(const ResourceStatus& status, const graph::ResourceGraph& graph);

/// Times of messages are written as those of R: integers when whole, 0 for never().
boost::json::value encode_time(Time time);

}  // namespace tenure::sched
