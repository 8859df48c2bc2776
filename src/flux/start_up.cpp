#include "flux/start_up.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <string_view>

#include "graph/formats/json_field.hpp"
#include "jobspec/jobspec.hpp"
#include "sched/codec.hpp"

namespace tenure::flux {

namespace json = boost::json;
using sched::LogLevel;

Result<void> register_service(flux_t* handle, const char* name) {
  const std::string what = fmt::format("service {}", name);
  const Future future(flux_service_register(handle, name));
  if (!future) return last_error(what);
  if (flux_future_get(future.get(), nullptr) < 0) return error_of(future.get(), what);
  return {};
}

Result<json::object> broker_config(flux_t* handle) {
  const Future future = rpc(handle, "config.get", nullptr);
  auto config = get_now(future.get(), "config.get");
  if (!config) return config.error();
  if (config->is_null()) return json::object();
  if (!config->is_object()) return graph::wrong_value("configuration", *config, "an object");
  return std::move(config->get_object());
}

Result<Acquired> acquire(flux_t* handle) {
  Future stream = rpc(handle, "resource.acquire", nullptr, FLUX_RPC_STREAMING);
  const auto answer = get_now(stream.get(), "resource.acquire");
  if (!answer) return answer.error();
  auto initial = sched::decode_acquire_initial(*answer);
  if (!initial) return within("resource.acquire", initial.error());
  flux_future_reset(stream.get());
  return Acquired{std::move(stream), *std::move(initial)};
}

// ---- hello -------------------------------------------------------------------------------

namespace {

/// A job that holds resources, and the questions asked about it.
struct Held {
  JobId id;
  json::value answer;  ///< of sched-hello
  Future lookup;       ///< R and jobspec
};

/// What a job holds now.
struct Facts {
  json::value r;
  std::optional<Duration> duration;
};

/// The payload of job-info.lookup: the values as they are now, after all updates.
json::object lookup_payload(JobId id) {
  return {{"id", id.value()}, {"keys", {"R", "jobspec"}}, {"flags", FLUX_JOB_LOOKUP_CURRENT}};
}

/// A member that is an object, or the text of one.
Result<json::value> member(const json::value& answer, std::string_view key) {
  const json::object* object = answer.if_object();
  const json::value* value = object == nullptr ? nullptr : object->if_contains(key);
  if (value == nullptr) return failure(ErrorCode::not_found, "no {} in the answer", key);
  if (value->is_string()) return parse_json(value->get_string());
  return *value;
}

/// Reads R, and the duration when the jobspec says one.
Result<Facts> read_facts(const json::value& answer) {
  auto r = member(answer, "R");
  if (!r) return r.error();
  Facts facts{*std::move(r), std::nullopt};
  if (const auto text = member(answer, "jobspec")) {
    if (const auto parsed = jobspec::parse(*text)) facts.duration = parsed->duration;
  }
  return facts;
}

Result<Facts> ask_job_info(flux_t* handle, JobId id) {
  const Future lookup = rpc(handle, "job-info.lookup", lookup_payload(id));
  const auto answer = get_now(lookup.get(), "job-info.lookup");
  if (!answer) return answer.error();
  return read_facts(*answer);
}

/// The R of the allocation as it was at first.
Result<Facts> read_kvs(flux_t* handle, JobId id) {
  const auto key = kvs_key(id, "R");
  if (!key) return key.error();
  const Future lookup(flux_kvs_lookup(handle, nullptr, 0, key->c_str()));
  if (!lookup) return last_error(*key);
  const char* text = nullptr;
  if (flux_kvs_lookup_get(lookup.get(), &text) < 0) return error_of(lookup.get(), *key);
  auto r = parse_json(text);
  if (!r) return within(*key, r.error());
  return Facts{*std::move(r), std::nullopt};
}

Result<Facts> facts_of(flux_t* handle, const Held& job) {
  if (const auto answer = get_now(job.lookup.get(), "job-manager.getattr")) {
    if (auto facts = read_facts(*answer)) return facts;
  }
  if (auto facts = ask_job_info(handle, job.id)) return facts;
  auto facts = read_kvs(handle, job.id);
  if (facts) {
    log(handle, LogLevel::warning,
        fmt::format("hello: job {}: neither job-manager nor job-info knows its R; that of its "
                    "start is taken, changes of its end since then are not known",
                    format_f58(job.id)));
  }
  return facts;
}

Result<void> take_over(flux_t* handle, sched::Scheduler& scheduler, const Held& job) {
  const auto facts = facts_of(handle, job);
  if (!facts) return facts.error();
  const auto decoded =
      sched::decode_hello(job.answer, facts->r, facts->duration, scheduler.engine().graph());
  if (!decoded) return decoded.error();
  scheduler.hello(*decoded);
  return {};
}

void give_up(flux_t* handle, JobId id, const Error& error) {
  log(handle, LogLevel::error,
      fmt::format("hello: job {}: its R cannot be read, raising a fatal exception: {}",
                  format_f58(id), error.message));
  const Future raised(
      flux_job_raise(handle, id.value(), "scheduler-restart", 0, "its R cannot be read"));
  if (!raised || flux_future_get(raised.get(), nullptr) < 0) {
    log(handle, LogLevel::error, last_error("exception").message);
  }
}

/// All answers of sched-hello, with the questions about each job sent.
Result<std::vector<Held>> collect(flux_t* handle) {
  std::vector<Held> held;
  const Future stream = rpc(handle, "job-manager.sched-hello", json::object{{"partial-ok", true}},
                            FLUX_RPC_STREAMING);
  if (!stream) return last_error("job-manager.sched-hello");
  while (true) {
    const char* text = nullptr;
    if (flux_rpc_get(stream.get(), &text) < 0) {
      if (errno == ENODATA) return held;
      return error_of(stream.get(), "job-manager.sched-hello");
    }
    auto answer = parse_json(text == nullptr ? "" : text);
    if (!answer) return within("job-manager.sched-hello", answer.error());
    const auto id = sched::decode_cancel(*answer);  // the id alone
    if (!id) return within("job-manager.sched-hello", id.error());
    Future lookup = rpc(handle, "job-manager.getattr",
                        json::object{{"id", id->value()}, {"attrs", {"R", "jobspec"}}});
    held.push_back({*id, *std::move(answer), std::move(lookup)});
    flux_future_reset(stream.get());
  }
}

}  // namespace

Result<Hello> hello(flux_t* handle, sched::Scheduler& scheduler) {
  const auto held = collect(handle);
  if (!held) return held.error();
  Hello counts;
  for (const Held& job : *held) {
    if (const auto taken = take_over(handle, scheduler, job)) {
      ++counts.jobs;
    } else {
      ++counts.unreadable;
      give_up(handle, job.id, taken.error());
    }
  }
  return counts;
}

Result<std::int64_t> ready(flux_t* handle, std::optional<std::uint32_t> alloc_limit) {
  json::object payload{{"mode", alloc_limit ? "limited" : "unlimited"}};
  if (alloc_limit) payload["limit"] = *alloc_limit;
  const Future future = rpc(handle, "job-manager.sched-ready", payload);
  const auto answer = get_now(future.get(), "job-manager.sched-ready");
  if (!answer) return answer.error();
  const json::object* object = answer->if_object();
  const json::value* count = object == nullptr ? nullptr : object->if_contains("count");
  return count != nullptr && count->is_int64() ? count->get_int64() : 0;
}

}  // namespace tenure::flux
