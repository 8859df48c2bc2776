#include "sched/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"
#include "graph/formats/json_field.hpp"

namespace tenure::sched {

namespace {

namespace json = boost::json;

/// Longest text of prune-filters.
constexpr std::size_t kMaxPruneFilters = 4096;

Error not_valid(const json::value& value, std::string_view valid) {
  return failure(ErrorCode::invalid, "{} is not {}", graph::show(value), valid);
}

template <class E>
struct Choice {
  std::string_view name;
  E value;
};

template <class E, std::size_t N>
std::string names_of(const std::array<Choice<E>, N>& choices) {
  std::string names;
  for (const auto& choice : choices) {
    fmt::format_to(std::back_inserter(names), "{}{}", names.empty() ? "" : ", ", choice.name);
  }
  return names;
}

template <class E, std::size_t N>
Result<E> read_choice(const json::value& value, const std::array<Choice<E>, N>& choices) {
  if (value.is_string()) {
    for (const auto& choice : choices) {
      if (value.get_string() == choice.name) return choice.value;
    }
  }
  return not_valid(value, fmt::format("one of {}", names_of(choices)));
}

template <class E, std::size_t N>
std::string_view name_of(E value, const std::array<Choice<E>, N>& choices) {
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [&](const Choice<E>& choice) { return choice.value == value; });
  CHECK(found != choices.end(), "value {} has no name", static_cast<int>(value));
  return found->name;
}

/// `least` … 2^64-2, or "unlimited".
Result<std::uint64_t> read_depth(const json::value& value, std::uint64_t least) {
  const auto valid = [&] { return fmt::format("an integer from {} or 'unlimited'", least); };
  std::uint64_t depth = 0;
  if (value.is_int64() && value.get_int64() >= 0) {
    depth = static_cast<std::uint64_t>(value.get_int64());
  } else if (value.is_uint64()) {
    depth = value.get_uint64();
  } else if (value.is_string()) {
    const std::string_view text = value.get_string();
    if (text == "unlimited") return plan::kUnlimitedDepth;
    const auto number = parse_number<std::uint64_t>(text);
    if (!number) return not_valid(value, valid());
    depth = *number;
  } else {
    return not_valid(value, valid());
  }
  if (depth < least || depth == plan::kUnlimitedDepth) return not_valid(value, valid());
  return depth;
}

json::value depth_to_json(std::uint64_t depth) {
  if (depth == plan::kUnlimitedDepth) return json::value("unlimited");
  return json::value(depth);
}

/// A finite duration of at least `least`: FSD text or a number of seconds.
Result<Duration> read_duration(const json::value& value, Duration least) {
  const auto parsed = [&]() -> Result<Duration> {
    if (value.is_string()) return parse_fsd(std::string_view(value.get_string()));
    if (value.is_number()) return Duration::from_seconds(value.to_number<double>());
    return failure(ErrorCode::invalid, "neither text nor number");
  }();
  if (!parsed || parsed->is_infinite() || *parsed < least) {
    return not_valid(value, fmt::format("a finite duration{} (FSD text such as 1.5h, 30s or "
                                        "250ms, or a number of seconds)",
                                        least > Duration::zero() ? " greater than 0" : ""));
  }
  return *parsed;
}

constexpr Duration kOneMicrosecond = Duration::microseconds(1);

// ---- one function a key ----------------------------------------------------------------------

using Outcome = Result<void>;

/// Stores a parsed value, or passes its error on.
template <class T, class To>
Outcome store(Result<T> parsed, To& to) {
  if (!parsed) return parsed.error();
  to = *std::move(parsed);
  return {};
}

Outcome set_queue_policy(Config& config, const json::value& value) {
  if (!value.is_string()) return not_valid(value, "the name of a queue policy");
  return store(plan::parse_queue_policy(std::string_view(value.get_string())),
               config.options.policy);
}

Outcome set_match_policy(Config& config, const json::value& value) {
  constexpr std::array<std::string_view, 7> kLater{"firstnodex", "lonode",   "hinode",   "lonodex",
                                                   "hinodex",    "locality", "variation"};
  if (!value.is_string()) return not_valid(value, "the name of a match policy");
  const std::string_view name = value.get_string();
  auto policy = match::parse_policy(name);
  if (policy) {
    config.options.match_policy = *policy;
    return {};
  }
  if (std::find(kLater.begin(), kLater.end(), name) != kLater.end() ||
      name.find('=') != std::string_view::npos) {
    return failure(ErrorCode::unsupported, "{} is not available in this version ({})",
                   graph::show(value), policy.error().message);
  }
  return policy.error();
}

constexpr std::array kMatchFormats{
    Choice<MatchFormat>{"auto", MatchFormat::automatic},
    Choice<MatchFormat>{"rv1", MatchFormat::rv1},
    Choice<MatchFormat>{"rv1_nosched", MatchFormat::rv1_nosched},
};

Outcome set_match_format(Config& config, const json::value& value) {
  if (value == "rv1_shorthand" || value == "treepool") {
    return failure(ErrorCode::unsupported, "{} is not available in this version; available are {}",
                   graph::show(value), names_of(kMatchFormats));
  }
  return store(read_choice(value, kMatchFormats), config.match_format);
}

/// "HL:LL" where both are words.
bool is_prune_filter(std::string_view filter) {
  const auto colon = filter.find(':');
  if (colon == std::string_view::npos) return false;
  const auto is_word = [](std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-' || c == '.';
    });
  };
  return is_word(filter.substr(0, colon)) && is_word(filter.substr(colon + 1));
}

