#include <fmt/format.h>

#include <algorithm>

#include "base/idset.hpp"
#include "graph/formats/json_field.hpp"
#include "report/result.hpp"

namespace tenure::report {
namespace {

namespace json = boost::json;
using graph::wrong_value;

enum class Kind { text, text_or_null, number, number_or_null, count, ranks, outcome, announced };

/// By the place in kJobColumns.
constexpr std::array<Kind, kJobColumns.size()> kKinds{
    Kind::text,           Kind::text_or_null,   Kind::text_or_null,   Kind::number,
    Kind::number_or_null, Kind::number_or_null, Kind::number_or_null, Kind::number_or_null,
    Kind::number_or_null, Kind::count,          Kind::count,          Kind::ranks,
    Kind::outcome,        Kind::text_or_null,   Kind::count,          Kind::announced,
    Kind::number_or_null, Kind::number_or_null};

constexpr std::array<std::string_view, 7> kOutcomes{"unsubmitted", "waiting", "running", "done",
                                                    "killed",      "refused", "canceled"};

bool is_count(const json::value& value) {
  return value.is_uint64() || (value.is_int64() && value.get_int64() >= 0);
}

bool is_announced(const json::value& value) {
  const json::array* array = value.if_array();
  return array != nullptr && std::ranges::all_of(*array, [](const json::value& entry) {
           const json::array* pair = entry.if_array();
           return pair != nullptr && pair->size() == 2 && (*pair)[0].is_number() &&
                  (*pair)[1].is_number();
         });
}

/// Empty: the value is of the kind; else what would be valid.
std::string_view fault_of(const json::value& value, Kind kind) {
  const bool is_null = value.is_null();
  switch (kind) {
    case Kind::text:
      return value.is_string() ? "" : "a text";
    case Kind::text_or_null:
      return value.is_string() || is_null ? "" : "a text or null";
    case Kind::number:
      return value.is_number() ? "" : "a number of seconds";
    case Kind::number_or_null:
      return value.is_number() || is_null ? "" : "a number of seconds or null";
    case Kind::count:
      return is_count(value) ? "" : "a whole number from 0";
    case Kind::ranks:
      return value.is_string() && Idset::parse(std::string_view(value.get_string())).has_value()
                 ? ""
                 : "an idset such as 0-3,7 (RFC 22)";
    case Kind::outcome:
      return value.is_string() &&
                     std::ranges::find(kOutcomes, std::string_view(value.get_string())) !=
                         kOutcomes.end()
                 ? ""
                 : "unsubmitted, waiting, running, done, killed, refused or canceled";
    case Kind::announced:
      return is_announced(value) ? "" : "an array of [time, start] pairs";
  }
  return "a value";
}

Result<void> check_rows(const json::object& jobs) {
  const auto rows = graph::required(jobs, "jobs", "rows");
  if (!rows) return rows.error();
  const json::array* array = (*rows)->if_array();
  if (array == nullptr) return wrong_value("jobs.rows", **rows, "an array");
  if (array->size() > kMaxResultJobs) {
    return failure(ErrorCode::limit, "jobs.rows: {} rows, the most are {}", array->size(),
                   kMaxResultJobs);
  }
  for (std::size_t i = 0; i < array->size(); ++i) {
    const json::array* row = (*array)[i].if_array();
    if (row == nullptr || row->size() != kJobColumns.size()) {
      return wrong_value(fmt::format("jobs.rows[{}]", i), (*array)[i],
                         fmt::format("an array of {}, one a column", kJobColumns.size()));
    }
    for (std::size_t k = 0; k < row->size(); ++k) {
      const std::string_view valid = fault_of((*row)[k], kKinds[k]);
      if (valid.empty()) continue;
      return wrong_value(fmt::format("jobs.rows[{}].{}", i, kJobColumns[k]), (*row)[k], valid);
    }
  }
  return {};
}

Result<void> check_columns(const json::object& jobs) {
  const auto columns = graph::required(jobs, "jobs", "columns");
  if (!columns) return columns.error();
  const json::array* array = (*columns)->if_array();
  const bool same =
      array != nullptr && array->size() == kJobColumns.size() &&
      std::ranges::equal(*array, kJobColumns, [](const json::value& value, std::string_view name) {
        return value.is_string() && value.get_string() == name;
      });
  if (same) return {};
  return failure(ErrorCode::invalid, "jobs.columns: must be {}", fmt::join(kJobColumns, ", "));
}

/// The keys of `object`, each with the kind of its value.
struct Field {
  std::string_view key;
  json::kind kind;
  std::string_view valid;
};

Result<void> check_fields(const json::object& object, std::string_view path,
                          std::span<const Field> fields) {
  for (const Field& field : fields) {
    const auto value = graph::required(object, path, field.key);
    if (!value) return value.error();
    const bool is_right =
        field.kind == json::kind::double_ ? (*value)->is_number() : (*value)->kind() == field.kind;
    if (is_right) continue;
    const std::string place =
        path.empty() ? std::string(field.key) : fmt::format("{}.{}", path, field.key);
    return wrong_value(place, **value, field.valid);
  }
  return {};
}

constexpr std::array<Field, 12> kHeadFields{Field{"producer", json::kind::string, "a text"},
                                            Field{"command", json::kind::string, "a text"},
                                            Field{"name", json::kind::string, "a text"},
                                            Field{"origin", json::kind::double_, "a number"},
                                            Field{"begin", json::kind::double_, "a number"},
                                            Field{"end", json::kind::double_, "a number"},
                                            Field{"cluster", json::kind::object, "an object"},
                                            Field{"config", json::kind::object, "an object"},
                                            Field{"metrics", json::kind::object, "an object"},
                                            Field{"series", json::kind::object, "an object"},
                                            Field{"events", json::kind::array, "an array"},
                                            Field{"jobs", json::kind::object, "an object"}};
/// Of versions that were made before them, results without these are read too.
constexpr std::array<std::string_view, 2> kSpanFields{"down", "windows"};

/// Objects with a time from … to and an idset.
Result<void> check_spans(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr) return {};
  const json::array* spans = value->if_array();
  if (spans == nullptr) return wrong_value(key, *value, "an array");
  for (std::size_t i = 0; i < spans->size(); ++i) {
    const std::string path = fmt::format("{}[{}]", key, i);
    const json::object* span = (*spans)[i].if_object();
    if (span == nullptr) return wrong_value(path, (*spans)[i], "an object");
    constexpr std::array<std::pair<std::string_view, Kind>, 3> kParts{
        std::pair{"ranks", Kind::ranks}, std::pair{"start", Kind::number},
        std::pair{"end", Kind::number_or_null}};
    for (const auto& [part, kind] : kParts) {
      const auto field = graph::required(*span, path, part);
      if (!field) return field.error();
      const std::string_view valid = fault_of(**field, kind);
      if (!valid.empty()) return wrong_value(fmt::format("{}.{}", path, part), **field, valid);
    }
  }
  return {};
}

constexpr std::array<Field, 3> kClusterFields{Field{"nodes", json::kind::double_, "a number"},
                                              Field{"units", json::kind::double_, "a number"},
                                              Field{"unit", json::kind::string, "node or core"}};

}  // namespace

