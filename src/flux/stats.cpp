#include "flux/stats.hpp"

namespace tenure::flux {

namespace json = boost::json;
using Outcome = plan::PlannedJob::Outcome;

namespace {

json::object queue_counts(const plan::Engine& engine) {
  std::uint64_t reserved = 0;
  std::uint64_t waiting = 0;
  std::uint64_t unplanned = 0;
  for (const plan::PlannedJob& job : engine.planned()) {
    if (job.outcome == Outcome::reserved) ++reserved;
    if (job.outcome == Outcome::waiting) ++waiting;
    if (job.outcome == Outcome::unplanned) ++unplanned;
  }
  return {{"pending", engine.pending_count()}, {"looked-at", engine.planned().size()},
          {"planned-starts", reserved},        {"without-a-start", waiting},
          {"cannot-be-planned", unplanned},    {"holding-resources", engine.allocations().size()}};
}

json::object node_counts(const graph::ResourceGraph& graph) {
  return {{"present", graph.present().count()}, {"up", graph.up().count()}};
}

json::object message_counts(const sched::Scheduler& scheduler) {
  const auto& counters = scheduler.counters();
  return {{"allocs", counters.allocs},   {"succeeded", counters.succeeded},
          {"denied", counters.denied},   {"canceled", counters.canceled},
          {"ignored", counters.ignored}, {"commits-failed", counters.commits_failed}};
}

}  // namespace

json::object stats(const sched::Scheduler& scheduler, const PassLoop& loop,
                   const sched::SiteConfig& site) {
  const plan::Engine& engine = scheduler.engine();
  const plan::PassCounters& passes = engine.counters();
  const auto& annotations = scheduler.annotator().counters();
  json::object config = sched::to_json(site.config);
  if (site.alloc_limit) {
    config["alloc-limit"] = *site.alloc_limit;
  } else {
    config["alloc-limit"] = "unlimited";
  }
  return {{"queue", queue_counts(engine)},
          {"nodes", node_counts(engine.graph())},
          {"messages", message_counts(scheduler)},
          {"expirations", json::object{{"updates", passes.expiration_updates},
                                       {"refused", scheduler.counters().expirations_refused}}},
          {"passes", json::object{{"complete", passes.passes},
                                  {"slices", passes.slices},
                                  {"postponed", loop.postponed()},
                                  {"pass-time", loop.passes().to_json()},
                                  {"slice-time", loop.slices().to_json()}}},
          {"match", json::object{{"placement-searches", passes.jobs_planned},
                                 {"decisions-undone", passes.decisions_undone}}},
          {"annotations", json::object{{"sent", annotations.sent},
                                       {"failed", annotations.failed},
                                       {"held-back", annotations.held_back},
                                       {"reasons", annotations.explained}}},
          {"config", std::move(config)}};
}

}  // namespace tenure::flux
