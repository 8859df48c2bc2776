#include "emul/link.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "graph/formats/r.hpp"
#include "jobspec/jobspec.hpp"

namespace tenure::emul::wire {
namespace {

namespace json = boost::json;

/// What our own codec wrote must be readable by our own codec.
template <class T>
T must(Result<T> result, std::string_view what) {
  CHECK(result.has_value(), "{}: {}", what, result.error().message);
  return *std::move(result);
}

sched::Change<Time> time_change(const json::object& keys, std::string_view key) {
  const json::value* value = keys.if_contains(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_null()) return std::optional<Time>();
  return std::optional<Time>(must(Time::from_seconds(value->to_number<double>()), key));
}

sched::Change<std::string> text_change(const json::object& keys, std::string_view key) {
  const json::value* value = keys.if_contains(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_null()) return std::optional<std::string>();
  return std::optional<std::string>(std::string(value->as_string()));
}

}  // namespace

json::value carry(const json::value& message) { return json::parse(json::serialize(message)); }

Result<sched::AllocRequest> alloc(const sched::AllocRequest& request, const json::object& jobspec) {
  const json::value payload = carry(sched::encode(request, jobspec));
  const auto envelope = must(sched::decode_alloc(payload), "sched.alloc");
  auto parsed = jobspec::parse(*envelope.jobspec);
  if (!parsed) return parsed.error();
  return sched::AllocRequest{envelope.id, envelope.priority, envelope.user, envelope.submit,
                             std::make_shared<const jobspec::Jobspec>(*std::move(parsed))};
}

JobId cancel(JobId id) {
  return must(sched::decode_cancel(carry(json::object{{"id", id.value()}})), "sched.cancel");
}

sched::FreeRequest free(const sched::FreeRequest& request, const json::value& r) {
  return must(sched::decode_free(carry(sched::encode(request, r))), "sched.free");
}

sched::PrioritizeRequest prioritize(const sched::PrioritizeRequest& request) {
  return must(sched::decode_prioritize(carry(sched::encode(request))), "sched.prioritize");
}

sched::AcquireUpdate acquire_update(const sched::AcquireUpdate& update) {
  return must(sched::decode_acquire_update(carry(sched::encode(update))), "resource.acquire");
}

json::value expiration_payload(JobId id, const json::value* expiration) {
  json::object payload{{"id", id.value()}};
  if (expiration == nullptr) return carry(payload);
  payload["expiration"] = *expiration;
  if (expiration->is_double() && !std::isfinite(expiration->as_double())) return payload;
  return carry(payload);
}

sched::Annotations annotations(const sched::Annotations& sent) {
  const json::value heard = carry(sched::encode(sent));
  sched::Annotations result;
  const json::value* section = heard.as_object().if_contains("sched");
  if (section == nullptr) return result;
  const json::object& keys = section->as_object();
  result.t_estimate = time_change(keys, "t_estimate");
  result.reason_pending = text_change(keys, "reason_pending");
  result.resource_summary = text_change(keys, "resource_summary");
  result.selection_type = text_change(keys, "selection_type");
  return result;
}

sched::AllocSuccess success(const sched::AllocSuccess& sent, const graph::ResourceGraph& writer,
                            const graph::ResourceGraph& reader, const json::value* scheduling) {
  const json::value r = carry(sched::encode_r(sent, writer, scheduling));
  auto read = must(graph::read_allocation(r, reader), "R");
  sched::AllocSuccess heard{sent.start, annotations(sent.annotations)};
  heard.start.placement.resources = std::move(read.resources);
  heard.start.placement.span = Span{read.times.start, read.times.expiration};
  return heard;
}

}  // namespace tenure::emul::wire
