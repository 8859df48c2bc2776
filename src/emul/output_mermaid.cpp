// The plan as a mermaid gantt chart: a text that renders where markdown does.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

#include "emul/output.hpp"

namespace tenure::emul {
namespace {

namespace json = boost::json;

/// Mermaid ends a title at a colon, and a line at # and ;.
std::string title(std::string_view text) {
  std::string result(text);
  std::ranges::replace_if(
      result,
      [](char c) {
        return c == ':' || c == '#' || c == ';' || static_cast<unsigned char>(c) < 0x20;
      },
      '_');
  return result;
}

std::int64_t milliseconds(const json::value& seconds) {
  return std::llround(seconds.to_number<double>() * 1000);
}

class Chart {
 public:
  explicit Chart(const json::object& plan) : plan_(&plan), now_(milliseconds(plan.at("t"))) {
    horizon_ = now_;
    for (const char* key : {"allocations", "reservations"}) {
      for (const json::value& job : plan.at(key).as_array()) {
        horizon_ = std::max(horizon_, milliseconds(job.at("start")));
        if (!job.at("end").is_null()) horizon_ = std::max(horizon_, milliseconds(job.at("end")));
      }
    }
    horizon_ += std::max<std::int64_t>(1000, (horizon_ - now_) / 10);  // for what has no end
  }

  std::string draw(Axis axis) {
    fmt::format_to(out(), "gantt\n  title Plan at {}{}\n  dateFormat x\n  axisFormat {}\n",
                   number_text(plan_->at("t")), axis == Axis::dates ? "" : " s",
                   axis == Axis::dates ? "%m-%d %H:%M" : "%s");
    section("running", "allocations", "active, ");
    section("planned", "reservations", "");
    waiting();
    return std::move(text_);
  }

 private:
  std::back_insert_iterator<std::string> out() { return std::back_inserter(text_); }

  void section(std::string_view name, std::string_view key, std::string_view tag) {
    const json::array& jobs = plan_->at(key).as_array();
    if (jobs.empty()) return;
    fmt::format_to(out(), "  section {}\n", name);
    for (const json::value& job : jobs) {
      const bool overrun = job.as_object().contains("overrun");
      const std::int64_t start = milliseconds(job.at("start"));
      std::int64_t end = job.at("end").is_null() ? horizon_ : milliseconds(job.at("end"));
      if (overrun) end = std::max(end, now_);  // it still holds its resources
      fmt::format_to(out(), "  job {} on {}{} :{}{}, {}\n", name_of(job),
                     title(std::string_view(job.at("ranks").as_string())),
                     job.at("end").is_null() ? " without end"
                     : overrun               ? " overrun"
                                             : "",
                     overrun ? "crit, " : tag, start, end);
    }
  }

  void waiting() {
    const json::array& jobs = plan_->at("unplanned").as_array();
    if (jobs.empty()) return;
    fmt::format_to(out(), "  section waiting\n");
    for (const json::value& job : jobs) {
      fmt::format_to(out(), "  job {} {} :milestone, {}, {}\n", name_of(job),
                     title(std::string_view(job.at("reason").as_string())), now_, now_);
    }
  }

  static std::string name_of(const json::value& job) {
    const json::value& id = job.at("id");
    return title(id.is_string() ? std::string(id.get_string()) : number_text(id));
  }

  const json::object* plan_;
  std::int64_t now_;
  std::int64_t horizon_;
  std::string text_;
};

}  // namespace

std::string mermaid(const json::object& plan, Axis axis) { return Chart(plan).draw(axis); }

}  // namespace tenure::emul
