#include "base/hostlist.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace tenure {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Digits that certainly fit 64 bits. Longer numbers stay text.
constexpr std::size_t kMaxDigits = 18;
constexpr std::uint64_t kPowerOfMaxDigits = 1'000'000'000'000'000'000;

/// Requires at most kMaxDigits digits; none are 0.
std::uint64_t to_number(std::string_view digits) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// A non-negative integer of any length as its decimal digits, without leading zeroes.
class Number {
 public:
  /// Nothing unless all characters are digits and there is one.
  static std::optional<Number> parse(std::string_view digits) {
    if (digits.empty() || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
    Number number;
    number.digits_ = digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    return number;
  }

  const std::string& digits() const { return digits_; }

  void increment() {
    std::size_t place = digits_.size();
    while (place > 0 && digits_[place - 1] == '9') digits_[--place] = '0';
    if (place > 0) {
      ++digits_[place - 1];
    } else {
      digits_.insert(0, 1, '1');
    }
  }

  /// later - *this; nothing when that is negative or may exceed 10^18.
  std::optional<std::uint64_t> distance_to(const Number& later) const {
    const auto [high, low] = cut();
    const auto [later_high, later_low] = later.cut();
    if (later_high == high && later_low >= low) return later_low - low;
    auto next = parse(high.empty() ? "0" : high);
    next->increment();
    if (later_high != next->digits() || later_low >= low) return std::nullopt;
    return later_low + (kPowerOfMaxDigits - low);
  }

  friend bool operator<(const Number& a, const Number& b) {
    if (a.digits_.size() != b.digits_.size()) return a.digits_.size() < b.digits_.size();
    return a.digits_ < b.digits_;
  }

 private:
  /// All digits but the last kMaxDigits, and the value of these.
  std::pair<std::string_view, std::uint64_t> cut() const {
    const std::string_view digits = digits_;
    const std::size_t high = digits.size() - std::min(digits.size(), kMaxDigits);
    return {digits.substr(0, high), to_number(digits.substr(high))};
  }

  std::string digits_;
};

struct NumberRange {
  Number first;
  Number last;
};

/// What stands in brackets: "0-3,7" with the width of its first element.
struct Idlist {
  std::vector<NumberRange> ranges;
  std::size_t width = 0;  ///< least number of digits: leading zeroes are kept
};

std::optional<Idlist> parse_idlist(std::string_view text) {
  Idlist list;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view element = text.substr(0, comma);
    const std::size_t hyphen = std::min(element.find('-'), element.size());
    const auto first = Number::parse(element.substr(0, hyphen));
    const auto last = hyphen == element.size() ? first : Number::parse(element.substr(hyphen + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    if (list.ranges.empty() && element.starts_with('0')) list.width = hyphen;
    list.ranges.push_back({*first, *last});
    if (comma == text.size()) return list;
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

enum class Expansion { done, malformed, too_many };

/// The names of a hostlist as they are found, within both bounds.
class Names {
 public:
  /// Is there room for `count` more names of `length` bytes each?
  bool has_room(std::uint64_t count, std::size_t length) const {
    return count <= kMaxHosts - hosts_.size() &&
           (length == 0 || count <= (kMaxHostBytes - bytes_) / length);
  }

  void add(std::string name) {
    bytes_ += name.size();
    hosts_.push_back(std::move(name));
  }

  std::vector<std::string> take() && { return std::move(hosts_); }

 private:
  std::vector<std::string> hosts_;
  std::size_t bytes_ = 0;
};

/// The name with `digits` between `prefix` and `suffix`, filled up with zeros to `width`.
std::string with_number(std::string_view prefix, std::string_view digits, std::size_t width,
                        std::string_view suffix) {
  const std::size_t zeros = width > digits.size() ? width - digits.size() : 0;
  std::string name;
  name.reserve(prefix.size() + zeros + digits.size() + suffix.size());
  name.append(prefix).append(zeros, '0').append(digits).append(suffix);
  return name;
}

/// Appends the names of one expression.
Expansion expand(std::string_view expression, Names& names) {
  const std::size_t open = expression.find('[');
  if (open == std::string_view::npos) {
    if (!is_name(expression)) return Expansion::malformed;
    if (!names.has_room(1, expression.size())) return Expansion::too_many;
    names.add(std::string(expression));
    return Expansion::done;
  }
  const std::size_t close = expression.find(']', open);
  if (close == std::string_view::npos) return Expansion::malformed;
  const std::string_view prefix = expression.substr(0, open);
  const std::string_view suffix = expression.substr(close + 1);
  const auto list = parse_idlist(expression.substr(open + 1, close - open - 1));
  if (!list || !is_name(prefix) || !is_name(suffix)) return Expansion::malformed;
  for (const NumberRange& range : list->ranges) {
    const auto distance = range.first.distance_to(range.last);
    const std::size_t digits = std::max(list->width, range.last.digits().size());
    if (!distance || !names.has_room(*distance + 1, prefix.size() + digits + suffix.size())) {
      return Expansion::too_many;
    }
    Number number = range.first;
    for (std::uint64_t i = 0; i <= *distance; ++i, number.increment()) {
      names.add(with_number(prefix, number.digits(), list->width, suffix));
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
  return {host.substr(0, start), host.substr(start), to_number(host.substr(start))};
}

/// Can `next` be written in one bracket with `first`, which gave the width?
bool same_form(const SplitHost& first, const SplitHost& next) {
  if (next.digits.empty() || next.prefix != first.prefix) return false;
  const std::size_t width = first.digits.starts_with('0') ? first.digits.size() : 0;
  return next.digits.size() == std::max(width, std::to_string(next.number).size());
}

}  // namespace

Result<std::vector<std::string>> parse_hostlist(std::string_view text) {
  Names names;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view expression = rest.substr(0, expression_end(rest));
    switch (expression.empty() ? Expansion::done : expand(expression, names)) {
      case Expansion::done:
        break;
      case Expansion::malformed:
        return failure(ErrorCode::invalid, "{} is not a hostlist: {} must be like name[0-3]",
                       in_quotes(text), in_quotes(expression));
      case Expansion::too_many:
        return failure(ErrorCode::limit, "{} names more than {} hosts or {} bytes of names",
                       in_quotes(text), kMaxHosts, kMaxHostBytes);
    }
    rest.remove_prefix(std::min(expression.size() + 1, rest.size()));
  }
  return std::move(names).take();
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
