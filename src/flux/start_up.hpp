// Start-up of a scheduler module (RFC 27, RFC 28): what it has to learn before its reactor
// runs. These are the only functions of the module that wait.
//
// Order: configuration, resource.acquire, sched-hello with each job's current R, then
// sched-ready. Each returns an error that says which step failed; the module then ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flux/handle.hpp"
#include "sched/scheduler.hpp"

namespace tenure::flux {

/// Registers a dynamic service. Errors: `io`, also when another module has it.
Result<void> register_service(flux_t* handle, const char* name);

/// The broker's configuration, an object.
Result<boost::json::object> broker_config(flux_t* handle);

/// The first answer of resource.acquire, and the stream of the later ones.
struct Acquired {
  Future stream;
  sched::AcquireInitial initial;
};
Result<Acquired> acquire(flux_t* handle);

/// Takes over the jobs that hold resources. The R of a job is what the job manager says it
/// is now (the KVS has what was allocated at first, and forgets extensions); for a job in
/// housekeeping, which the job manager has closed, it is asked of job-info and at last read
/// from the KVS. A job whose R cannot be read at all gets a fatal exception, for what it
/// holds cannot be kept from others.
struct Hello {
  std::uint64_t jobs = 0;
  std::uint64_t unreadable = 0;
};
Result<Hello> hello(flux_t* handle, sched::Scheduler& scheduler);

/// Tells the job manager to send allocs: all of them, or `alloc_limit` at a time.
Result<std::int64_t> ready(flux_t* handle, std::optional<std::uint32_t> alloc_limit);

}  // namespace tenure::flux
