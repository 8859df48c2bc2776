#include "emul/output.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace tenure::emul {
namespace {

namespace json = boost::json;

void append(std::string& out, const json::value& value);

/// The shortest text that reads back the same, without an exponent if it can be.
void append(std::string& out, double number) {
  std::string text = fmt::format("{}", number);
  if (text.find('e') != std::string::npos) {
    std::string plain = fmt::format("{:.6f}", number);
    plain.erase(plain.find_last_not_of('0') + 1);
    if (plain.ends_with('.')) plain.pop_back();
    if (std::strtod(plain.c_str(), nullptr) == number) text = std::move(plain);
  }
  out += text;
}

void append(std::string& out, const json::object& object) {
  out += '{';
  bool first = true;
  for (const auto& [key, value] : object) {
    if (!first) out += ',';
    first = false;
    out += json::serialize(json::string(key));
    out += ':';
    append(out, value);
  }
  out += '}';
}

void append(std::string& out, const json::array& array) {
  out += '[';
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (i > 0) out += ',';
    append(out, array[i]);
  }
  out += ']';
}

void append(std::string& out, const json::value& value) {
  if (value.is_object()) {
    append(out, value.get_object());
  } else if (value.is_array()) {
    append(out, value.get_array());
  } else if (value.is_double() && std::isfinite(value.get_double())) {
    append(out, value.get_double());
  } else {
    out += json::serialize(value);
  }
}

class JsonlOutput final : public Output {
 public:
  explicit JsonlOutput(std::ostream& stream) : stream_(&stream) {}
  void write(const json::object& event) override { *stream_ << json_text(event) << '\n'; }

 private:
  std::ostream* stream_;
};

std::string text(const json::object& event, std::string_view key) {
  const json::value* value = event.if_contains(key);
  if (value == nullptr) return "";
  return value->is_string() ? std::string(value->get_string()) : number_text(*value);
}

std::string list(const json::object& event, std::string_view key) {
  std::string result;
  const json::value* value = event.if_contains(key);
  if (value == nullptr || !value->is_array()) return "none";
  for (const json::value& element : value->get_array()) {
    if (!result.empty()) result += ", ";
    result += element.is_string() ? std::string(element.get_string()) : number_text(element);
  }
  return result.empty() ? "none" : result;
}

/// "rank 3", "ranks 0-3".
std::string ranks_text(const json::object& event) {
  const std::string ranks = text(event, "ranks");
  if (ranks.empty()) return "no ranks";
  const bool several = ranks.find_first_of(",-") != std::string::npos;
  return fmt::format("{} {}", several ? "ranks" : "rank", ranks);
}

/// "rank 0 core 0-3 gpu 0, rank 2 core 1".
std::string parts_text(const json::array& r_lite) {
  std::string result;
  for (const json::value& entry : r_lite) {
    const json::object& group = entry.as_object();
    if (!result.empty()) result += ", ";
    result += "rank " + text(group, "rank");
    if (const json::value* children = group.if_contains("children")) {
      for (const auto& [type, ids] : children->as_object()) {
        result += fmt::format(" {} {}", std::string_view(type), std::string_view(ids.as_string()));
      }
    }
  }
  return result;
}

class TextOutput final : public Output {
 public:
  TextOutput(std::ostream& stream, TextStyle style) : stream_(&stream), style_(style) {}
  void write(const json::object& event) override;

 private:
  enum class Tone { plain, good, bad, quiet };

  void line(const json::object& event, Tone tone, std::string_view sentence);
  void start(const json::object& event);
  void annotate(const json::object& event);
  void update(const json::object& event);
  void impact(const json::object& event);
  void expect(const json::object& event);
  void summary(const json::object& event);

  std::ostream* stream_;
  TextStyle style_;
};

void TextOutput::line(const json::object& event, Tone tone, std::string_view sentence) {
  std::string_view on;
  if (style_.colour == TextStyle::Colour::yes) {
    if (tone == Tone::good) on = "\x1b[32m";
    if (tone == Tone::bad) on = "\x1b[31m";
    if (tone == Tone::quiet) on = "\x1b[2m";
  }
  fmt::print(*stream_, "{:>9}  {}{}{}\n", text(event, "t"), on, sentence,
             on.empty() ? "" : "\x1b[0m");
}

void TextOutput::write(const json::object& event) {
  const std::string kind = text(event, "event");
  const std::string id = text(event, "id");
  if (kind == "submit") {
    line(event, Tone::quiet, fmt::format("{} is submitted", id));
  } else if (kind == "deny") {
    line(event, Tone::bad, fmt::format("{} is denied: {}", id, text(event, "note")));
  } else if (kind == "start") {
    start(event);
  } else if (kind == "annotate") {
    annotate(event);
  } else if (kind == "update") {
    update(event);
  } else if (kind == "finish") {
    const std::string reason = text(event, "reason");
    const std::string_view how = reason == "done"      ? "is done"
                                 : reason == "timeout" ? "ends at its time limit"
                                                       : "is killed";
    line(event, Tone::plain, fmt::format("{} {}", id, how));
  } else if (kind == "free") {
    const bool final = event.at("final").as_bool();
    line(event, Tone::quiet,
         fmt::format("{} frees {}{}", id, ranks_text(event), final ? "" : " and keeps the others"));
  } else if (kind == "cancel") {
    line(event, Tone::plain, fmt::format("{} is canceled", id));
  } else if (kind == "plan") {
    *stream_ << gantt(event, style_);
  } else if (kind == "expect") {
    expect(event);
  } else if (kind == "impact") {
    impact(event);
  } else if (kind == "fault") {
    line(event, Tone::bad, fmt::format("FAULT of the scheduler: {}", text(event, "text")));
  } else if (kind == "summary") {
    summary(event);
  } else {
    line(event, Tone::plain, json_text(event));
  }
}

