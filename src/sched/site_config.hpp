// SiteConfig: the scheduler's configuration as a Flux site has it.
//
// It comes from four places, the later ones winning key by key: what the tables of
// Fluxion say under a key with the same meaning, the table [sched-tenure], the scheduling
// keys of each queue ([queues.NAME.policy.scheduler], RFC 33), and module arguments.
//
// Invariants
//  1. read_site_config() is pure; an error names the table or argument, the key, the value
//     and what would be valid, and nothing is taken over.
//  2. A key of Fluxion's tables never fails: what cannot be taken over becomes a note.
//
// Linear in the configuration. docs/flux.md has the keys of Fluxion one by one.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "sched/config.hpp"

namespace tenure::sched {

/// Largest `alloc-limit`: RFC 27, limited mode.
inline constexpr std::uint32_t kMaxAllocLimit = 2'147'483'647;

struct SiteConfig {
  Config config;
  /// Most allocs that the job manager keeps outstanding (limited mode of RFC 27); absent:
  /// unlimited mode. Key `alloc-limit`, `unlimited` by default.
  std::optional<std::uint32_t> alloc_limit;
  /// [access] private-mode: guests do not see the jobs of others.
  enum class Privacy { open, own_jobs_only } privacy = Privacy::open;
  /// What Fluxion's tables say and was not taken over, one sentence each.
  std::vector<std::string> notes;
};

/// `broker_config` is the whole configuration object of the broker; `arguments` are the
/// module's, each "KEY=VALUE". Errors: `invalid` and `unsupported` as for apply().
Result<SiteConfig> read_site_config(const boost::json::object& broker_config,
                                    std::span<const std::string> arguments);

}  // namespace tenure::sched
