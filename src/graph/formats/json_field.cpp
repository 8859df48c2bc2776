#include "graph/formats/json_field.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tenure::graph {
namespace {

namespace json = boost::json;

std::string join(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

}  // namespace

std::string show_text(std::string_view text) { return in_quotes(text); }

std::string show(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return value.get_bool() ? "true" : "false";
    case json::kind::int64:
      return fmt::format("{}", value.get_int64());
    case json::kind::uint64:
      return fmt::format("{}", value.get_uint64());
    case json::kind::double_:
      return fmt::format("{}", value.get_double());
    case json::kind::string:
      return show_text(value.get_string());
    case json::kind::array:
      return fmt::format("an array of {}", value.get_array().size());
    case json::kind::object:
      return "an object";
  }
  return "a value";
}

Error wrong_value(std::string_view path, const json::value& value, std::string_view expected) {
  return failure(ErrorCode::invalid, "{}: {} is not {}", path, show(value), expected);
}

Result<const json::value*> required(const json::object& object, std::string_view path,
                                    std::string_view key) {
  if (const json::value* value = object.if_contains(key)) return value;
  return failure(ErrorCode::invalid, "{}: is missing", join(path, key));
}

Result<Idset> read_idset(const json::value& value, std::string_view path) {
  const json::string* text = value.if_string();
  if (text == nullptr) return wrong_value(path, value, "a string with an idset");
  Result<Idset> ids = Idset::parse(*text);
  if (!ids) return within(path, ids.error());
  return ids;
}

Result<Time> read_time(const json::value& value, std::string_view path) {
  constexpr std::string_view kExpected = "a number of seconds >= 0";
  if (!value.is_number()) return wrong_value(path, value, kExpected);
  if (const std::int64_t* seconds = value.if_int64()) {
    if (*seconds < 0) return wrong_value(path, value, kExpected);
    return Time::seconds(*seconds);
  }
  const double seconds = value.to_number<double>();
  if (!std::isfinite(seconds) || seconds < 0) return wrong_value(path, value, kExpected);
  Result<Time> time = Time::from_seconds(seconds);
  if (!time) return within(path, time.error());
  return time;
}

json::value write_time(Time time) {
  return write_duration(time.is_never() ? Duration::infinite() : time - Time());
}

json::value write_duration(Duration duration) {
  constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;
  if (duration.is_infinite()) return 0;
  if (duration.count() % kMicrosecondsPerSecond == 0) {
    return duration.count() / kMicrosecondsPerSecond;
  }
  return duration.to_seconds();
}

bool is_property_name(std::string_view name) {
  return !name.empty() && name.find_first_of("!&'\"^`|()") == std::string_view::npos;
}

}  // namespace tenure::graph
