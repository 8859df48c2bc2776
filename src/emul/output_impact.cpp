// The impact of another end as text for people; see output.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/time.hpp"
#include "emul/output.hpp"

namespace tenure::emul {
namespace {

namespace json = boost::json;

/// Jobs that are named; the others are counted.
constexpr std::size_t kMostNamed = 12;

Duration duration_of(const json::value& seconds) {
  return Duration::microseconds(std::llround(seconds.to_number<double>() * 1e6));
}

std::string name_of(const json::object& job) {
  const json::value& id = job.at("id");
  return id.is_string() ? std::string(id.get_string()) : number_text(id);
}

std::string shift_line(const json::object& job) {
  const json::value& from = job.at("from");
  const json::value& to = job.at("to");
  if (to.is_null()) {
    return fmt::format("  {:<16} {} -> no planned start any more\n", name_of(job),
                       number_text(from));
  }
  if (from.is_null()) {
    return fmt::format("  {:<16} no planned start -> {}\n", name_of(job), number_text(to));
  }
  const Duration delay = duration_of(job.at("delay"));
  const bool later = delay > Duration::zero();
  return fmt::format("  {:<16} {} -> {}  {}{}\n", name_of(job), number_text(from), number_text(to),
                     later ? '+' : '-',
                     format_fsd(later ? delay : Duration::microseconds(-delay.count())));
}

void append_shifts(std::string& text, const json::array& jobs) {
  for (std::size_t i = 0; i < std::min(jobs.size(), kMostNamed); ++i) {
    text += shift_line(jobs[i].get_object());
  }
  if (jobs.size() > kMostNamed) {
    text += fmt::format("  … and {} more\n", jobs.size() - kMostNamed);
  }
}

std::string delays(const json::array& jobs) {
  if (jobs.empty()) return "delays nobody";
  Duration worst;
  Duration total;
  for (const json::value& job : jobs) {
    const json::value& delay = job.at("delay");
    if (delay.is_null()) continue;
    worst = std::max(worst, duration_of(delay));
    total = total + duration_of(delay);
  }
  return fmt::format("delays {}, {} at worst, {} in all", plural(jobs.size(), "job"),
                     format_fsd(worst), format_fsd(total));
}

std::string step_line(const json::object& step) {
  const auto delayed = step.at("delayed").to_number<std::uint64_t>();
  const auto lost = step.at("lost").to_number<std::uint64_t>();
  const std::string by = step.contains("by") ? std::string(step.at("by").get_string()) : "";
  const std::string cost =
      delayed == 0 ? "nobody"
                   : fmt::format("{}, {} at worst, {} in all, {} node-hours",
                                 plural(delayed, "job"), format_fsd(duration_of(step.at("worst"))),
                                 format_fsd(duration_of(step.at("total"))),
                                 number_text(step.at("node_hours")));
  const std::string never = lost == 0 ? "" : fmt::format("; {} without a planned start then", lost);
  return fmt::format("  {:<6} until {:<12} delays {}{}\n", by, number_text(step.at("end")), cost,
                     never);
}

}  // namespace

std::string impact_text(const json::object& impact) {
  std::string text;
  if (!impact.at("ok").as_bool()) {
    text = fmt::format("refused: {}\n", std::string_view(impact.at("error").as_string()));
  } else {
    const json::array& delayed = impact.at("delayed").as_array();
    const json::array& advanced = impact.at("advanced").as_array();
    const json::value& end = impact.at("end");
    text = fmt::format("accepted until {}: {}\n", end.is_null() ? "for ever" : number_text(end),
                       delays(delayed));
    append_shifts(text, delayed);
    if (!advanced.empty()) text += fmt::format("earlier: {}\n", plural(advanced.size(), "job"));
    append_shifts(text, advanced);
  }
  if (const json::value* free = impact.if_contains("free_until")) {
    text += free->is_null() ? "free for as long as it likes\n"
                            : fmt::format("free until {}\n", number_text(*free));
  }
  if (const json::value* frontier = impact.if_contains("frontier")) {
    for (const json::value& step : frontier->as_array()) text += step_line(step.get_object());
  }
  return text;
}

}  // namespace tenure::emul