bool is_result(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] != '{') return false;
  const std::size_t quote = text.find('"', start);
  return quote != std::string_view::npos && text.substr(quote + 1).starts_with(kResultKey);
}

Result<json::value> parse_result(std::string_view text) {
  if (text.size() > kMaxResultBytes) {
    return failure(ErrorCode::limit, "{} bytes, the most are {}", text.size(), kMaxResultBytes);
  }
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  if (error) return failure(ErrorCode::invalid, "is no JSON: {}", error.message());
  const json::object* object = value.if_object();
  if (object == nullptr || !object->contains(kResultKey)) {
    return failure(ErrorCode::invalid,
                   "is no result of tenure: an object with the key \"{}\" is needed, as "
                   "`tenure sim -o FILE` writes it",
                   kResultKey);
  }
  if (object->at(kResultKey) != kResultVersion) {
    return failure(ErrorCode::unsupported, "{}: version {} is not {}", kResultKey,
                   graph::show(object->at(kResultKey)), kResultVersion);
  }
  if (auto done = check_fields(*object, "", kHeadFields); !done) return done.error();
  const json::object& cluster = object->at("cluster").get_object();
  if (auto done = check_fields(cluster, "cluster", kClusterFields); !done) return done.error();
  for (const std::string_view key : kSpanFields) {
    if (auto done = check_spans(*object, key); !done) return done.error();
  }
  const json::object& jobs = object->at("jobs").get_object();
  if (auto done = check_columns(jobs); !done) return done.error();
  if (auto done = check_rows(jobs); !done) return done.error();
  return value;
}

}  // namespace tenure::report
