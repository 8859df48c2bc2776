#include "sched/impact_view.hpp"

#include <cmath>
#include <utility>

#include "graph/formats/json_field.hpp"

namespace tenure::sched {

namespace json = boost::json;

namespace {

json::array write_shifts(const std::vector<plan::Shift>& shifts, const PlanTerms& terms) {
  json::array list;
  for (const plan::Shift& shift : shifts) {
    const bool has_both = !shift.from.is_never() && !shift.to.is_never();
    const json::value delay =
        has_both ? graph::write_duration(shift.to - shift.from) : json::value(nullptr);
    list.push_back(json::object{{"id", terms.name(shift.id)},
                                {"from", terms.seconds(shift.from)},
                                {"to", terms.seconds(shift.to)},
                                {"delay", delay}});
  }
  return list;
}

}  // namespace

json::object write_impact(const plan::Impact& impact, const std::optional<plan::FreeUntil>& free,
                          const PlanTerms& terms) {
  json::object object{{"ok", !impact.refusal}, {"end", terms.seconds(impact.end)}};
  if (impact.refusal) {
    object["error"] = impact.refusal->message;
  } else {
    object["delayed"] = write_shifts(impact.delayed, terms);
    object["advanced"] = write_shifts(impact.advanced, terms);
    object["conflicts"] = json::array();
  }
  if (free) object["free_until"] = terms.seconds(free->end);
  return object;
}

json::object write_cost(const plan::Cost& cost) {
  return json::object{{"delayed", cost.delayed},
                      {"lost", cost.lost},
                      {"worst", graph::write_duration(cost.worst)},
                      {"total", graph::write_duration(cost.total)},
                      {"node_hours", std::round(cost.node_hours * 1e3) / 1e3}};
}

json::array write_frontier(const plan::Frontier& frontier, const PlanTerms& terms) {
  json::array list;
  for (const plan::Impact& step : frontier.steps) {
    json::object entry{{"end", terms.seconds(step.end)}};
    for (auto& [key, value] : write_cost(plan::cost_of(step.delayed))) {
      entry[key] = std::move(value);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace tenure::sched
