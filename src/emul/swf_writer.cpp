#include "emul/swf_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

namespace tenure::emul {
namespace {

constexpr std::int64_t kUnknown = -1;
/// Labels that the replay has values of its own for.
constexpr std::array<std::string_view, 6> kOwn{"Version",       "MaxJobs",  "MaxRecords",
                                               "UnixStartTime", "MaxNodes", "MaxProcs"};

bool is_own(std::string_view label) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::any_of(
      kOwn, [&](std::string_view own) { return std::ranges::equal(own, label, {}, lower, lower); });
}

std::int64_t rounded_seconds(Duration duration) {
  constexpr std::int64_t kSecond = 1'000'000;
  const std::int64_t us = duration.count() + kSecond / 2;
  return us >= 0 ? us / kSecond : -((-us + kSecond - 1) / kSecond);
}

std::int64_t status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return 1;
    case Outcome::killed:
      return 0;
    case Outcome::refused:
    case Outcome::canceled:
      return 5;
    default:
      return kUnknown;
  }
}

void append_job(std::string& out, const JobRecord& job, const SwfOptions& options) {
  const std::int64_t submit = rounded_seconds(job.submit - options.epoch);
  std::int64_t wait = kUnknown;
  std::int64_t run = kUnknown;
  std::int64_t allocated = kUnknown;
  if (job.start) {
    const std::int64_t start = rounded_seconds(*job.start - options.epoch);
    wait = start - submit;
    allocated = static_cast<std::int64_t>(job.units * options.procs_per_unit);
    if (job.finish) run = rounded_seconds(*job.finish - options.epoch) - start;
  }
  const std::int64_t limit = job.walltime.is_infinite() ? kUnknown : rounded_seconds(job.walltime);
  // The order and the -1 of unknown fields are the format's.
  fmt::format_to(std::back_inserter(out), "{} {} {} {} {} -1 -1 {} {} -1 {} {} -1 -1 {} -1 -1 -1\n",
                 job.number, submit, wait, run, allocated, job.procs, limit, status_of(job.outcome),
                 std::max(job.user, kUnknown), std::max(job.queue, kUnknown));
}

}  // namespace

std::string format_swf(std::span<const JobRecord> jobs, const SwfOptions& options) {
  const std::uint64_t procs = std::uint64_t{options.machine.nodes} * options.machine.cores_per_node;
  std::string out = fmt::format(
      "; Version: 2.2\n; Note: {}\n; MaxJobs: {}\n; MaxRecords: {}\n; UnixStartTime: {}\n"
      "; MaxNodes: {}\n; MaxProcs: {}\n",
      options.note, jobs.size(), jobs.size(), rounded_seconds(options.epoch - Time()),
      options.machine.nodes, procs);
  if (options.header != nullptr) {
    for (const auto& [label, value] : options.header->labels) {
      if (!is_own(label)) fmt::format_to(std::back_inserter(out), "; {}: {}\n", label, value);
    }
  }
  for (const JobRecord& job : jobs) append_job(out, job, options);
  return out;
}

}  // namespace tenure::emul
