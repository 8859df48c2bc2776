#include "flux/sched_module.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "flux/stats.hpp"
#include "sched/codec.hpp"

namespace tenure::flux {

namespace json = boost::json;
using sched::LogLevel;

namespace {

/// Local time for people: "2026-12-01T16:15:09".
std::string local_time(Time time) {
  const std::time_t seconds = static_cast<std::time_t>(time.to_seconds());
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::localtime(seconds));
}

std::string module_name(flux_t* handle) {
  const auto* name = static_cast<const char*>(flux_aux_get(handle, "flux::name"));
  return name == nullptr ? "sched-tenure" : name;
}

}  // namespace

SchedModule::SchedModule(flux_t* handle, std::vector<std::string> arguments)
    : handle_(handle),
      name_(module_name(handle)),
      arguments_(std::move(arguments)),
      peer_(handle, [this](JobId id, const Result<void>& outcome) {
        scheduler_->committed(id, outcome);
        loop_->request();
      }) {}

// ---- start-up ----------------------------------------------------------------------------

Result<void> SchedModule::start() {
  for (const char* service : {"sched", "feasibility"}) {
    if (auto done = register_service(handle_, service); !done) return done;
  }
  const auto config = broker_config(handle_);
  if (!config) return config.error();
  auto site = sched::read_site_config(*config, arguments_);
  if (!site) return site.error();
  site_ = *std::move(site);
  for (const std::string& note : site_.notes) log(handle_, LogLevel::warning, note);
  if (flux_module_set_running(handle_) < 0) return last_error("module state");
  auto acquired = acquire(handle_);
  if (!acquired) return acquired.error();
  if (auto built = build_scheduler(*std::move(acquired)); !built) return built;
  const auto held = hello(handle_, *scheduler_);
  if (!held) return held.error();
  if (auto added = add_handlers(); !added) return added;
  const auto waiting = ready(handle_, site_.alloc_limit);
  if (!waiting) return waiting.error();
  log(handle_, LogLevel::info,
      fmt::format("ready: {} nodes, {} jobs hold resources, {} wait",
                  scheduler_->engine().graph().present().count(), held->jobs, *waiting));
  return {};
}

Result<void> SchedModule::build_scheduler(Acquired acquired) {
  scheduler_ = std::make_unique<sched::Scheduler>(
      std::move(acquired.initial),
      sched::SchedulerSettings{.config = site_.config, .time_text = local_time}, peer_);
  peer_.serve(*scheduler_);
  loop_ = std::make_unique<PassLoop>(handle_, *scheduler_, peer_);
  acquire_ = std::move(acquired.stream);
  if (flux_future_then(acquire_.get(), -1, on_acquire, this) < 0) {
    return last_error("resource.acquire");
  }
  return {};
}

Result<void> SchedModule::add_handlers() {
  constexpr int kRequest = FLUX_MSGTYPE_REQUEST;
  const flux_msg_handler_spec services[] = {
      {kRequest, "sched.alloc", on<&SchedModule::alloc>, 0},
      {kRequest, "sched.cancel", on<&SchedModule::cancel>, 0},
      {kRequest, "sched.free", on<&SchedModule::free>, 0},
      {kRequest, "sched.prioritize", on<&SchedModule::prioritize>, 0},
      {kRequest, "sched.expiration", on<&SchedModule::expiration>, 0},
      {kRequest, "sched.resource-status", on<&SchedModule::resource_status>, FLUX_ROLE_USER},
      {kRequest, "feasibility.check", on<&SchedModule::feasibility>, FLUX_ROLE_USER},
      FLUX_MSGHANDLER_TABLE_END,
  };
  const flux_msg_handler_spec own[] = {
      {kRequest, "stats-get", on<&SchedModule::stats_get>, FLUX_ROLE_USER},
      {kRequest, "config-reload", on<&SchedModule::config_reload>, 0},
      {kRequest, "config-update", on<&SchedModule::config_reload>, 0},
      FLUX_MSGHANDLER_TABLE_END,
  };
  flux_msg_handler_t** added = nullptr;
  if (flux_msg_handler_addvec(handle_, services, this, &added) < 0) return last_error("handlers");
  handlers_.reset(added);
  if (flux_msg_handler_addvec_ex(handle_, name_.c_str(), own, this, &added) < 0) {
    return last_error("handlers");
  }
  own_handlers_.reset(added);
  return {};
}

Result<void> SchedModule::run() {
  if (flux_reactor_run(flux_get_reactor(handle_), 0) < 0) return last_error("reactor");
  return {};
}

// ---- resource.acquire --------------------------------------------------------------------

void SchedModule::on_acquire(flux_future_t* future, void* module) {
  auto& self = *static_cast<SchedModule*>(module);
  const auto payload = get_now(future, "resource.acquire");  // it is there already
  if (!payload) {  // such as: the resource module is unloaded
    log(self.handle_, LogLevel::error, fmt::format("exiting: {}", payload.error().message));
    return flux_reactor_stop(flux_get_reactor(self.handle_));
  }
  self.acquire_update(*payload);
  flux_future_reset(future);
}

void SchedModule::acquire_update(const json::value& payload) {
  const auto update = sched::decode_acquire_update(payload);
  if (!update) {
    return log(handle_, LogLevel::error,
               fmt::format("resource.acquire: {}", update.error().message));
  }
  scheduler_->update(*update);
  if (update->expiration) {
    log(handle_, LogLevel::info,
        update->expiration->is_never()
            ? "the instance has no end any more"
            : fmt::format("the instance now ends at {}", local_time(*update->expiration)));
  }
  loop_->request();
}

