// Incremental = from scratch, and "a refused event changes nothing", for any engine.
//
// Both answer with text: what differs, or what there is. Tests, the fuzz targets and the
// simulation hold an engine against them after each complete pass and each refusal.
#pragma once

#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>

#include "graph/formats/r.hpp"
#include "plan/engine.hpp"

namespace tenure::testing {

inline std::string text_of(Time time) {
  return time.is_never() ? std::string("never") : fmt::format("{}us", time.count());
}

inline std::string text_of(const plan::PlannedJob& entry, const graph::ResourceGraph& graph) {
  const auto& placement = entry.placement;
  return fmt::format("job {} queue {} outcome {} why {} {} .. {} {}", entry.key.id.value(),
                     entry.queue, static_cast<int>(entry.outcome), static_cast<int>(entry.why),
                     text_of(placement.span.start), text_of(placement.span.end),
                     boost::json::serialize(graph::write_r_lite(placement.resources, graph)));
}

/// All facts and the plan of an engine, one a line.
inline std::string text_of(const plan::Engine& engine) {
  const graph::ResourceGraph& graph = engine.graph();
  std::string text = fmt::format(
      "up {} present {} end {}\n", graph.ranks_of(graph.up()).to_string(),
      graph.ranks_of(graph.present()).to_string(), text_of(engine.instance_expiration()));
  for (const auto& [id, held] : engine.allocations()) {
    text += fmt::format("holds {} {} .. {} planned {} origin {} {}\n", id.value(),
                        text_of(held.span.start), text_of(held.span.end), text_of(held.planned_end),
                        static_cast<int>(held.end_origin),
                        boost::json::serialize(graph::write_r_lite(held.resources, graph)));
  }
  engine.for_each_pending([&](const plan::PendingJob& job) {
    text += fmt::format("waits {} priority {} submit {} queue {} duration {}\n", job.id.value(),
                        job.priority.value(), text_of(job.submit), job.queue, job.duration.count());
  });
  for (const plan::PlannedJob& entry : engine.planned()) text += text_of(entry, graph) + "\n";
  return text;
}

/// What differs between the plan of a complete pass at `now` and that of a new engine which
/// is given the same facts; empty: nothing. Starts have to be taken before.
inline std::string difference_from_scratch(const plan::Engine& engine, Time now) {
  plan::Engine fresh(engine.graph(), engine.instance_expiration(), engine.options());
  for (const auto& [id, allocation] : engine.allocations()) {
    const auto left_out = fresh.hold(allocation);
    if (!left_out || *left_out > 0) return fmt::format("job {} cannot be held", id.value());
  }
  std::string difference;
  engine.for_each_pending([&](const plan::PendingJob& job) {
    if (!fresh.submit(job)) difference = fmt::format("job {} waits twice", job.id.value());
  });
  if (!difference.empty()) return difference;
  if (fresh.plan(now) != plan::PassState::complete) return "a pass without a limit stopped";
  if (const auto starts = fresh.take_starts(); !starts.empty()) {
    return fmt::format("job {} starts from scratch", starts.front().id.value());
  }
  const auto plan = engine.planned();
  const auto expected = fresh.planned();
  for (std::size_t i = 0; i < std::min(plan.size(), expected.size()); ++i) {
    if (plan[i] == expected[i]) continue;
    return fmt::format("position {}: {}; from scratch {}", i, text_of(plan[i], engine.graph()),
                       text_of(expected[i], engine.graph()));
  }
  if (plan.size() != expected.size()) {
    return fmt::format("{} jobs are planned, {} from scratch", plan.size(), expected.size());
  }
  if (!(engine.profile() == fresh.profile())) return "the profiles differ";
  if (engine.next_wakeup() != fresh.next_wakeup()) {
    return fmt::format("the next wake-up is at {}, from scratch at {}",
                       text_of(engine.next_wakeup()), text_of(fresh.next_wakeup()));
  }
  return {};
}

}  // namespace tenure::testing
