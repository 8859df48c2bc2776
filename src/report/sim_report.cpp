#include "report/sim_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string_view>

#include "report/field_metrics.hpp"
#include "sched/config.hpp"

namespace tenure::report {
namespace {

namespace json = boost::json;
using emul::Distribution;

constexpr double kMinute = 60;
constexpr double kHour = 3600;
constexpr double kDay = 86'400;

/// A time in a unit that fits: "45 s", "12.3 min", "4.25 h", "3.1 d".
std::string human(double seconds) {
  if (seconds < 2 * kMinute) return fmt::format("{:.4g} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.3g} min", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{:.3g} h", seconds / kHour);
  return fmt::format("{:.1f} d", seconds / kDay);
}

/// Wall time of a pass.
std::string human_short(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

std::string_view unit_of(const SimReport& report) {
  return report.options->sharing == emul::Sharing::cores ? "core" : "node";
}

emul::OddityCounts oddities_of(const SimReport& report) {
  emul::OddityCounts counts = report.workload->oddities;
  for (std::uint64_t i = 0; i < report.replay->larger_than_machine; ++i) {
    counts.add(emul::Oddity::larger_than_machine);
  }
  return counts;
}

/// Lines of "label   text".
class Lines {
 public:
  template <class... Args>
  void add(std::string_view label, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), "{:<13}", label);
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string machine_text(const SimReport& report) {
  const emul::MachineShape& machine = report.options->machine;
  const emul::SwfHeader& header = report.workload->header;
  std::string text = fmt::format("{} nodes of {} {}", machine.nodes, machine.cores_per_node,
                                 machine.cores_per_node == 1 ? "core" : "cores");
  const auto procs = header.number("MaxProcs");
  const auto nodes = header.number("MaxNodes");
  if (procs && nodes && *procs % *nodes != 0) {
    fmt::format_to(std::back_inserter(text), " (the trace says {} processors on {} nodes)", *procs,
                   *nodes);
  }
  return text;
}

std::string policy_text(const SimReport& report) {
  const json::object config = sched::to_json(report.options->config);
  const auto value = [&](std::string_view key) {
    const json::value& found = config.at(key);
    return found.is_string() ? std::string(found.get_string()) : json::serialize(found);
  };
  std::string text = fmt::format("{}, queue-depth {}", value("policy"), value("queue-depth"));
  if (report.options->config.options.policy == plan::QueuePolicy::hybrid) {
    text = fmt::format("{}, reservation-depth {}", text, value("reservation-depth"));
  }
  return fmt::format(
      "{}, match-policy {}, {}", text, value("match-policy"),
      report.options->sharing == emul::Sharing::cores ? "shared nodes" : "whole nodes");
}

std::string jobs_text(const emul::JobCounts& jobs) {
  std::string text = fmt::format("{} submitted, {} ended by themselves, {} killed at their limit",
                                 jobs.submitted, jobs.done, jobs.killed);
  const auto add = [&text](std::uint64_t count, std::string_view what) {
    if (count > 0) text = fmt::format("{}, {} {}", text, count, what);
  };
  add(jobs.refused, "refused");
  add(jobs.running, "still running");
  add(jobs.waiting, "still waiting");
  return text;
}

std::string spread(const Distribution& of, std::string (*write)(double)) {
  return fmt::format("mean {}, median {}, p95 {}, max {}", write(of.mean), write(of.median),
                     write(of.p95), write(of.max));
}

void add_extensions(Lines& lines, const SimReport& report) {
  const emul::Replay& replay = *report.replay;
  const emul::ExtensionEffect effect = emul::effect_of(replay.jobs);
  const std::string_view unit = unit_of(report);
  lines.add("extensions", "{}: {} asked for, {} granted, {} refused",
            emul::describe(*report.options->extend), replay.extensions.asked,
            replay.extensions.granted, replay.extensions.refused);
  lines.add("  saved", "{} of {} jobs that outlast their limit: {:.0f} {}-hours not lost",
            effect.saved, effect.outlasting, effect.not_lost.value, unit);
  lines.add("  added",
            "{:.0f} {}-hours beyond the first limits; {} jobs killed all the same, "
            "{:.0f} {}-hours lost",
            effect.added.value, unit, effect.killed, effect.lost_anyway.value, unit);
  if (report.baseline == nullptr) return;
  const emul::StartShift shift = emul::compare_starts(replay.jobs, report.baseline->jobs);
  const emul::Summary without = emul::summarise(report.baseline->jobs, report.baseline->horizon);
  lines.add("  cost", "{} jobs start later (mean {}, median {}, p95 {}, max {})", shift.later,
            human(shift.delay.mean), human(shift.delay.median), human(shift.delay.p95),
            human(shift.delay.max));
  lines.add("", "{} jobs start earlier (mean {}, max {}), {} at the same time", shift.earlier,
            human(shift.advance.mean), human(shift.advance.max), shift.same);
  lines.add("  without", "{} killed, {:.0f} {}-hours lost; mean wait {}, utilisation {:.1f} %",
            without.jobs.killed, without.killed.value, unit, human(without.wait.mean),
            without.utilisation * 100);
}

std::string plain(double value) { return fmt::format("{:.4g}", value); }

json::object extensions_json(const SimReport& report) {
  const emul::Replay& replay = *report.replay;
  const emul::ExtensionEffect effect = emul::effect_of(replay.jobs);
  const std::string_view unit = unit_of(report);
  json::object object{{"rule", emul::describe(*report.options->extend)},
                      {"asked", replay.extensions.asked},
                      {"granted", replay.extensions.granted},
                      {"refused", replay.extensions.refused},
                      {"jobs_outlasting_limit", effect.outlasting},
                      {"jobs_extended", effect.extended},
                      {"jobs_saved", effect.saved},
                      {"jobs_killed_anyway", effect.killed}};
  object[fmt::format("{}_hours_not_lost", unit)] = effect.not_lost.value;
  object[fmt::format("{}_hours_added", unit)] = effect.added.value;
  object[fmt::format("{}_hours_lost_anyway", unit)] = effect.lost_anyway.value;
  if (report.baseline == nullptr) return object;
  const emul::StartShift shift = emul::compare_starts(replay.jobs, report.baseline->jobs);
  object["jobs_later"] = shift.later;
  object["jobs_earlier"] = shift.earlier;
  object["jobs_at_the_same_time"] = shift.same;
  object["jobs_started_only_with"] = shift.only_here;
  object["jobs_started_only_without"] = shift.only_there;
  object["delay_seconds"] = distribution_json(shift.delay);
  object["advance_seconds"] = distribution_json(shift.advance);
  json::object baseline;
  add_summary(baseline, emul::summarise(report.baseline->jobs, report.baseline->horizon), unit);
  object["baseline"] = std::move(baseline);
  return object;
}

}  // namespace

std::string to_text(const SimReport& report) {
  const emul::Replay& replay = *report.replay;
  const emul::Summary summary = emul::summarise(replay.jobs, replay.horizon);
  const std::string_view unit = unit_of(report);
  Lines lines;
  const std::string seed = report.seed ? fmt::format(" model, seed {}", *report.seed) : "";
  lines.add("workload", "{}{}: {} jobs", report.workload->name, seed, replay.jobs.size());
  lines.add("machine", "{}", machine_text(report));
  lines.add("policy", "{}", policy_text(report));
  lines.add("jobs", "{}", jobs_text(summary.jobs));
  lines.add("wait", "{}", spread(summary.wait, human));
  lines.add("slowdown", "{} (bounded, 10 s)", spread(summary.bounded_slowdown, plain));
  lines.add("utilisation", "{:.1f} % of the {}s, {:.0f} {}-hours", summary.utilisation * 100, unit,
            summary.held.value, unit);
  lines.add("makespan", "{}", human(summary.makespan.to_seconds()));
  lines.add("idle", "{:.1f} % of the {}s idle while a job waited that would have fitted",
            loss_of_capacity(replay.jobs, replay.horizon) * 100, unit);
  lines.add("backfilled", "{:.1f} % of the started jobs", summary.backfilled_share * 100);
  if (summary.jobs.killed > 0) {
    lines.add("lost", "{:.0f} {}-hours of jobs killed at their limit", summary.killed.value, unit);
  }
  if (report.options->extend) add_extensions(lines, report);
  const Distribution passes = emul::distribution_of(replay.pass_seconds);
  lines.add("passes", "{}: mean {}, p95 {}, max {}", passes.count, human_short(passes.mean),
            human_short(passes.p95), human_short(passes.max));
  lines.add("took", "{}, {:.0f} MiB at most", human(report.wall_seconds),
            static_cast<double>(report.peak_memory_bytes) / (1024 * 1024));
  std::string_view label = "oddities";
  oddities_of(report).for_each([&](emul::Oddity oddity, std::uint64_t count) {
    lines.add(label, "{} {}", count, emul::describe(oddity));
    label = "";
  });
  return lines.take();
}

json::object to_json(const SimReport& report) {
  const emul::Replay& replay = *report.replay;
  const std::string_view unit = unit_of(report);
  json::object object;
  json::object workload{{"name", report.workload->name}, {"jobs", replay.jobs.size()}};
  if (report.seed) workload["seed"] = *report.seed;
  object["workload"] = std::move(workload);
  object["machine"] = json::object{{"nodes", report.options->machine.nodes},
                                   {"cores_per_node", report.options->machine.cores_per_node},
                                   {"unit", unit}};
  object["config"] = sched::to_json(report.options->config);
  add_record_metrics(object, replay.jobs, replay.horizon, replay.announcements, unit);
  if (report.options->extend) object["extensions"] = extensions_json(report);
  const Distribution passes = emul::distribution_of(replay.pass_seconds);
  json::object pass_times = distribution_json(passes);
  pass_times["count"] = passes.count;
  pass_times["jobs_planned"] = replay.passes.jobs_planned;
  object["pass_seconds"] = std::move(pass_times);
  object["wall_seconds"] = report.wall_seconds;
  object["peak_memory_bytes"] = report.peak_memory_bytes;
  json::object oddities;
  oddities_of(report).for_each(
      [&](emul::Oddity oddity, std::uint64_t count) { oddities[emul::key_of(oddity)] = count; });
  object["oddities"] = std::move(oddities);
  return object;
}

}  // namespace tenure::report
