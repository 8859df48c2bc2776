#include "emul/swf.hpp"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>

namespace tenure::emul {
namespace {

constexpr std::size_t kChunk = 1U << 16U;
constexpr std::size_t kShownValue = 40;
/// Fields beyond the 18 of the format that a line may have.
constexpr std::size_t kMaxFields = 64;

struct FieldRule {
  std::string_view name;
  std::int64_t largest;
};

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

/// By the value of SwfField.
constexpr std::array<FieldRule, kSwfFields> kFields{FieldRule{"job number", kAny},
                                                    FieldRule{"submit time", kMaxSwfSeconds},
                                                    FieldRule{"wait time", kAny},
                                                    FieldRule{"run time", kMaxSwfSeconds},
                                                    FieldRule{"allocated processors", kMaxSwfProcs},
                                                    FieldRule{"average CPU time used", kAny},
                                                    FieldRule{"used memory", kAny},
                                                    FieldRule{"requested processors", kMaxSwfProcs},
                                                    FieldRule{"requested time", kMaxSwfSeconds},
                                                    FieldRule{"requested memory", kAny},
                                                    FieldRule{"status", kAny},
                                                    FieldRule{"user id", kAny},
                                                    FieldRule{"group id", kAny},
                                                    FieldRule{"executable number", kAny},
                                                    FieldRule{"queue number", kAny},
                                                    FieldRule{"partition number", kAny},
                                                    FieldRule{"preceding job number", kAny},
                                                    FieldRule{"think time", kAny}};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes the next word off the front of `rest`, which has no leading blanks.
std::string_view take_word(std::string_view& rest) {
  std::size_t length = 0;
  while (length < rest.size() && !is_blank(rest[length])) ++length;
  const std::string_view word = rest.substr(0, length);
  rest.remove_prefix(length);
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  return word;
}

struct Number {
  std::int64_t value = 0;
  bool had_fraction = false;
};

std::optional<Number> parse_number(std::string_view word) {
  if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);
  const char* const end = word.data() + word.size();
  Number number;
  const auto whole = std::from_chars(word.data(), end, number.value);
  if (whole.ec == std::errc() && whole.ptr == end) return number;
  double real = 0;
  const auto read = std::from_chars(word.data(), end, real);
  if (read.ec != std::errc() || read.ptr != end || !(std::abs(real) < 9e18)) return std::nullopt;
  number.value = std::llround(real);
  number.had_fraction = real != static_cast<double>(number.value);
  return number;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Takes lines one by one.
class Parser {
 public:
  Parser(std::string_view name, const SwfSink& sink, OddityCounts& oddities)
      : name_(name), sink_(&sink), oddities_(&oddities) {}

  Result<void> line(std::string_view text) {
    ++line_;
    text = trimmed(text);
    if (text.empty()) return {};
    if (text.front() == ';') {
      comment(trimmed(text.substr(1)));
      return {};
    }
    return job(text);
  }

  SwfHeader take_header() { return std::move(header_); }
  std::string place() const { return fmt::format("{}:{}", name_, line_ + 1); }

 private:
  Error bad(ErrorCode code, std::string_view message) const {
    return failure(code, "{}:{}: {}", name_, line_, message);
  }

  /// "Label: value", where the label is one word.
  void comment(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0) return;
    const std::string_view label = text.substr(0, colon);
    if (!std::ranges::all_of(label, [](unsigned char c) { return std::isalnum(c) != 0; })) return;
    if (header_.labels.size() >= kMaxSwfLabels) {
      ++header_.labels_left_out;
      return;
    }
    header_.labels.emplace_back(label, trimmed(text.substr(colon + 1)));
  }

  Result<void> job(std::string_view rest) {
    SwfJob job{};
    std::size_t count = 0;
    for (; !rest.empty() && count < kMaxFields; ++count) {
      const std::string_view word = take_word(rest);
      if (count >= kSwfFields) continue;
      const auto value = field(count, word);
      if (!value) return value.error();
      job.values[count] = *value;
    }
    if (count < kSwfFields || !rest.empty()) {
      return bad(ErrorCode::invalid,
                 fmt::format("{} fields; a job has {} (up to {} are tolerated)",
                             rest.empty() ? fmt::format("{}", count) : "too many", kSwfFields,
                             kMaxFields));
    }
    if (count > kSwfFields) oddities_->add(Oddity::extra_fields);
    (*sink_)(job);
    return {};
  }

