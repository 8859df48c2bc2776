#include "sched/plan_view.hpp"

#include <utility>

namespace tenure::sched {

namespace json = boost::json;

json::object write_plan(const plan::Engine& engine, Time now, const PlanTerms& terms) {
  const auto held = [&](JobId id, Span span, const graph::ResourceSet& resources) {
    return json::object{{"id", terms.name(id)},
                        {"start", terms.seconds(span.start)},
                        {"end", terms.seconds(span.end)},
                        {"ranks", engine.graph().ranks_of(resources).to_string()}};
  };
  json::array allocations;
  json::array reservations;
  json::array unplanned;
  for (const auto& [id, allocation] : engine.allocations()) {
    json::object entry = held(id, allocation.span, allocation.resources);
    if (engine.is_overrun(allocation, now)) entry["overrun"] = true;
    allocations.push_back(std::move(entry));
  }
  engine.for_each_pending([&](const plan::PendingJob& job) {
    const plan::PlannedJob* planned = engine.find_planned(job.id);
    if (planned != nullptr && planned->outcome == plan::PlannedJob::Outcome::reserved) {
      reservations.push_back(held(job.id, planned->placement.span, planned->placement.resources));
      return;
    }
    const std::string reason = terms.reason(engine.explain(job.id, now));
    unplanned.push_back(json::object{{"id", terms.name(job.id)}, {"reason", reason}});
  });
  return json::object{{"allocations", std::move(allocations)},
                      {"reservations", std::move(reservations)},
                      {"unplanned", std::move(unplanned)}};
}

}  // namespace tenure::sched
