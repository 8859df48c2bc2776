// The chart of a plan: jobs over time, running ones first.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emul/output.hpp"

namespace tenure::emul {
namespace {

namespace json = boost::json;

constexpr int kMinWidth = 40;
constexpr int kMinChart = 16;
constexpr std::size_t kMaxLabel = 16;
constexpr std::size_t kMaxRanks = 20;
constexpr int kTickDistance = 10;  ///< fewest columns between two numbers of the scale

enum class Kind { running, overrun, planned };

struct Row {
  std::string label;
  std::string ranks;
  double start = 0;
  std::optional<double> end;
  std::optional<double> bar_end;  ///< beyond `end` for an overrun
  Kind kind = Kind::running;
};

/// Shortens to `size` code points; labels are UTF-8.
std::string shortened(std::string_view text, std::size_t size) {
  std::string result;
  std::size_t points = 0;
  for (const char c : text) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (begins && ++points > size) return result + "…";
    result += c;
  }
  return result;
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  result.append(width - std::min(width, columns(text)), ' ');
  return result;
}

std::string label_of(const json::object& job) {
  return shortened(std::string_view(job.at("id").as_string()), kMaxLabel);
}

std::vector<Row> rows_of(const json::object& plan) {
  std::vector<Row> rows;
  const auto read = [&](std::string_view key, Kind kind) {
    for (const json::value& value : plan.at(key).as_array()) {
      const json::object& entry = value.as_object();
      Row row;
      row.label = label_of(entry);
      row.ranks = shortened(std::string_view(entry.at("ranks").as_string()), kMaxRanks);
      row.start = entry.at("start").to_number<double>();
      if (!entry.at("end").is_null()) row.end = entry.at("end").to_number<double>();
      row.kind = entry.contains("overrun") ? Kind::overrun : kind;
      row.bar_end = row.end;
      // It still holds its resources.
      if (row.kind == Kind::overrun) row.bar_end = plan.at("t").to_number<double>();
      rows.push_back(std::move(row));
    }
  };
  read("allocations", Kind::running);
  read("reservations", Kind::planned);
  std::ranges::stable_sort(
      rows, {}, [](const Row& row) { return std::pair(row.kind == Kind::planned, row.start); });
  return rows;
}

/// A round step of seconds so that the numbers of the scale do not touch.
double tick_step(double seconds_per_column) {
  constexpr std::array<double, 24> kSteps = {
      0.001, 0.01, 0.1, 0.5,  1,    2,    5,     10,    15,    30,    60,     120,
      300,   600,  900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800};
  const double least = seconds_per_column * kTickDistance;
  for (const double step : kSteps) {
    if (step >= least) return step;
  }
  return kSteps.back() * std::ceil(least / kSteps.back());
}

class Chart {
 public:
  Chart(const json::object& plan, TextStyle style);
  std::string draw() const;

 private:
  void scale(std::string& out) const;
  void bar(std::string& out, const Row& row) const;
  std::string when(const Row& row) const;
  int column(double t) const;
  std::string_view colour(std::string_view code) const {
    return style_.colour == TextStyle::Colour::yes ? code : std::string_view();
  }

