#include "match/selection_policy.hpp"

namespace tenure::match {
namespace {

using Order = SelectionPolicy::Order;
using Switch = SelectionPolicy::Switch;

Result<Switch> read_switch(std::string_view key, std::string_view value) {
  if (value == "true") return Switch::on;
  if (value == "false") return Switch::off;
  return failure(ErrorCode::invalid, "Policy option {} requires true or false, got {}", key, value);
}

Result<void> apply(SelectionPolicy& policy, std::string_view key, std::string_view value) {
  if (key == "policy") {
    if (value != "low" && value != "high") {
      return failure(ErrorCode::invalid,
                     "policy key within custom policy accepts only low or high, got {}",
                     in_quotes(value));
    }
    policy.order = value == "low" ? Order::low : Order::high;
    return {};
  }
  Switch* target = key == "node_centric"        ? &policy.node_centric
                   : key == "node_exclusive"    ? &policy.node_exclusive
                   : key == "stop_on_1_matches" ? &policy.stop_on_first
                                                : nullptr;
  if (target == nullptr) {
    return failure(ErrorCode::invalid,
                   "invalid policy option: {} (policy, node_centric, node_exclusive, "
                   "stop_on_1_matches)",
                   in_quotes(key));
  }
  const auto on = read_switch(key, value);
  if (!on) return on.error();
  *target = *on;
  return {};
}

Result<SelectionPolicy> parse_custom(std::string_view text) {
  SelectionPolicy policy{.order = Order::high};
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    if (auto ok = apply(policy, word.substr(0, equals), value); !ok) return ok.error();
  }
  return policy;
}

}  // namespace

Result<SelectionPolicy> parse_selection_policy(std::string_view text) {
  constexpr auto kOn = Switch::on;
  constexpr auto kOff = Switch::off;
  if (text == "low") return SelectionPolicy{Order::low, kOff, kOff, kOff};
  if (text == "high") return SelectionPolicy{Order::high, kOff, kOff, kOff};
  if (text == "lonode") return SelectionPolicy{Order::low, kOn, kOff, kOff};
  if (text == "hinode") return SelectionPolicy{Order::high, kOn, kOff, kOff};
  if (text == "lonodex") return SelectionPolicy{Order::low, kOn, kOn, kOff};
  if (text == "hinodex") return SelectionPolicy{Order::high, kOn, kOn, kOff};
  if (text == "first") return SelectionPolicy{Order::high, kOn, kOff, kOn};
  if (text == "firstnodex") return SelectionPolicy{Order::high, kOn, kOn, kOn};
  if (text == "locality") return SelectionPolicy{Order::locality, kOff, kOff, kOff};
  if (text == "variation") return SelectionPolicy{Order::variation, kOff, kOff, kOff};
  if (text.find('=') != std::string_view::npos) return parse_custom(text);
  return failure(ErrorCode::invalid,
                 "{} is not a match policy: first, firstnodex, low, high, lonode, hinode, lonodex, "
                 "hinodex, locality, variation or policy=… node_centric=…",
                 in_quotes(text));
}

std::int64_t perf_class(const graph::Vertices& vertices, graph::Vertex v) {
  constexpr std::int64_t kWorst = 9999;
  const auto target = vertices.target_of(v);
  const auto text = vertices.property(target ? graph::Vertex::target(*target) : v, kPerfClass);
  if (!text || text->empty() || text->size() > 4) return kWorst;
  if (text->find_first_not_of("0123456789") != std::string::npos) return kWorst;
  return std::stoll(*text);
}

}  // namespace tenure::match
