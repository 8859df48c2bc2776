// Codec: RFC 27 and RFC 28 payloads as JSON <-> the messages of messages.hpp.
//
// Decoders validate completely and change nothing: an error names the key, the value and
// what would be valid ("expiration: -1 is not a time: 0 or seconds since the epoch").
// Encoders write exactly the keys of the RFCs; whole seconds are written as integers.
//
// All functions are pure and linear in the size of the payload.
#pragma once

#include <boost/json.hpp>

#include "base/result.hpp"
#include "graph/resource_graph.hpp"
#include "sched/messages.hpp"

namespace tenure::sched {

// ---- requests and responses that reach the scheduler -------------------------------------

/// The envelope of a sched.alloc; its jobspec is read separately so that a bad one can be
/// denied by id instead of being lost.
struct AllocEnvelope {
  JobId id;
  Priority priority;
  UserId user;
  Time submit;
  const boost::json::value* jobspec = nullptr;  ///< into the payload
};
Result<AllocEnvelope> decode_alloc(const boost::json::value& payload);
Result<JobId> decode_cancel(const boost::json::value& payload);
Result<FreeRequest> decode_free(const boost::json::value& payload);
Result<PrioritizeRequest> decode_prioritize(const boost::json::value& payload);
/// `expiration` may be an integer or a real; 0 is unset. Errors: `invalid` for a missing,
/// non-numeric, negative, infinite or NaN value.
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
boost::json::object encode(const AcquireUpdate& update);

// ---- what the scheduler sends --------------------------------------------------------------

/// {"sched": {...}} with nulls for removed keys.
boost::json::object encode(const Annotations& annotations);
/// The R of an allocation made, with `scheduling` when the inventory came with one.
boost::json::object encode_r(const AllocSuccess& success, const graph::ResourceGraph& graph,
                             const boost::json::value* scheduling);
boost::json::object encode(const ResourceStatus& status, const graph::ResourceGraph& graph);

/// Seconds since the epoch as a JSON number: an integer when whole, 0 for never().
boost::json::value encode_time(Time time);

}  // namespace tenure::sched
