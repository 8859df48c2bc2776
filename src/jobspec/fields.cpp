#include "jobspec/fields.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "graph/formats/json_field.hpp"

namespace tenure::jobspec {

namespace json = boost::json;
using graph::wrong_value;

std::string member(std::string_view path, std::string_view key) {
  const bool plain = !key.empty() && key.size() <= graph::kMaxShownBytes &&
                     key.find_first_of(" .'\"[]\n\r\t") == std::string_view::npos;
  const std::string shown = plain ? std::string(key) : graph::show_text(key);
  return path.empty() ? shown : fmt::format("{}.{}", path, shown);
}

std::string element(std::string_view path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

Result<const json::object*> object_with_keys(const json::value& value, std::string_view path,
                                             Keys keys) {
  const json::object* object = value.if_object();
  if (object == nullptr) return wrong_value(path.empty() ? "jobspec" : path, value, "an object");
  for (const auto& [key, ignored] : *object) {
    if (std::find(keys.begin(), keys.end(), std::string_view(key)) != keys.end()) continue;
    return failure(ErrorCode::invalid, "{}: is not a known key ({})", member(path, key),
                   fmt::join(keys, ", "));
  }
  return object;
}

Result<const json::array*> array_of(const json::value& value, std::string_view path,
                                    std::size_t least, std::size_t most) {
  const json::array* array = value.if_array();
  if (array != nullptr && array->size() >= least && array->size() <= most) return array;
  const std::string expected = least == most ? fmt::format("an array of {}", least)
                                             : fmt::format("an array of {} to {}", least, most);
  return wrong_value(path, value, expected);
}

Result<std::string> read_string(const json::value& value, std::string_view path) {
  if (const json::string* text = value.if_string()) return std::string(*text);
  return wrong_value(path, value, "a string");
}

Result<std::uint64_t> read_count(const json::value& value, std::string_view path) {
  if (const std::int64_t* count = value.if_int64(); count != nullptr && *count >= 1) {
    return static_cast<std::uint64_t>(*count);
  }
  if (const std::uint64_t* count = value.if_uint64();
      count != nullptr && *count >= 1 && *count <= kMaxCount) {
    return *count;
  }
  return wrong_value(path, value, fmt::format("an integer from 1 to {}", kMaxCount));
}

Result<void> check_command(const json::value& value, std::string_view path) {
  if (value.is_string()) return {};
  const json::array* words = value.if_array();
  if (words == nullptr || words->empty()) {
    return wrong_value(path, value, "an array of one or more strings");
  }
  for (std::size_t i = 0; i < words->size(); ++i) {
    if (!(*words)[i].is_string()) return wrong_value(element(path, i), (*words)[i], "a string");
  }
  return {};
}

namespace {

Result<Duration> read_duration(const json::value& value, std::string_view path) {
  constexpr std::string_view kExpected = "a number of seconds >= 0";
  Duration duration;
  if (const std::int64_t* seconds = value.if_int64()) {
    if (*seconds < 0) return wrong_value(path, value, kExpected);
    duration = Duration::seconds(*seconds);
  } else {
    const double number = value.is_number() ? value.to_number<double>() : -1.0;
    if (!std::isfinite(number) || number < 0) return wrong_value(path, value, kExpected);
    const Result<Duration> parsed = Duration::from_seconds(number);
    if (!parsed) return within(path, parsed.error());
    duration = *parsed;
  }
  return duration == Duration::zero() ? Duration::infinite() : duration;
}

Result<void> check_kind(const json::object& system, std::string_view key, json::kind kind,
                        std::string_view expected) {
  const json::value* value = system.if_contains(key);
  if (value == nullptr || value->kind() == kind) return {};
  return wrong_value(member("attributes.system", key), *value, expected);
}

/// Reads a string attribute into `target` when it is there.
Result<std::string> read_text_attribute(const json::object& system, std::string_view key) {
  const json::value* value = system.if_contains(key);
  if (value == nullptr) return std::string();
  return read_string(*value, member("attributes.system", key));
}

Result<void> read_system(const json::object& system, Jobspec& jobspec) {
  if (const json::value* value = system.if_contains("duration")) {
    const Result<Duration> duration = read_duration(*value, "attributes.system.duration");
    if (!duration) return duration.error();
    jobspec.duration = *duration;
  }
  if (const json::value* value = system.if_contains("preemptible-after")) {
    const auto after = read_duration(*value, "attributes.system.preemptible-after");
    if (!after) return after.error();
  }
  if (const json::value* value = system.if_contains("constraints")) {
    Result<Constraint> constraint = Constraint::parse(*value);
    if (!constraint) return within("attributes.system.constraints", constraint.error());
    jobspec.constraint = *std::move(constraint);
  }
  Result<std::string> queue = read_text_attribute(system, "queue");
  if (!queue) return queue.error();
  jobspec.queue = *std::move(queue);
  Result<std::string> reservation = read_text_attribute(system, "reservation");
  if (!reservation) return reservation.error();
  jobspec.reservation = *std::move(reservation);

  if (auto ok = check_kind(system, "cwd", json::kind::string, "a string"); !ok) return ok;
  if (auto ok = check_kind(system, "environment", json::kind::object, "an object"); !ok) return ok;
  return check_kind(system, "dependencies", json::kind::array, "an array");
}

}  // namespace

Result<void> read_attributes(const json::value& value, Jobspec& jobspec) {
  if (value.is_null()) return {};
  const auto attributes = object_with_keys(value, "attributes", {"system", "user"});
  if (!attributes) return attributes.error();
  if (const json::value* user = (*attributes)->if_contains("user")) {
    if (!user->is_object()) return wrong_value("attributes.user", *user, "an object");
  }
  const json::value* system = (*attributes)->if_contains("system");
  if (system == nullptr) return {};
  if (!system->is_object()) return wrong_value("attributes.system", *system, "an object");
  return read_system(system->get_object(), jobspec);
}

}  // namespace tenure::jobspec
