#include "emul/jobs_csv.hpp"

#include <iterator>

#include "base/check.hpp"
#include "base/file.hpp"

namespace tenure::emul {
namespace {

constexpr std::string_view kColumns =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
    "success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
    "stretch,allocated_resources,consumed_energy,metadata\n";

/// "12", "12.5": as many of six decimals as are needed.
std::string seconds(Duration duration) {
  const std::int64_t us = duration.count();
  if (us % 1'000'000 == 0) return fmt::format("{}", us / 1'000'000);
  std::string text = fmt::format("{}{}.{:06}", us < 0 ? "-" : "", std::abs(us / 1'000'000),
                                 std::abs(us % 1'000'000));
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string_view final_state(Outcome outcome) {
  switch (outcome) {
    case Outcome::unsubmitted:
      return "NOT_SUBMITTED";
    case Outcome::waiting:
      return "SUBMITTED";
    case Outcome::running:
      return "RUNNING";
    case Outcome::done:
      return "COMPLETED_SUCCESSFULLY";
    case Outcome::killed:
      return "COMPLETED_WALLTIME_REACHED";
    case Outcome::refused:
      return "REJECTED";
    case Outcome::canceled:
      return "COMPLETED_KILLED";
  }
  CHECK(false, "no such outcome");
}

/// A field in quotes when it needs them (RFC 4180).
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

/// "0-3 7": ranges apart by blanks, so that the field needs no quotes.
std::string ranks_text(const Idset& ranks) {
  std::string text = ranks.to_string();
  for (char& c : text) {
    if (c == ',') c = ' ';
  }
  return text;
}

void append_row(std::string& out, const JobRecord& job, const JobsCsvOptions& options) {
  const auto since_epoch = [&](const std::optional<Time>& time) {
    return time ? seconds(*time - options.epoch) : std::string();
  };
  std::string execution;
  std::string turnaround;
  std::string stretch;
  if (job.finish) {
    const Duration ran = *job.finish - *job.start;
    const Duration whole = *job.finish - job.submit;
    execution = seconds(ran);
    turnaround = seconds(whole);
    if (ran > Duration::zero()) stretch = fmt::format("{}", whole.to_seconds() / ran.to_seconds());
  }
  std::string metadata;
  if (job.start) {
    metadata = fmt::format("selection={}", plan::to_string(job.selection));
    if (job.extensions > 0) metadata = fmt::format("{};extensions={}", metadata, job.extensions);
  }
  fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},-1,{}\n",
                 job.number, csv_field(options.workload), seconds(job.runtime),
                 seconds(job.submit - options.epoch), job.units, seconds(job.walltime),
                 job.outcome == Outcome::done ? 1 : 0, final_state(job.outcome),
                 since_epoch(job.start), execution, since_epoch(job.finish),
                 job.start ? seconds(*job.start - job.submit) : std::string(), turnaround, stretch,
                 ranks_text(job.ranks), metadata);
}

}  // namespace

std::string format_jobs_csv(std::span<const JobRecord> jobs, const JobsCsvOptions& options) {
  std::string out(kColumns);
  for (const JobRecord& job : jobs) append_row(out, job, options);
  return out;
}

Result<void> write_jobs_csv(const std::string& path, std::span<const JobRecord> jobs,
                            const JobsCsvOptions& options) {
  return replace_file(path, format_jobs_csv(jobs, options));
}

}  // namespace tenure::emul