Outcome set_prune_filters(Config& config, const json::value& value) {
  constexpr std::string_view kValid = "a list such as ALL:core,rack:node";
  if (!value.is_string()) return not_valid(value, kValid);
  std::string_view rest = value.get_string();
  if (rest.size() > kMaxPruneFilters) {
    return failure(ErrorCode::limit, "longer than {} characters", kMaxPruneFilters);
  }
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    if (!is_prune_filter(rest.substr(0, comma)) || comma == rest.size() - 1) {
      return not_valid(value, kValid);
    }
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  config.prune_filters = std::string(value.get_string());
  return {};
}

constexpr std::array kTraversers{
    Choice<Traverser>{"simple", Traverser::simple},
    Choice<Traverser>{"flexible", Traverser::flexible},
};

constexpr std::array kExpirationConflicts{
    Choice<ExpirationConflict>{"allow", ExpirationConflict::allow},
    Choice<ExpirationConflict>{"deny", ExpirationConflict::deny},
};

/// load-file, load-format and load-allowlist: only "unset" can be honoured.
Outcome set_load(Config&, const json::value& value) {
  if (!value.is_string()) return not_valid(value, "text");
  if (value.get_string().empty()) return {};
  return failure(ErrorCode::unsupported,
                 "{}: the inventory comes from resource.acquire only in this version; leave the "
                 "key out",
                 graph::show(value));
}

Outcome set_extend(Config&, const json::value& value) {
  constexpr std::array<std::string_view, 6> kKeys{"policy",           "delay-budget", "quota-uses",
                                                  "quota-node-hours", "quota-window", "queues"};
  if (!value.is_object()) return not_valid(value, R"(a table such as {"policy": "off"})");
  for (const auto& [key, inner] : value.get_object()) {
    const std::string_view name = key;
    if (std::find(kKeys.begin(), kKeys.end(), name) == kKeys.end()) {
      return failure(ErrorCode::invalid, "unknown key {}; known keys: {}", in_quotes(name),
                     fmt::join(kKeys, ", "));
    }
    if (name != "policy" || inner == "harmless" || inner == "budget") {
      return failure(ErrorCode::unsupported,
                     "{}: self-service extension is not available in this version; only "
                     "policy = off is",
                     name);
    }
    if (inner != "off") {
      return within(name, not_valid(inner, "one of off, harmless, budget"));
    }
  }
  return {};
}

Outcome set_reservations(Config&, const json::value& value) {
  if (!value.is_array()) return not_valid(value, "an array of windows");
  if (value.get_array().empty()) return {};
  return failure(ErrorCode::unsupported,
                 "advance reservations are not available in this version; leave the key out or "
                 "give an empty array");
}

struct Key {
  std::string_view name;
  Outcome (*set)(Config&, const json::value&);
  json::value (*get)(const Config&);
};

json::value text(std::string_view value) { return json::value(json::string(value)); }

