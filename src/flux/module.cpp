// Entry of the broker module sched-tenure.so.
#include <cerrno>
#include <string>
#include <vector>

#include "flux/handle.hpp"
#include "flux/sched_module.hpp"

extern "C" int mod_main(flux_t* handle, int argc, char** argv) {
  using tenure::sched::LogLevel;
  tenure::flux::SchedModule module(handle, std::vector<std::string>(argv, argv + argc));
  const auto fail = [&](const tenure::Error& error) {
    tenure::flux::log(handle, LogLevel::error, error.message);
    errno = tenure::flux::errno_of(error.code);
    return -1;
  };
  if (const auto started = module.start(); !started) return fail(started.error());
  if (const auto ran = module.run(); !ran) return fail(ran.error());
  return 0;
}
