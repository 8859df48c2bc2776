#include "sched/site_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "graph/formats/json_field.hpp"

namespace tenure::sched {

namespace {

namespace json = boost::json;

constexpr std::string_view kTable = "sched-tenure";
constexpr std::string_view kQmanager = "sched-fluxion-qmanager";
constexpr std::string_view kFluxionResource = "sched-fluxion-resource";

/// Scheduling keys by queue, before they are read.
using QueueKeys = std::map<std::string, json::object>;

/// A table of the configuration, empty when absent. Errors: `invalid` for anything else.
Result<json::object> table_of(const json::object& config, std::string_view name) {
  const json::value* value = config.if_contains(name);
  if (value == nullptr) return json::object();
  if (const json::object* table = value->if_object()) return *table;
  return graph::wrong_value(fmt::format("[{}]", name), *value, "a table");
}

Result<std::optional<std::uint32_t>> read_alloc_limit(const json::value& value) {
  if (value == "unlimited") return std::optional<std::uint32_t>();
  std::int64_t limit = 0;
  if (value.is_int64()) {
    limit = value.get_int64();
  } else if (value.is_string()) {
    limit = parse_number<std::int64_t>(value.get_string()).value_or(0);
  }
  if (limit < 1 || limit > kMaxAllocLimit) {
    return graph::wrong_value(
        "alloc-limit", value,
        fmt::format("an integer from 1 to {} or 'unlimited'", kMaxAllocLimit));
  }
  return std::optional(static_cast<std::uint32_t>(limit));
}

/// Applies keys of ours; alloc-limit is the only one that is not the scheduler's.
Result<void> apply_keys(json::object keys, SiteConfig& site) {
  if (const json::value* value = keys.if_contains("alloc-limit")) {
    auto limit = read_alloc_limit(*value);
    if (!limit) return limit.error();
    site.alloc_limit = *limit;
    keys.erase("alloc-limit");
  }
  auto config = apply(site.config, keys);
  if (!config) return config.error();
  site.config = *std::move(config);
  return {};
}

// ---- the tables of Fluxion -------------------------------------------------------------------

/// "k1=v1,k2=v2" of Fluxion's module arguments and per-queue strings. A part without '=' is a
/// key without a value.
json::object split_pairs(std::string_view text) {
  json::object pairs;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find(','));
    const auto equals = std::min(pair.find('='), pair.size());
    pairs[pair.substr(0, equals)] = json::string(pair.substr(std::min(equals + 1, pair.size())));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
  }
  return pairs;
}

/// Why a parameter of Fluxion has no counterpart.
std::string_view why_unknown(std::string_view parameter) {
  return parameter.starts_with("max-") ? "depths have no upper bound in Tenure"
                                       : "there is no such key in Tenure";
}

class FluxionTables {
 public:
  FluxionTables(SiteConfig& site, QueueKeys& queues) : site_(&site), queues_(&queues) {}

  void qmanager(const json::object& config) {
    for (const auto& [key, value] : table(config, kQmanager)) {
      if (key == "queue-policy") {
        take(kQmanager, key, "policy", value);
      } else if (key == "queue-params" || key == "policy-params") {
        parameters(key, value);
      } else if (key == "queue-policy-per-queue") {
        each_queue(key, value, [](std::string_view text) {
          return json::object{{"queue-policy", json::string(text)}};
        });
      } else if (key == "queue-params-per-queue" || key == "policy-params-per-queue") {
        each_queue(key, value, split_pairs);
      } else {
        leave(kQmanager, key, "there is no such key in Tenure");
      }
    }
  }

  void resource(const json::object& config) {
    for (const auto& [key, value] : table(config, kFluxionResource)) {
      const std::string_view name = key;
      if (name == "match-policy" || name == "policy") {
        take(kFluxionResource, name, "match-policy", value);
      } else if (name == "match-format" || name == "prune-filters" || name == "traverser") {
        take(kFluxionResource, name, name, value);
      } else if (name == "load-file" || name == "load-format" || name == "load-allowlist") {
        leave(kFluxionResource, name, "the inventory comes from resource.acquire");
      } else {
        leave(kFluxionResource, name, "there is no such key in Tenure");
      }
    }
  }

