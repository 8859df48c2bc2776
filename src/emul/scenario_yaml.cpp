#include "emul/scenario_yaml.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "emul/scenario.hpp"

namespace tenure::emul {
namespace {

/// YAML allows a plus sign.
template <class T>
std::optional<T> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_number<T>(text);
}

std::string_view kind(const YAML::Node& node) {
  if (node.IsMap()) return "a mapping";
  if (node.IsSequence()) return "a list";
  if (node.IsScalar()) return "a single value";
  return "nothing";
}

std::string place(std::string_view file, int line) { return fmt::format("{}:{}", file, line); }

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const bool numeric = text.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
  if (numeric) {
    if (const auto seconds = number<double>(text)) return Duration::from_seconds(*seconds);
  }
  return parse_fsd(text);
}

void Document::record(const Item& at, Error error) {
  if (error_) return;
  if (!at.path.empty()) error = within(at.path, std::move(error));
  error_ = within(place(file_, at.line), std::move(error));
}

void Document::only_keys(const Item& map, std::initializer_list<std::string_view> keys) {
  for (const auto& [key, item] : entries(map)) {
    if (std::ranges::find(keys, key) == keys.end()) {
      fail(item, "unknown key; valid here: {}", fmt::join(keys, ", "));
    }
  }
}

std::optional<Item> Document::find(const Item& map, std::string_view key) {
  if (!map.node.IsMap()) return std::nullopt;
  for (const auto& entry : map.node) {
    if (!entry.first.IsScalar() || entry.first.Scalar() != key) continue;
    return Item{entry.second, fmt::format("{}{}{}", map.path, map.path.empty() ? "" : ".", key),
                entry.first.Mark().line + 1};
  }
  return std::nullopt;
}

std::optional<Item> Document::need(const Item& map, std::string_view key) {
  auto item = find(map, key);
  if (!item) fail(map, "the key {} is missing", key);
  return item;
}

std::vector<std::pair<std::string, Item>> Document::entries(const Item& map) {
  std::vector<std::pair<std::string, Item>> result;
  if (map.node.IsNull() || !map.node.IsDefined()) return result;
  if (!map.node.IsMap()) {
    fail(map, "expected a mapping of keys and values, found {}", kind(map.node));
    return result;
  }
  for (const auto& entry : map.node) {
    const int line = entry.first.Mark().line + 1;
    if (!entry.first.IsScalar()) {
      fail(Item{map.node, map.path, line}, "a key must be a single word");
      return result;
    }
    const std::string& key = entry.first.Scalar();
    Item item{entry.second, fmt::format("{}{}{}", map.path, map.path.empty() ? "" : ".", key),
              line};
    if (std::ranges::find(result, key, &std::pair<std::string, Item>::first) != result.end()) {
      fail(item, "the key is given twice");
    }
    result.emplace_back(key, std::move(item));
  }
  return result;
}

std::vector<Item> Document::elements(const Item& sequence) {
  std::vector<Item> result;
  if (sequence.node.IsNull()) return result;
  if (!sequence.node.IsSequence()) {
    fail(sequence, "expected a list, found {}", kind(sequence.node));
    return result;
  }
  result.reserve(sequence.node.size());
  for (const auto& element : sequence.node) {
    result.push_back(Item{element, fmt::format("{}[{}]", sequence.path, result.size()),
                          element.Mark().line + 1});
  }
  return result;
}

std::string Document::text(const Item& item) {
  if (item.node.IsScalar()) return item.node.Scalar();
  fail(item, "expected a single value, found {}", kind(item.node));
  return {};
}

std::uint64_t Document::integer(const Item& item, std::uint64_t min, std::uint64_t max) {
  const std::string value = text(item);
  const auto parsed = number<std::uint64_t>(value);
  if (parsed && *parsed >= min && *parsed <= max) return *parsed;
  if (max == std::numeric_limits<std::uint64_t>::max()) {
    fail(item, "\"{}\" is not an integer of at least {}", value, min);
  } else {
    fail(item, "\"{}\" is not an integer from {} to {}", value, min, max);
  }
  return min;
}

bool Document::boolean(const Item& item) {
  const std::string value = text(item);
  if (value != "true" && value != "false") fail(item, "\"{}\" is neither true nor false", value);
  return value == "true";
}

Duration Document::duration(const Item& item) {
  const auto parsed = parse_duration(text(item));
  if (parsed) return *parsed;
  record(item, parsed.error());
  return Duration::zero();
}

Idset Document::idset(const Item& item) {
  // `[0-3]` without quotes is a list to YAML.
  const std::string value =
      item.node.IsSequence() ? fmt::format("{}", fmt::join(texts(item), ",")) : text(item);
  auto parsed = Idset::parse(value);
  if (parsed) return *std::move(parsed);
  record(item, parsed.error());
  return {};
}

std::vector<std::string> Document::texts(const Item& sequence) {
  std::vector<std::string> result;
  for (const Item& element : elements(sequence)) result.push_back(text(element));
  return result;
}

}  // namespace tenure::emul
