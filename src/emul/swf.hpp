// SWF: the Standard Workload Format of the Parallel Workloads Archive, version 2.2.
//
// A text of lines: header comments that start with ';' and may read "; Label: value", and
// one line a job with 18 numbers, -1 for what is not known. Reading is tolerant about what
// traces in use really hold (a 19th field, fractions, comments between jobs, indented
// headers, CRLF) and strict about what cannot be understood.
//
// Invariants
//  1. A job line is delivered or it is an error that names FILE:LINE, the field, the value
//     and what would be valid; nothing is skipped.
//  2. Memory does not grow with the number of jobs: each is handed to the sink at once.
//
// Linear in the text. Source: Chapin et al., "Benchmarks and Standards for the Evaluation
// of Parallel Job Schedulers", JSSPP 1999, and the archive's description of version 2.2.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "emul/oddities.hpp"

namespace tenure::emul {

/// Largest time or duration in a trace, in seconds (about 3000 years).
inline constexpr std::int64_t kMaxSwfSeconds = 100'000'000'000;
/// Largest number of processors.
inline constexpr std::int64_t kMaxSwfProcs = 4'294'967'295;
/// Longest line; longer is a `limit` error.
inline constexpr std::size_t kMaxSwfLine = 1U << 20U;
/// Most header comments that are kept; further ones are counted.
inline constexpr std::size_t kMaxSwfLabels = 4096;

enum class SwfField : std::uint8_t {
  number,
  submit,  ///< seconds since the start of the trace
  wait,
  runtime,
  allocated_procs,
  cpu_used,
  memory_used,
  requested_procs,
  requested_time,
  requested_memory,
  status,
  user,
  group,
  executable,
  queue,
  partition,
  preceding_job,
  think_time
};
inline constexpr std::size_t kSwfFields = 18;

/// One line. Any negative value means "not known".
struct SwfJob {
  std::array<std::int64_t, kSwfFields> values;

  std::int64_t operator[](SwfField field) const { return values[static_cast<std::size_t>(field)]; }
  std::int64_t& operator[](SwfField field) { return values[static_cast<std::size_t>(field)]; }
};

/// The header comments: all of them as they came, and the numbers among them.
struct SwfHeader {
  std::vector<std::pair<std::string, std::string>> labels;  ///< in file order, repeated or not
  std::uint64_t labels_left_out = 0;                        ///< beyond kMaxSwfLabels

  /// The first value of a label; matching ignores case. nullptr when there is none.
  const std::string* find(std::string_view label) const;
  /// The leading integer of that value, when it is positive: "128 (96 batch)" is 128.
  std::optional<std::int64_t> number(std::string_view label) const;
};

using SwfSink = std::function<void(const SwfJob&)>;

/// Reads a file, packed by gzip or not, and calls `sink` for each job. Counts extra fields
/// and fractions. Errors: `io` when the file cannot be read, `invalid` and `limit` with
/// FILE:LINE.
Result<SwfHeader> read_swf(const std::string& path, const SwfSink& sink, OddityCounts& oddities);

/// Reads the text of a trace; `name` stands before the line number in errors.
Result<SwfHeader> parse_swf(std::string_view text, std::string_view name, const SwfSink& sink,
                            OddityCounts& oddities);

}  // namespace tenure::emul
