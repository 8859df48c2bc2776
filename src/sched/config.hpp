// Config: the keys of the [sched-tenure] table, the same as module arguments, in a
// scenario's `config:` and as command-line options.
//
// Invariants
//  1. Unknown keys, wrong types and values out of range are errors that name the key, the
//     value and what would be valid; nothing is applied unless all is.
//  2. Every key here is documented in docs/configuration.md.
//  3. apply(Config{}, to_json(config)) == config.
//  4. A key or value that is specified but that this version cannot honour is refused as
//     `unsupported`; it is never accepted and ignored.
//
// apply() is linear in the size of the changes.
#pragma once

#include <boost/json.hpp>

#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "plan/options.hpp"

namespace tenure::sched {

/// What an R carries besides its `execution` section.
enum class MatchFormat {
  automatic,    ///< the inventory's `scheduling` when it came with one
  rv1,          ///< likewise
  rv1_nosched,  ///< never `scheduling`
};

/// Whether alternative slots are tried. Requests with alternatives are not compiled yet, so
/// that both mean the same until they are.
enum class Traverser { simple, flexible };

/// An extension over an advance reservation.
enum class ExpirationConflict { allow, deny };

struct Config {
  plan::Options options;
  MatchFormat match_format = MatchFormat::automatic;
  /// "HL:LL,…" as given, checked for its form; empty: chosen from the graph. Speed only.
  std::string prune_filters;
  Traverser traverser = Traverser::flexible;
  ExpirationConflict expiration_conflict = ExpirationConflict::allow;
  /// Longest time of one slice of a pass.
  Duration pass_budget = Duration::microseconds(10'000);
  /// At most one estimate a job in this time.
  Duration annotate_interval = Duration::seconds(1);

  friend bool operator==(const Config&, const Config&) = default;
};

/// `base` with the changes applied. Values may be JSON numbers or their text, so that
/// "queue-depth=32" on a command line and 32 in TOML mean the same.
/// Errors: `invalid`, or `unsupported` for what is specified but not available.
Result<Config> apply(const Config& base, const boost::json::object& changes);

/// The scheduling keys of one queue (RFC 33): `policy`, `queue-depth`, `reservation-depth`;
/// what is left out is that of the whole configuration. Errors: as apply().
Result<plan::QueueOptions> read_queue(std::string name, const boost::json::object& keys);

/// All keys with their present values, in the order of the documentation.
boost::json::object to_json(const Config& config);

}  // namespace tenure::sched