void TextOutput::start(const json::object& event) {
  const json::value* r_lite = event.if_contains("R_lite");
  const std::string where =
      r_lite != nullptr && r_lite->is_array() ? parts_text(r_lite->get_array()) : ranks_text(event);
  const bool endless = event.at("end").is_null();
  line(event, Tone::good,
       fmt::format("{} starts on {}, {}{}", text(event, "id"), where,
                   endless ? "without end" : "until " + text(event, "end"),
                   text(event, "selection") == "backfilled" ? ", backfilled" : ""));
}

void TextOutput::annotate(const json::object& event) {
  const json::object& keys = event.at("sched").as_object();
  std::vector<std::string> parts;
  if (const json::value* estimate = keys.if_contains("t_estimate")) {
    parts.push_back(estimate->is_null() ? "has no expected start any more"
                                        : "is expected to start at " + number_text(*estimate));
  }
  if (const json::value* reason = keys.if_contains("reason_pending"); reason != nullptr) {
    if (reason->is_string()) parts.push_back("waits: " + text(keys, "reason_pending"));
  }
  if (parts.empty()) return;  // bookkeeping that tells people nothing
  line(event, Tone::plain, fmt::format("{} {}", text(event, "id"), fmt::join(parts, "; ")));
}

void TextOutput::update(const json::object& event) {
  const std::string id = text(event, "id");
  if (!event.at("ok").as_bool()) {
    line(event, Tone::bad, fmt::format("update of {} is refused: {}", id, text(event, "error")));
    return;
  }
  const json::value* end = event.if_contains("end");
  if (end == nullptr) {
    line(event, Tone::plain, fmt::format("{} has a new duration and still waits", id));
  } else if (end->is_null()) {
    line(event, Tone::plain, fmt::format("{} has no end any more", id));
  } else {
    line(event, Tone::plain, fmt::format("{} now ends at {}", id, number_text(*end)));
  }
}

/// The first line as an event, the others below it.
void TextOutput::impact(const json::object& event) {
  const std::string text = impact_text(event);
  const std::size_t first = text.find('\n');
  const bool ok = event.at("ok").as_bool();
  line(event, ok ? Tone::plain : Tone::bad,
       fmt::format("another end of {}: {}", emul::text(event, "id"), text.substr(0, first)));
  for (std::size_t at = first + 1; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    fmt::print(*stream_, "{:>9}  {}\n", "", text.substr(at, end - at));
    at = end + 1;
  }
}

void TextOutput::expect(const json::object& event) {
  if (event.at("ok").as_bool()) {
    line(event, Tone::good, "as expected");
    return;
  }
  for (const json::value& value : event.at("mismatches").as_array()) {
    const json::object& mismatch = value.as_object();
    line(event, Tone::bad,
         fmt::format("{}: expected {}, actual {}", text(mismatch, "what"),
                     text(mismatch, "expected"), text(mismatch, "actual")));
  }
}

void TextOutput::summary(const json::object& event) {
  const json::object& finished = event.at("finished").as_object();
  line(event, Tone::plain,
       fmt::format("{} jobs: {} started, {} done, {} at their time limit, {} killed, "
                   "{} canceled while waiting, {} denied",
                   text(event, "jobs"), text(event, "started"), text(finished, "done"),
                   text(finished, "timeout"), text(finished, "canceled"), text(event, "canceled"),
                   text(event, "denied")));
  const auto mention = [&](std::string_view key, std::string_view title) {
    if (!event.at(key).as_array().empty()) {
      line(event, Tone::plain, fmt::format("{}: {}", title, list(event, key)));
    }
  };
  mention("running", "still running");
  mention("pending", "still waiting");
  mention("never_started", "can never start");
  line(event, Tone::quiet,
       fmt::format("waiting {} s on average, {} s at most; {:.1f} % of the node time used",
                   text(event, "wait_mean"), text(event, "wait_max"),
                   100 * event.at("utilisation").to_number<double>()));
}

}  // namespace

std::string json_text(const json::value& value) {
  std::string out;
  append(out, value);
  return out;
}

std::string number_text(const json::value& value) {
  if (value.is_null()) return "none";
  return json_text(value);
}

std::unique_ptr<Output> jsonl_output(std::ostream& stream) {
  return std::make_unique<JsonlOutput>(stream);
}

std::unique_ptr<Output> text_output(std::ostream& stream, TextStyle style) {
  return std::make_unique<TextOutput>(stream, style);
}

}  // namespace tenure::emul