  Result<std::int64_t> field(std::size_t index, std::string_view word) {
    const FieldRule& rule = kFields[index];
    const auto number = parse_number(word);
    if (!number || number->value > rule.largest) {
      const std::string valid = rule.largest == kAny
                                    ? std::string("a number, or -1 for unknown")
                                    : fmt::format("-1 (unknown) to {}", rule.largest);
      return bad(ErrorCode::invalid, fmt::format("field {} ({}): '{}' is not {}", index + 1,
                                                 rule.name, word.substr(0, kShownValue), valid));
    }
    // The average CPU time is a real in the format, and nothing here depends on it.
    const bool is_real = static_cast<SwfField>(index) == SwfField::cpu_used;
    if (number->had_fraction && !is_real) oddities_->add(Oddity::fraction);
    return number->value;
  }

  std::string_view name_;
  const SwfSink* sink_;
  OddityCounts* oddities_;
  SwfHeader header_;
  std::uint64_t line_ = 0;
};

std::string_view why_not_opened(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return "there is no such file";
  return "cannot be opened for reading";
}

struct GzClose {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

/// What zlib says is wrong, without the path that it puts before; empty: nothing.
std::string_view fault_of(gzFile_s* file, std::string_view path) {
  int code = 0;
  std::string_view text = gzerror(file, &code);
  if (code == Z_OK) return {};
  const std::string prefix = fmt::format("{}: ", path);
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return text;
}

}  // namespace

const std::string* SwfHeader::find(std::string_view label) const {
  for (const auto& [name, value] : labels) {
    if (equal_ignoring_case(name, label)) return &value;
  }
  return nullptr;
}

std::optional<std::int64_t> SwfHeader::number(std::string_view label) const {
  const std::string* const text = find(label);
  if (text == nullptr) return std::nullopt;
  std::int64_t value = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
  if (read.ec != std::errc() || value <= 0) return std::nullopt;
  return value;
}

Result<SwfHeader> parse_swf(std::string_view text, std::string_view name, const SwfSink& sink,
                            OddityCounts& oddities) {
  Parser parser(name, sink, oddities);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto done = parser.line(text.substr(0, end)); !done) return done.error();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.take_header();
}

Result<SwfHeader> read_swf(const std::string& path, const SwfSink& sink, OddityCounts& oddities) {
  const std::unique_ptr<gzFile_s, GzClose> file(gzopen(path.c_str(), "rb"));
  if (!file) return failure(ErrorCode::io, "{}: {}", path, why_not_opened(path));
  gzbuffer(file.get(), kChunk);
  Parser parser(path, sink, oddities);
  std::string buffer;
  for (;;) {
    const std::size_t kept = buffer.size();
    if (kept > kMaxSwfLine) {
      return failure(ErrorCode::limit, "{}: longer than {} bytes", parser.place(), kMaxSwfLine);
    }
    buffer.resize(kept + kChunk);
    const int got = gzread(file.get(), buffer.data() + kept, kChunk);
    if (got < 0) {
      return failure(ErrorCode::io, "{}: cannot be read: {}", path, fault_of(file.get(), path));
    }
    buffer.resize(kept + static_cast<std::size_t>(got));
    std::string_view rest = buffer;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      if (auto done = parser.line(rest.substr(0, end)); !done) return done.error();
      rest.remove_prefix(end + 1);
    }
    if (got == 0) {
      // Before the last line: when packed data is cut short, that line is, too.
      if (const auto fault = fault_of(file.get(), path); !fault.empty()) {
        return failure(ErrorCode::io, "{}: ends in the middle of the packed data: {}", path, fault);
      }
      if (auto done = parser.line(rest); !done) return done.error();
      return parser.take_header();
    }
    buffer.erase(0, buffer.size() - rest.size());
  }
}

}  // namespace tenure::emul
