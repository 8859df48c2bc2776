// Config: the keys of the [sched-tenure] table, the same as module arguments, in a
// scenario's `config:` and as command-line options.
//
// Invariants
//  1. Unknown keys, wrong types and values out of range are errors that name the key, the
//     value and what would be valid; nothing is applied unless all is.
//  2. Every key here is documented in docs/configuration.md.
#pragma once

#include <boost/json.hpp>

#include "base/result.hpp"
#include "base/time.hpp"
#include "plan/options.hpp"

namespace tenure::sched {

struct Config {
  plan::Options options;
  /// Longest time of one slice of a pass.
  Duration pass_budget = Duration::microseconds(10'000);
  /// At most one estimate a job in this time.
  Duration annotate_interval = Duration::seconds(1);

  friend bool operator==(const Config&, const Config&) = default;
};

/// `base` with the changes applied. Values may be JSON numbers or their text, so that
/// "queue-depth=32" on a command line and 32 in TOML mean the same.
Result<Config> apply(const Config& base, const boost::json::object& changes);

/// All keys with their present values, in the order of the documentation.
boost::json::object to_json(const Config& config);

}  // namespace tenure::sched