 private:
  json::object table(const json::object& config, std::string_view name) {
    auto read = table_of(config, name);
    if (read) return *std::move(read);
    site_->notes.push_back(fmt::format("{}; it is not taken over", read.error().message));
    return {};
  }

  /// Our name for a parameter of Fluxion, or nothing.
  static std::optional<std::string_view> our_name(std::string_view key) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSame{{
        {"queue-policy", "policy"},
        {"queue-depth", "queue-depth"},
        {"reservation-depth", "reservation-depth"},
    }};
    for (const auto& [fluxion, ours] : kSame) {
      if (fluxion == key) return ours;
    }
    return std::nullopt;
  }

  void take(std::string_view table, std::string_view key, std::string_view ours,
            const json::value& value) {
    auto config = apply(site_->config, {{ours, value}});
    if (!config) return leave(table, key, config.error().message);
    site_->config = *std::move(config);
  }

  void leave(std::string_view table, std::string_view key, std::string_view why) {
    site_->notes.push_back(fmt::format("[{}] {} is not taken over: {}", table, key, why));
  }

  void parameters(std::string_view key, const json::value& value) {
    if (!value.is_object() && !value.is_string()) {
      return leave(kQmanager, key, "its value is neither text nor a table");
    }
    const json::object pairs =
        value.is_object() ? value.get_object() : split_pairs(value.get_string());
    for (const auto& [name, parameter] : pairs) {
      const std::string path = fmt::format("{}.{}", key, std::string_view(name));
      if (const auto ours = our_name(name)) {
        take(kQmanager, path, *ours, parameter);
      } else {
        leave(kQmanager, path, why_unknown(name));
      }
    }
  }

  /// "QUEUE:TEXT QUEUE:TEXT …"
  template <class Split>
  void each_queue(std::string_view key, const json::value& value, Split split) {
    if (!value.is_string()) return leave(kQmanager, key, "its value is not text");
    std::string_view rest = value.get_string();
    while (!rest.empty()) {
      const std::string_view entry = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
      const auto colon = entry.find(':');
      if (colon == entry.npos) {
        if (!entry.empty()) leave(kQmanager, key, fmt::format("'{}' names no queue", entry));
        continue;
      }
      for (const auto& [name, parameter] : split(entry.substr(colon + 1))) {
        one_queue(key, std::string(entry.substr(0, colon)), name, parameter);
      }
    }
  }

  void one_queue(std::string_view key, const std::string& queue, std::string_view name,
                 const json::value& parameter) {
    const std::string path = fmt::format("{} {}:{}", key, queue, name);
    const auto ours = our_name(name);
    if (!ours) return leave(kQmanager, path, why_unknown(name));
    if (const auto read = read_queue(queue, {{*ours, parameter}}); !read) {
      return leave(kQmanager, path, read.error().message);
    }
    (*queues_)[queue][*ours] = parameter;
  }

  SiteConfig* site_;
  QueueKeys* queues_;
};

// ---- queues (RFC 33) -------------------------------------------------------------------------

/// The table queues.NAME.policy.scheduler, which RFC 33 leaves to the scheduler.
Result<json::object> scheduler_keys(const json::object& queue) {
  const auto policy = table_of(queue, "policy");
  if (!policy) return policy.error();
  return table_of(*policy, "scheduler");
}

