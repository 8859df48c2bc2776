// SchedModule: the broker module sched-tenure. Messages of the job manager and of the
// resource module become calls of sched::Scheduler; no rule of scheduling is here.
//
// Invariants
//  1. After start() nothing waits: each handler decodes, calls, answers and asks for a pass.
//  2. Who sends a request is read from the message's credentials: what only the instance
//     owner may ask is refused to all others by flux-core's dispatch, before it gets here.
//  3. feasibility.check and resource-status are answered at once, whatever is being planned.
//  4. A configuration is taken over whole or refused whole.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "flux/handle.hpp"
#include "flux/pass_loop.hpp"
#include "flux/peer.hpp"
#include "flux/start_up.hpp"
#include "sched/scheduler.hpp"
#include "sched/site_config.hpp"

namespace tenure::flux {

class SchedModule {
 public:
  SchedModule(flux_t* handle, std::vector<std::string> arguments);
  SchedModule(const SchedModule&) = delete;
  SchedModule& operator=(const SchedModule&) = delete;

  /// Services, configuration, resources, running jobs, ready. Errors say which step failed.
  Result<void> start();
  /// Runs the reactor until the module is unloaded or resource.acquire fails.
  Result<void> run();

 private:
  using Request = void (SchedModule::*)(const flux_msg_t&);
  template <Request method>
  static void on(flux_t*, flux_msg_handler_t*, const flux_msg_t* message, void* self) {
    (static_cast<SchedModule*>(self)->*method)(*message);
  }
  static void on_acquire(flux_future_t* future, void* self);

  Result<void> add_handlers();
  Result<void> build_scheduler(Acquired acquired);
  void acquire_update(const boost::json::value& payload);
  /// The payload decoded, or nothing after the error was logged under the topic.
  template <class Decode>
  auto decoded(const flux_msg_t& request, std::string_view topic, Decode decode)
      -> decltype(decode(boost::json::value()));

  // RFC 27
  void alloc(const flux_msg_t& request);
  void cancel(const flux_msg_t& request);
  void free(const flux_msg_t& request);
  void prioritize(const flux_msg_t& request);
  void expiration(const flux_msg_t& request);
  void resource_status(const flux_msg_t& request);
  void feasibility(const flux_msg_t& request);
  // of the module itself
  void stats_get(const flux_msg_t& request);
  void config_reload(const flux_msg_t& request);
  Result<void> reconfigure(const boost::json::value& payload);

  flux_t* handle_;
  std::string name_;
  std::vector<std::string> arguments_;
  sched::SiteConfig site_;
  FluxPeer peer_;
  std::unique_ptr<sched::Scheduler> scheduler_;
  std::unique_ptr<PassLoop> loop_;
  Future acquire_;
  Handlers handlers_;
  Handlers own_handlers_;
};

}  // namespace tenure::flux
