// The result file of a replay.
#include <fmt/format.h>

#include "report/result.hpp"
#include "report/series.hpp"
#include "report/sim_report.hpp"
#include "sched/config.hpp"

namespace tenure::report {
namespace {

std::string number_or_empty(std::int64_t number) {
  return number < 0 ? std::string() : fmt::format("{}", number);
}

ResultHead head_of(const SimReport& report, std::string_view producer) {
  const emul::Replay& replay = *report.replay;
  const bool cores = report.options->sharing == emul::Sharing::cores;
  ResultHead head;
  head.producer = producer;
  head.command = "sim";
  head.name = report.workload->name;
  head.origin = report.workload->epoch;
  head.span = {replay.jobs.front().submit, replay.horizon.stopped};
  head.cluster = {.nodes = report.options->machine.nodes,
                  .cores_per_node = report.options->machine.cores_per_node,
                  .unit = cores ? "core" : "node",
                  .units = replay.horizon.units};
  head.config = sched::to_json(report.options->config);
  if (report.options->extend) head.options["extend"] = emul::describe(*report.options->extend);
  if (report.seed) head.options["seed"] = *report.seed;
  head.metrics = to_json(report);
  head.series = series_of(replay.jobs, head.span, head.origin);
  head.events = events_json(replay.extension_events, head.origin, [&](std::size_t job) {
    return fmt::format("{}", replay.jobs[job].number);
  });
  return head;
}

}  // namespace

Result<void> write_result(const std::string& path, const SimReport& report,
                          std::string_view producer) {
  const emul::Replay& replay = *report.replay;
  auto writer = ResultWriter::open(path, head_of(report, producer));
  if (!writer) return writer.error();
  for (std::size_t i = 0; i < replay.jobs.size(); ++i) {
    const emul::JobRecord& job = replay.jobs[i];
    const std::string id = fmt::format("{}", job.number);
    const std::string user = number_or_empty(job.user);
    const std::string queue = number_or_empty(job.queue);
    JobRow row{.id = id, .user = user, .queue = queue, .record = &job};
    row.announced = replay.announcements.of(i);
    if (report.baseline != nullptr) row.baseline_start = report.baseline->jobs[i].start;
    writer->add(row);
  }
  return writer->finish();
}

}  // namespace tenure::report