Result<plan::QueueOptions> read_one_queue(const std::string& name, const json::value& value,
                                          const QueueKeys& fluxion) {
  const json::object* body = value.if_object();
  if (body == nullptr)
    return graph::wrong_value(fmt::format("[queues.{}]", name), value, "a table");
  const auto own = scheduler_keys(*body);
  if (!own) return within(fmt::format("[queues.{}]", name), own.error());
  json::object keys;
  if (const auto found = fluxion.find(name); found != fluxion.end()) keys = found->second;
  for (const auto& [key, inner] : *own) keys[key] = inner;
  auto queue = read_queue(name, keys);
  if (!queue) return within(fmt::format("[queues.{}.policy.scheduler]", name), queue.error());
  if (const json::value* parent = body->if_contains("parent")) {
    if (!parent->is_string()) {
      return graph::wrong_value(fmt::format("queues.{}.parent", name), *parent,
                                "the name of a queue");
    }
    queue->parent = std::string(parent->get_string());
  }
  return queue;
}

Result<std::vector<plan::QueueOptions>> read_queues(const json::object& config,
                                                    const QueueKeys& fluxion) {
  const auto table = table_of(config, "queues");
  if (!table) return table.error();
  std::vector<plan::QueueOptions> queues;
  for (const auto& [name, value] : *table) {
    auto queue = read_one_queue(std::string(name), value, fluxion);
    if (!queue) return queue.error();
    queues.push_back(*std::move(queue));
  }
  for (const plan::QueueOptions& queue : queues) {
    if (queue.parent.empty()) continue;
    const auto parent = std::ranges::find(queues, queue.parent, &plan::QueueOptions::name);
    if (parent == queues.end() || !parent->parent.empty()) {
      return failure(
          ErrorCode::invalid, "queues.{}.parent: '{}' is {}", queue.name, queue.parent,
          parent == queues.end() ? "not a configured queue" : "a virtual queue itself (RFC 33)");
    }
  }
  std::ranges::sort(queues, {}, &plan::QueueOptions::name);
  return queues;
}

// ---- the rest --------------------------------------------------------------------------------

Result<SiteConfig::Privacy> read_privacy(const json::object& config) {
  const auto access = table_of(config, "access");
  if (!access) return access.error();
  const json::value* mode = access->if_contains("private-mode");
  if (mode == nullptr) return SiteConfig::Privacy::open;
  if (!mode->is_bool()) {
    return graph::wrong_value("access.private-mode", *mode, "true or false");
  }
  return mode->get_bool() ? SiteConfig::Privacy::own_jobs_only : SiteConfig::Privacy::open;
}

Result<json::object> read_arguments(std::span<const std::string> arguments) {
  json::object keys;
  for (const std::string& argument : arguments) {
    const auto equals = argument.find('=');
    if (equals == argument.npos || equals == 0) {
      return failure(ErrorCode::invalid, "module argument {} is not KEY=VALUE",
                     in_quotes(argument));
    }
    keys[argument.substr(0, equals)] = json::string(argument.substr(equals + 1));
  }
  return keys;
}

}  // namespace

Result<SiteConfig> read_site_config(const json::object& broker_config,
                                    std::span<const std::string> arguments) {
  SiteConfig site;
  QueueKeys fluxion_queues;
  FluxionTables fluxion(site, fluxion_queues);
  fluxion.qmanager(broker_config);
  fluxion.resource(broker_config);
  const auto own = table_of(broker_config, kTable);
  if (!own) return own.error();
  if (auto applied = apply_keys(*own, site); !applied) {
    return within(fmt::format("[{}]", kTable), applied.error());
  }
  const auto keys = read_arguments(arguments);
  if (!keys) return keys.error();
  if (auto applied = apply_keys(*keys, site); !applied) {
    return within("module argument", applied.error());
  }
  auto queues = read_queues(broker_config, fluxion_queues);
  if (!queues) return queues.error();
  site.config.options.queues = *std::move(queues);
  for (const auto& [name, unused] : fluxion_queues) {
    if (std::ranges::count(site.config.options.queues, name, &plan::QueueOptions::name) > 0) {
      continue;
    }
    site.notes.push_back(
        fmt::format("[{}] names the queue '{}', which is not configured", kQmanager, name));
  }
  const auto privacy = read_privacy(broker_config);
  if (!privacy) return privacy.error();
  site.privacy = *privacy;
  return site;
}

}  // namespace tenure::sched
