// Link: how a message crosses from one emulated peer to the other.
//
// Under Link::wire every message is encoded by the codec, written as JSON text, read again
// and decoded, as it would be between two broker modules. Under Link::direct the value
// itself is handed over. Both must give the same run; a property test holds them together.
//
// Each function takes what one side says and returns what the other side hears. They are
// pure and linear in the size of the message.
#pragma once

#include <boost/json.hpp>

#include "base/result.hpp"
#include "graph/resource_graph.hpp"
#include "sched/codec.hpp"
#include "sched/messages.hpp"

namespace tenure::emul::wire {

/// The value as its reader sees it: written as text and parsed again.
boost::json::value carry(const boost::json::value& message);

/// sched.alloc. The error is that of the jobspec, to be denied by id; the envelope itself is
/// always well formed, being ours.
Result<sched::AllocRequest> alloc(const sched::AllocRequest& request,
                                  const boost::json::object& jobspec);
JobId cancel(JobId id);
/// `r` is the R that names the ranks.
sched::FreeRequest free(const sched::FreeRequest& request, const boost::json::value& r);
sched::PrioritizeRequest prioritize(const sched::PrioritizeRequest& request);
sched::AcquireUpdate acquire_update(const sched::AcquireUpdate& update);

/// A sched.expiration payload as it is sent. NaN and the infinities cannot be written as
/// JSON: a payload that holds one is handed over in memory.
boost::json::value expiration_payload(JobId id, const boost::json::value* expiration);

/// The annotations of a response.
sched::Annotations annotations(const sched::Annotations& sent);
/// SUCCESS: the R, written with the scheduler's graph, is read back with the reader's own.
/// `success.start` keeps what R does not carry (selection, slots).
sched::AllocSuccess success(const sched::AllocSuccess& sent, const graph::ResourceGraph& writer,
                            const graph::ResourceGraph& reader,
                            const boost::json::value* scheduling);

}  // namespace tenure::emul::wire
