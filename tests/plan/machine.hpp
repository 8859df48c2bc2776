// Small machines and jobs for tests of the planner.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <vector>

#include "graph/resource_graph.hpp"
#include "jobspec/jobspec.hpp"
#include "match/request.hpp"
#include "plan/engine.hpp"

namespace tenure::testing {

inline Time at(std::int64_t seconds) { return Time::seconds(seconds); }
inline Duration secs(std::int64_t seconds) { return Duration::seconds(seconds); }
inline Idset ranks(std::uint32_t first, std::uint32_t last) { return Idset::range(first, last); }

/// `nodes` equal nodes on ranks 0 …, all up.
inline graph::ResourceGraph machine(std::uint32_t nodes, std::uint32_t cores = 4,
                                    std::uint32_t gpus = 0) {
  graph::ResourceGraph::Builder builder;
  const auto pool = [](std::string type, std::uint32_t count) {
    graph::Pool made{std::move(type), std::vector<std::uint32_t>(count)};
    std::iota(made.ids.begin(), made.ids.end(), 0U);
    return made;
  };
  std::vector<graph::Pool> pools;
  if (cores > 0) pools.push_back(pool("core", cores));
  if (gpus > 0) pools.push_back(pool("gpu", gpus));
  const ShapeId shape = builder.add_shape(std::move(pools));
  for (std::uint32_t i = 0; i < nodes; ++i) {
    builder.add_node(Rank(i), fmt::format("node{}", i), shape);
  }
  auto graph = std::move(builder).build();
  CHECK(graph.has_value());
  if (nodes > 0) graph->mark_up(Idset::range(0, nodes - 1));
  return std::move(*graph);
}

/// A resource vertex of a request.
inline jobspec::Resource resource(std::string type, std::uint64_t count,
                                  std::vector<jobspec::Resource> with = {}) {
  jobspec::Resource made;
  made.type = std::move(type);
  made.count = count;
  made.with = std::move(with);
  return made;
}

/// A request for whole nodes.
inline std::shared_ptr<const match::Request> whole_nodes(std::uint64_t nodes) {
  jobspec::Jobspec spec;
  spec.resources = {resource("node", nodes, {resource("slot", 1, {resource("core", 1)})})};
  spec.resources[0].exclusive = true;
  return std::make_shared<const match::Request>(*match::compile(spec));
}

/// A request for slots of cores and gpus anywhere.
inline std::shared_ptr<const match::Request> slots_anywhere(std::uint64_t slots,
                                                            std::uint64_t cores,
                                                            std::uint64_t gpus = 0) {
  jobspec::Jobspec spec;
  spec.resources = {resource("slot", slots, {resource("core", cores)})};
  if (gpus > 0) spec.resources[0].with.push_back(resource("gpu", gpus));
  return std::make_shared<const match::Request>(*match::compile(spec));
}

/// A waiting job for whole nodes, submitted at second 0.
inline plan::PendingJob job(std::uint64_t id, std::uint64_t nodes, Duration duration,
                            std::uint32_t priority = 16) {
  plan::PendingJob made;
  made.id = JobId(id);
  made.priority = Priority(priority);
  made.request = whole_nodes(nodes);
  made.duration = duration;
  return made;
}

/// An engine on `nodes` nodes, all up, whose instance never ends.
inline plan::Engine engine(std::uint32_t nodes,
                           plan::QueuePolicy policy = plan::QueuePolicy::conservative) {
  plan::Options options;
  options.policy = policy;
  return plan::Engine(machine(nodes), Time::never(), options);
}

/// The planned start of a waiting job; never() when it has none.
inline Time planned_start(const plan::Engine& engine, std::uint64_t id) {
  const plan::PlannedJob* entry = engine.find_planned(JobId(id));
  if (entry == nullptr || entry->outcome != plan::PlannedJob::Outcome::reserved) {
    return Time::never();
  }
  return entry->placement.span.start;
}

}  // namespace tenure::testing
