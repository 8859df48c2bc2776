#include "base/hostlist.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tenure {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Numbers of more digits stay part of the name: they do not fit 64 bits.
constexpr std::size_t kMaxDigits = 18;

struct NumberRange {
  std::uint64_t first;
  std::uint64_t last;
  std::size_t width;  ///< least number of digits: leading zeroes are kept
};

std::optional<std::uint64_t> to_number(std::string_view digits) {
  if (digits.empty() || digits.size() > kMaxDigits) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// "0-3,7" with the width of its first element.
std::optional<std::vector<NumberRange>> parse_idlist(std::string_view text) {
  std::vector<NumberRange> ranges;
  std::size_t width = 0;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view element = text.substr(0, comma);
    const std::size_t hyphen = std::min(element.find('-'), element.size());
    const auto first = to_number(element.substr(0, hyphen));
    const auto last = hyphen == element.size() ? first : to_number(element.substr(hyphen + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    if (ranges.empty() && element.starts_with('0')) width = hyphen;
    ranges.push_back({*first, *last, width});
    if (comma == text.size()) return ranges;
    text.remove_prefix(comma + 1);
  }
}

/// A hostlist expression ends at a comma outside brackets.
std::size_t expression_end(std::string_view text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') inside = true;
    if (text[i] == ']') inside = false;
    if (text[i] == ',' && !inside) return i;
  }
  return text.size();
}

bool is_name(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c > ' ' && c <= '~' && c != '[' && c != ']' && c != ','; });
}

/// Appends the names of one expression; false when it is malformed or too long.
enum class Expansion { done, malformed, too_many };

Expansion expand(std::string_view expression, std::vector<std::string>& hosts) {
  const std::size_t open = expression.find('[');
  if (open == std::string_view::npos) {
    if (!is_name(expression)) return Expansion::malformed;
    hosts.emplace_back(expression);
    return hosts.size() <= kMaxHosts ? Expansion::done : Expansion::too_many;
  }
  const std::size_t close = expression.find(']', open);
  if (close == std::string_view::npos) return Expansion::malformed;
  const std::string_view prefix = expression.substr(0, open);
  const std::string_view suffix = expression.substr(close + 1);
  const auto ranges = parse_idlist(expression.substr(open + 1, close - open - 1));
  if (!ranges || !is_name(prefix) || !is_name(suffix)) return Expansion::malformed;
  for (const NumberRange& range : *ranges) {
    if (range.last - range.first >= kMaxHosts - hosts.size()) return Expansion::too_many;
    for (std::uint64_t number = range.first; number <= range.last; ++number) {
      hosts.push_back(fmt::format("{}{:0{}}{}", prefix, number, range.width, suffix));
    }
  }
  return Expansion::done;
}

/// A host name cut into prefix and trailing number; no number: the whole name is prefix.
struct SplitHost {
  std::string_view prefix;
  std::string_view digits;
  std::uint64_t number = 0;
};

SplitHost split(std::string_view host) {
  std::size_t start = host.size();
  while (start > 0 && is_digit(host[start - 1]) && host.size() - start < kMaxDigits) --start;
  if (start == host.size()) return {host, {}, 0};
  return {host.substr(0, start), host.substr(start), *to_number(host.substr(start))};
}

/// Can `next` be written in one bracket with `first`, which gave the width?
bool same_form(const SplitHost& first, const SplitHost& next) {
  if (next.digits.empty() || next.prefix != first.prefix) return false;
  const std::size_t width = first.digits.starts_with('0') ? first.digits.size() : 0;
  return next.digits.size() == std::max(width, std::to_string(next.number).size());
}

}  // namespace

Result<std::vector<std::string>> parse_hostlist(std::string_view text) {
  std::vector<std::string> hosts;
  if (text.empty()) return hosts;
  std::string_view rest = text;
  while (true) {
    const std::size_t end = expression_end(rest);
    switch (rest.substr(0, end).empty() ? Expansion::malformed
                                        : expand(rest.substr(0, end), hosts)) {
      case Expansion::done:
        break;
      case Expansion::malformed:
        return failure(ErrorCode::invalid, "'{}' is not a hostlist: '{}' must be like name[0-3]",
                       text, rest.substr(0, end));
      case Expansion::too_many:
        return failure(ErrorCode::limit, "'{}' names more than {} hosts", text, kMaxHosts);
    }
    if (end == rest.size()) return hosts;
    rest.remove_prefix(end + 1);
  }
}

std::string format_hostlist(std::span<const std::string> hosts) {
  std::string text;
  for (std::size_t i = 0; i < hosts.size();) {
    const SplitHost first = split(hosts[i]);
    std::size_t past = i + 1;
    if (!first.digits.empty()) {
      while (past < hosts.size() && same_form(first, split(hosts[past]))) ++past;
    }
    if (!text.empty()) text += ',';
    if (past == i + 1) {
      text += hosts[i];
      i = past;
      continue;
    }
    text += fmt::format("{}[", first.prefix);
    for (std::size_t start = i; start < past;) {
      std::size_t stop = start;
      while (stop + 1 < past && split(hosts[stop + 1]).number == split(hosts[stop]).number + 1) {
        ++stop;
      }
      if (start != i) text += ',';
      text += split(hosts[start]).digits;
      if (stop > start) text += fmt::format("-{}", split(hosts[stop]).digits);
      start = stop + 1;
    }
    text += ']';
    i = past;
  }
  return text;
}

}  // namespace tenure
