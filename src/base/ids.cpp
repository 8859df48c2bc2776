#include "base/ids.hpp"

#include <algorithm>
#include <charconv>

namespace tenure {

namespace {

constexpr std::string_view kAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr std::string_view kPrefix = "ƒ";
constexpr std::uint64_t kBase = 58;

std::optional<std::uint64_t> parse_base58(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char digit : digits) {
    const std::size_t place = kAlphabet.find(digit);
    if (place == std::string_view::npos || __builtin_mul_overflow(value, kBase, &value) ||
        __builtin_add_overflow(value, place, &value)) {
      return std::nullopt;
    }
  }
  return value;
}

std::optional<std::uint64_t> parse_number(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t first = std::min(text.find_first_not_of(kSpace), text.size());
  const std::size_t last = text.find_last_not_of(kSpace);
  return text.substr(first, last == std::string_view::npos ? 0 : last - first + 1);
}

/// Four groups of four hexadecimal digits: 0000.0000.0000.0000.
std::optional<std::uint64_t> parse_dothex(std::string_view text) {
  if (text.size() != 19 || text[4] != '.' || text[9] != '.' || text[14] != '.') {
    return std::nullopt;
  }
  std::string digits(text);
  std::erase(digits, '.');
  if (digits.size() != 16) return std::nullopt;
  return parse_number(digits, 16);
}

}  // namespace

std::string format_f58(JobId id) {
  std::string digits;
  std::uint64_t value = id.value();
  do {
    digits += kAlphabet[value % kBase];
    value /= kBase;
  } while (value > 0);
  std::ranges::reverse(digits);
  return std::string(kPrefix) + digits;
}

Result<JobId> parse_job_id(std::string_view text) {
  const std::string_view id = trim(text);
  std::optional<std::uint64_t> value;
  // In the order of RFC 19: dothex may begin with an f, too.
  if (id.find('.') != std::string_view::npos) {
    value = parse_dothex(id);
  } else if (id.starts_with(kPrefix)) {
    value = parse_base58(id.substr(kPrefix.size()));
  } else if (id.starts_with('f')) {
    value = parse_base58(id.substr(1));
  } else if (id.starts_with("0x")) {
    value = parse_number(id.substr(2), 16);
  } else {
    value = parse_number(id, 10);
  }
  if (!value) {
    return failure(ErrorCode::invalid,
                   "{} is not a job id: F58 (ƒ…), decimal, 0x hexadecimal or dothex",
                   in_quotes(text));
  }
  return JobId(*value);
}

}  // namespace tenure