  const json::object* plan_;
  TextStyle style_;
  std::vector<Row> rows_;
  double now_;
  double from_;
  double until_;
  std::size_t label_ = 0;
  std::size_t ranks_ = 0;
  int width_ = kMinChart;
};

Chart::Chart(const json::object& plan, TextStyle style)
    : plan_(&plan),
      style_(style),
      rows_(rows_of(plan)),
      now_(plan.at("t").to_number<double>()),
      from_(now_),
      until_(now_) {
  std::size_t when_width = 0;
  for (const Row& row : rows_) {
    from_ = std::min(from_, row.start);
    until_ = std::max({until_, row.start, row.bar_end.value_or(row.start)});
    label_ = std::max(label_, columns(row.label));
    ranks_ = std::max(ranks_, columns(row.ranks));
    when_width = std::max(when_width, columns(when(row)));
  }
  for (const json::value& value : plan.at("unplanned").as_array()) {
    label_ = std::max(label_, columns(label_of(value.as_object())));
  }
  // With nothing known ahead, as much future as past.
  if (until_ <= now_) until_ = now_ + std::max(1.0, now_ - from_);
  // A long past must not leave the future without room.
  from_ = std::max(from_, now_ - (until_ - now_) / 2);
  const int taken = static_cast<int>(label_ + ranks_ + when_width) + 9;
  width_ = std::max(kMinChart, std::max(kMinWidth, style_.width) - taken);
}

int Chart::column(double t) const {
  const double share = (t - from_) / (until_ - from_);
  return std::clamp(static_cast<int>(std::lround(share * width_)), 0, width_);
}

std::string Chart::when(const Row& row) const {
  return fmt::format("{} – {}{}", row.start, row.end ? fmt::format("{}", *row.end) : "∞",
                     row.kind == Kind::overrun ? " overrun" : "");
}

void Chart::scale(std::string& out) const {
  const double step = tick_step((until_ - from_) / width_);
  std::string numbers(static_cast<std::size_t>(width_) + kTickDistance, ' ');
  std::vector<int> ticks;
  for (double t = std::ceil(from_ / step) * step + 0.0; t <= until_; t += step) {  // no -0
    const std::string text = fmt::format("{:.10g}", t);
    const int at = column(t);
    ticks.push_back(at);
    if (text.size() < kTickDistance) {
      numbers.replace(static_cast<std::size_t>(at), text.size(), text);
    }
  }
  numbers.erase(numbers.find_last_not_of(' ') + 1);
  const std::string indent(label_ + 4, ' ');
  fmt::format_to(std::back_inserter(out), "{}{}{}{}\n{}{}", indent, colour("\x1b[2m"), numbers,
                 colour("\x1b[0m"), indent, colour("\x1b[2m"));
  for (int i = 0; i <= width_; ++i) {
    const bool tick = std::ranges::find(ticks, i) != ticks.end();
    out += i == column(now_) ? "▼" : tick ? "┴" : "─";
  }
  fmt::format_to(std::back_inserter(out), "{}\n", colour("\x1b[0m"));
}

void Chart::bar(std::string& out, const Row& row) const {
  const int first = std::min(column(row.start), width_ - 1);
  const int last = row.bar_end ? std::max(column(*row.bar_end), first + 1) : width_;
  std::string_view fill = "█";
  std::string_view code = "\x1b[32m";
  if (row.kind == Kind::planned) fill = "░", code = "\x1b[36m";
  if (row.kind == Kind::overrun) fill = "▒", code = "\x1b[33m";
  fmt::format_to(std::back_inserter(out), "  {}  ", padded(row.label, label_));
  out.append(static_cast<std::size_t>(first), ' ');
  out += colour(code);
  for (int i = first; i < last; ++i) out += fill;
  if (!row.bar_end) out += "▶";
  out += colour("\x1b[0m");
  out.append(static_cast<std::size_t>(width_ - last) + (row.bar_end ? 1 : 0), ' ');
  fmt::format_to(std::back_inserter(out), "  {}  {}\n", padded(row.ranks, ranks_), when(row));
}

std::string Chart::draw() const {
  const json::array& unplanned = plan_->at("unplanned").as_array();
  std::string out = fmt::format("{:>9}  plan: {} running, {} planned, {} without a planned start\n",
                                now_, plan_->at("allocations").as_array().size(),
                                plan_->at("reservations").as_array().size(), unplanned.size());
  if (!rows_.empty()) scale(out);
  for (const Row& row : rows_) bar(out, row);
  for (const json::value& value : unplanned) {
    const json::object& job = value.as_object();
    fmt::format_to(std::back_inserter(out), "  {}  {}\n", padded(label_of(job), label_),
                   std::string_view(job.at("reason").as_string()));
  }
  return out;
}

}  // namespace

std::string gantt(const json::object& plan, TextStyle style) { return Chart(plan, style).draw(); }

}  // namespace tenure::emul
