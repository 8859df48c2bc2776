#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "emul/output.hpp"
#include "graph/formats/json_field.hpp"
#include "report/result.hpp"

namespace tenure::report {
namespace {

namespace json = boost::json;

json::value text_or_null(std::string_view text) {
  return text.empty() ? json::value(nullptr) : json::value(json::string(text));
}

json::array write_row(const JobRow& row, Time origin) {
  const emul::JobRecord& job = *row.record;
  json::array announced;
  for (const emul::Announcement& entry : row.announced) {
    announced.push_back(json::array{seconds_of(entry.at, origin), seconds_of(entry.start, origin)});
  }
  const auto time = [&](const std::optional<Time>& value) { return seconds_of(value, origin); };
  std::optional<Time> end = job.finish;
  std::optional<Time> planned;
  if (job.planned) {
    planned = job.planned->start;
    end = job.planned->end;
  }
  const bool started = job.start.has_value();
  return json::array{json::string(row.id),
                     text_or_null(row.user),
                     text_or_null(row.queue),
                     time(job.submit),
                     time(job.start),
                     time(end),
                     seconds_of(job.walltime),
                     time(job.expires),
                     seconds_of(job.runtime),
                     job.procs,
                     job.units,
                     job.ranks.to_string(),
                     json::string(to_string(job.outcome)),
                     text_or_null(started ? plan::to_string(job.selection) : std::string_view()),
                     job.extensions,
                     std::move(announced),
                     time(planned),
                     time(row.baseline_start)};
}

/// Everything up to the first row.
std::string head_text(const ResultHead& head) {
  json::object object{{kResultKey, kResultVersion},
                      {"producer", head.producer},
                      {"command", head.command},
                      {"name", head.name},
                      {"origin", seconds_of(head.origin, Time())},
                      {"begin", seconds_of(head.span.start, head.origin)},
                      {"end", seconds_of(head.span.end, head.origin)},
                      {"cluster", json::object{{"nodes", head.cluster.nodes},
                                               {"cores_per_node", head.cluster.cores_per_node},
                                               {"unit", head.cluster.unit},
                                               {"units", head.cluster.units}}},
                      {"config", head.config},
                      {"options", head.options},
                      {"metrics", head.metrics},
                      {"series", head.series},
                      {"events", head.events},
                      {"down", head.down},
                      {"windows", head.windows}};
  std::string text = emul::json_text(object);
  text.pop_back();  // the brace: the jobs follow
  json::array columns;
  for (const std::string_view column : kJobColumns) columns.push_back(json::string(column));
  return text + fmt::format(",\"jobs\":{{\"columns\":{},\"rows\":[", emul::json_text(columns));
}

constexpr std::string_view kTail = "\n]}}\n";

}  // namespace

json::value seconds_of(Duration duration) {
  return duration.is_infinite() ? json::value(nullptr) : graph::write_duration(duration);
}

json::value seconds_of(const std::optional<Time>& time, Time origin) {
  if (!time || time->is_never()) return nullptr;
  return seconds_of(*time - origin);
}

std::string result_text(const ResultHead& head, std::span<const JobRow> rows) {
  std::string text = head_text(head);
  std::string_view before = "\n";
  for (const JobRow& row : rows) {
    text += std::exchange(before, ",\n");
    text += emul::json_text(write_row(row, head.origin));
  }
  return text += kTail;
}

json::array events_json(std::span<const emul::ExtensionEvent> events, Time origin,
                        const std::function<std::string(std::size_t)>& id) {
  json::array array;
  for (const emul::ExtensionEvent& event : events) {
    const bool cut = event.to && *event.to < event.from;
    json::object entry{{"t", seconds_of(event.at, origin)},
                       {"event", !event.to ? "refuse"
                                 : cut     ? "cut"
                                           : "extend"},
                       {"id", id(event.job)},
                       {"from", seconds_of(event.from, origin)}};
    if (event.to) entry["to"] = seconds_of(*event.to, origin);
    array.push_back(std::move(entry));
  }
  return array;
}

json::array down_json(std::span<const emul::DownSpan> spans, Time origin) {
  json::array array;
  for (const emul::DownSpan& span : spans) {
    array.push_back(json::object{{"ranks", span.ranks.to_string()},
                                 {"start", seconds_of(span.from, origin)},
                                 {"end", seconds_of(span.to, origin)}});
  }
  return array;
}

Result<ResultWriter> ResultWriter::open(const std::filesystem::path& path, const ResultHead& head) {
  auto file = FileReplacement::open(path);
  if (!file) return file.error();
  file->write(head_text(head));
  return ResultWriter(*std::move(file), head.origin);
}

void ResultWriter::add(const JobRow& row) {
  file_.write(std::exchange(any_, true) ? ",\n" : "\n");
  file_.write(emul::json_text(write_row(row, origin_)));
}

Result<void> ResultWriter::finish() {
  file_.write(kTail);
  return file_.commit();
}

}  // namespace tenure::report
