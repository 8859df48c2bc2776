// SWF: every job line is delivered or an error with its place; what was delivered is written
// and read again as the same.
#include "emul/swf.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "fuzz/target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tenure;        // NOLINT: the entry point alone stands outside
  using namespace tenure::fuzz;  // NOLINT
  const std::string_view text = as_text(bytes, size);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;

  emul::OddityCounts oddities;
  std::vector<emul::SwfJob> jobs;
  const auto keep = [&](std::vector<emul::SwfJob>& to) {
    return [&to](const emul::SwfJob& job) { to.push_back(job); };
  };
  const auto header = emul::parse_swf(text, "trace.swf", keep(jobs), oddities);
  require(jobs.size() <= lines, "{} jobs in {} lines", jobs.size(), lines);
  if (!header) {
    check_error(header.error());
    require(header.error().message.starts_with("trace.swf:"), "an error without a place: {}",
            header.error().message);
    return 0;
  }
  require(header->labels.size() <= emul::kMaxSwfLabels, "{} labels", header->labels.size());

  std::string written;
  for (const auto& [label, value] : header->labels)
    written += fmt::format("; {}: {}\n", label, value);
  for (const emul::SwfJob& job : jobs) written += fmt::format("{}\n", fmt::join(job.values, " "));
  emul::OddityCounts none;
  std::vector<emul::SwfJob> again;
  const auto header_again = emul::parse_swf(written, "again.swf", keep(again), none);
  require(header_again.has_value(), "what was written is refused: {}",
          header_again ? std::string() : header_again.error().message);
  require(header_again->labels == header->labels, "other labels");
  require(std::ranges::equal(jobs, again, {}, &emul::SwfJob::values, &emul::SwfJob::values),
          "other jobs");
  return 0;
}
