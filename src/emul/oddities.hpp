// Oddities: what is strange about a trace, and what was made of it.
//
// Real traces have gaps and contradictions. None of them stops a replay and none is passed
// over in silence: each is counted, and the summary says how it was read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenure::emul {

enum class Oddity : std::uint8_t {
  extra_fields,        ///< lines with more than 18 fields
  fraction,            ///< a number with a fraction where whole ones belong
  duplicate_number,    ///< a job number that came before
  unsorted,            ///< submitted before the job of the line above
  no_submit_time,      ///< submit time unknown
  no_requested_procs,  ///< processors asked for unknown, allocated ones known
  no_procs,            ///< neither is known
  no_requested_time,   ///< walltime unknown
  no_runtime,          ///< run time unknown
  zero_runtime,        ///< a run time of zero
  over_limit,          ///< ran longer than it had asked for
  bad_start_time,      ///< the header's start of the trace is no time
  larger_than_machine  ///< asks for more than there is
};
inline constexpr std::size_t kOddities = 13;

/// "no-requested-time": the key in JSON.
std::string_view key_of(Oddity oddity);
/// "no requested time: the run time is the limit", behind a count of jobs.
std::string_view describe(Oddity oddity);

class OddityCounts {
 public:
  void add(Oddity oddity) { ++counts_[static_cast<std::size_t>(oddity)]; }
  std::uint64_t of(Oddity oddity) const { return counts_[static_cast<std::size_t>(oddity)]; }

  /// Calls fn(Oddity, count) for each that occurred, in the order above.
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (std::size_t i = 0; i < kOddities; ++i) {
      if (counts_[i] > 0) fn(static_cast<Oddity>(i), counts_[i]);
    }
  }

 private:
  std::array<std::uint64_t, kOddities> counts_{};
};

}  // namespace tenure::emul