// ---- RFC 27 ------------------------------------------------------------------------------

template <class Decode>
auto SchedModule::decoded(const flux_msg_t& request, std::string_view topic, Decode decode)
    -> decltype(decode(json::value())) {
  auto message = [&]() -> decltype(decode(json::value())) {
    const auto payload = payload_of(request);
    if (!payload) return payload.error();
    return decode(*payload);
  }();
  if (!message) {
    log(handle_, LogLevel::error, fmt::format("{}: {}", topic, message.error().message));
  }
  return message;
}

void SchedModule::alloc(const flux_msg_t& request) {
  const auto payload = payload_of(request);
  const auto id = payload ? sched::decode_cancel(*payload) : Result<JobId>(payload.error());
  if (!id) {  // nobody to answer
    return log(handle_, LogLevel::error, fmt::format("sched.alloc: {}", id.error().message));
  }
  const auto envelope = sched::decode_alloc(*payload);
  const auto ignored = scheduler_->counters().ignored;
  const bool kept = peer_.keep_alloc(*id, request);
  if (!envelope) {
    scheduler_->alloc_unreadable(*id, envelope.error());
  } else if (auto spec = jobspec::parse(*envelope->jobspec); !spec) {
    scheduler_->alloc_unreadable(*id, spec.error());
  } else {
    scheduler_->alloc({envelope->id, envelope->priority, envelope->user, envelope->submit,
                       std::make_shared<const jobspec::Jobspec>(*std::move(spec))},
                      loop_->now());
  }
  if (kept && scheduler_->counters().ignored != ignored) peer_.drop_alloc(*id);
  loop_->request();
}

void SchedModule::cancel(const flux_msg_t& request) {
  const auto id = decoded(request, "sched.cancel", sched::decode_cancel);
  if (!id) return;
  scheduler_->cancel(*id);
  loop_->request();
}

void SchedModule::free(const flux_msg_t& request) {
  const auto message = decoded(request, "sched.free", sched::decode_free);
  if (!message) return;
  scheduler_->free(*message);
  loop_->request();
}

void SchedModule::prioritize(const flux_msg_t& request) {
  const auto message = decoded(request, "sched.prioritize", sched::decode_prioritize);
  if (!message) return;
  scheduler_->prioritize(*message);
  loop_->request();
}

void SchedModule::expiration(const flux_msg_t& request) {
  const auto message = decoded(request, "expiration refused", sched::decode_expiration);
  if (!message) return respond(handle_, request, message.error());
  const auto outcome = scheduler_->expiration(*message);
  if (!outcome) return respond(handle_, request, outcome.error());
  respond(handle_, request, json::value());
  loop_->request();
}

void SchedModule::resource_status(const flux_msg_t& request) {
  respond(handle_, request,
          json::value(sched::encode(scheduler_->resource_status(), scheduler_->engine().graph())));
}

void SchedModule::feasibility(const flux_msg_t& request) {
  const auto outcome = [&]() -> Result<void> {
    const auto payload = payload_of(request);
    if (!payload) return payload.error();
    const json::object* object = payload->if_object();
    const json::value* text = object == nullptr ? nullptr : object->if_contains("jobspec");
    if (text == nullptr) return failure(ErrorCode::invalid, "jobspec is missing");
    const auto spec = jobspec::parse(*text);
    if (!spec) return within("jobspec", spec.error());
    return scheduler_->check(*spec, loop_->now());
  }();
  if (!outcome) return respond(handle_, request, outcome.error());
  respond(handle_, request, json::value());
}

// ---- the module itself ---------------------------------------------------------------------

void SchedModule::stats_get(const flux_msg_t& request) {
  respond(handle_, request, json::value(stats(*scheduler_, *loop_, site_)));
}

Result<void> SchedModule::reconfigure(const json::value& payload) {
  if (!payload.is_object()) return failure(ErrorCode::invalid, "configuration: not an object");
  auto site = sched::read_site_config(payload.get_object(), arguments_);
  if (!site) return site.error();
  if (site->alloc_limit != site_.alloc_limit) {
    return failure(ErrorCode::unsupported,
                   "alloc-limit: is told to the job manager when the module is loaded; reload "
                   "{} to change it",
                   name_);
  }
  for (const std::string& note : site->notes) {
    if (std::ranges::find(site_.notes, note) == site_.notes.end()) {
      log(handle_, LogLevel::warning, note);
    }
  }
  scheduler_->reconfigure(site->config);
  site_ = *std::move(site);
  return {};
}

void SchedModule::config_reload(const flux_msg_t& request) {
  const auto outcome = [&]() -> Result<void> {
    const auto payload = payload_of(request);
    if (!payload) return payload.error();
    return reconfigure(*payload);
  }();
  if (!outcome) {
    return respond(
        handle_, request,
        Error{ErrorCode::invalid, fmt::format("{}: {}", name_, outcome.error().message)});
  }
  flux_conf_t* config = nullptr;  // the copy that flux-core keeps in the handle
  if (flux_module_config_request_decode(&request, &config) == 0 &&
      flux_set_conf_new(handle_, config) < 0) {
    flux_conf_decref(config);
  }
  respond(handle_, request, json::value());
  loop_->request();
}

}  // namespace tenure::flux