/// In the order of the documentation.
constexpr std::array kKeys{
    Key{"policy", set_queue_policy,
        [](const Config& c) { return text(plan::to_string(c.options.policy)); }},
    Key{"queue-depth",
        [](Config& c, const json::value& v) {
          return store(read_depth(v, 1), c.options.queue_depth);
        },
        [](const Config& c) { return depth_to_json(c.options.queue_depth); }},
    Key{"reservation-depth",
        [](Config& c, const json::value& v) {
          return store(read_depth(v, 0), c.options.reservation_depth);
        },
        [](const Config& c) { return depth_to_json(c.options.reservation_depth); }},
    Key{"match-policy", set_match_policy,
        [](const Config& c) { return text(match::to_string(c.options.match_policy)); }},
    Key{"match-format", set_match_format,
        [](const Config& c) { return text(name_of(c.match_format, kMatchFormats)); }},
    Key{"prune-filters", set_prune_filters, [](const Config& c) { return text(c.prune_filters); }},
    Key{"traverser",
        [](Config& c, const json::value& v) {
          return store(read_choice(v, kTraversers), c.traverser);
        },
        [](const Config& c) { return text(name_of(c.traverser, kTraversers)); }},
    Key{"load-file", set_load, [](const Config&) { return text(""); }},
    Key{"load-format", set_load, [](const Config&) { return text(""); }},
    Key{"load-allowlist", set_load, [](const Config&) { return text(""); }},
    Key{"overrun-estimate",
        [](Config& c, const json::value& v) {
          return store(read_duration(v, kOneMicrosecond), c.options.overrun_estimate);
        },
        [](const Config& c) { return text(format_fsd(c.options.overrun_estimate)); }},
    Key{"expiration-conflict",
        [](Config& c, const json::value& v) {
          return store(read_choice(v, kExpirationConflicts), c.expiration_conflict);
        },
        [](const Config& c) { return text(name_of(c.expiration_conflict, kExpirationConflicts)); }},
    Key{"pass-budget",
        [](Config& c, const json::value& v) {
          return store(read_duration(v, kOneMicrosecond), c.pass_budget);
        },
        [](const Config& c) { return text(format_fsd(c.pass_budget)); }},
    Key{"annotate-interval",
        [](Config& c, const json::value& v) {
          return store(read_duration(v, Duration::zero()), c.annotate_interval);
        },
        [](const Config& c) { return text(format_fsd(c.annotate_interval)); }},
    Key{"extend", set_extend,
        [](const Config&) {
          return json::value(json::object{{"policy", "off"}});
        }},
    Key{"reservations", set_reservations, [](const Config&) { return json::value(json::array{}); }},
};

std::string known_keys() {
  std::string names;
  for (const Key& key : kKeys) {
    fmt::format_to(std::back_inserter(names), "{}{}", names.empty() ? "" : ", ", key.name);
  }
  return names;
}

}  // namespace

Result<Config> apply(const Config& base, const json::object& changes) {
  Config config = base;
  for (const auto& change : changes) {
    const std::string_view name = change.key();
    const auto key = std::find_if(kKeys.begin(), kKeys.end(),
                                  [&](const Key& candidate) { return candidate.name == name; });
    if (key == kKeys.end()) {
      return failure(ErrorCode::invalid, "unknown key {}; known keys: {}", in_quotes(name),
                     known_keys());
    }
    if (auto outcome = key->set(config, change.value()); !outcome) {
      return within(key->name, outcome.error());
    }
  }
  return config;
}

Result<plan::QueueOptions> read_queue(std::string name, const json::object& keys) {
  for (const auto& key : keys) {
    if (key.key() != "policy" && key.key() != "queue-depth" && key.key() != "reservation-depth") {
      return failure(ErrorCode::invalid,
                     "unknown key {}; known keys: policy, queue-depth, reservation-depth",
                     in_quotes(key.key()));
    }
  }
  const auto read = apply(Config{}, keys);
  if (!read) return read.error();
  plan::QueueOptions queue;
  queue.name = std::move(name);
  if (keys.contains("policy")) queue.policy = read->options.policy;
  if (keys.contains("queue-depth")) queue.queue_depth = read->options.queue_depth;
  if (keys.contains("reservation-depth")) {
    queue.reservation_depth = read->options.reservation_depth;
  }
  return queue;
}

json::object to_json(const Config& config) {
  json::object object;
  for (const Key& key : kKeys) object[key.name] = key.get(config);
  return object;
}

}  // namespace tenure::sched
