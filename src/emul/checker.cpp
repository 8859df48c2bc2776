#include "emul/checker.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace tenure::emul {
namespace {

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::numeric_limits<std::uint64_t>::max();
  return product;
}

void sum_up(const jobspec::Resource& resource, std::uint64_t factor, bool inside_slot,
            Demand& demand) {
  const std::uint64_t count = times(factor, resource.count);
  const bool is_node = resource.type == "node";
  const bool is_slot = resource.type == "slot";
  if (is_node) {
    demand.nodes = count;
    // What is inside a slot belongs to the slot alone.
    demand.exclusive = resource.exclusive || inside_slot;
  } else if (!is_slot) {
    demand.units[resource.type] += count;
  }
  for (const jobspec::Resource& child : resource.with) {
    sum_up(child, count, inside_slot || is_slot, demand);
  }
}

template <class Fn>
void for_each_node(const graph::ResourceSet& set, Fn&& fn) {
  for (const graph::NodeRange range : set.nodes()) {
    for (std::uint32_t i = range.first.value(); i <= range.last.value(); ++i) fn(NodeIndex(i));
  }
}

graph::NodeSet node_set(const graph::ResourceSet& set, std::uint32_t size) {
  graph::NodeSet nodes(size);
  for (const graph::NodeRange range : set.nodes()) nodes.set(range);
  return nodes;
}

bool subset(const graph::NodeSet& a, const graph::NodeSet& b) {
  return a.count_and(b) == a.count();
}

/// One use of a node's units for some time, in the plan.
struct Use {
  std::uint32_t node;
  Span span;
  JobId job;
  graph::UnitMask units;
};

graph::UnitMask all_units(const graph::ResourceGraph& graph, std::uint32_t node) {
  // A node without units is taken as a whole too: one unit stands for it.
  return graph::UnitMask::full(std::max(1U, graph.shape_of(NodeIndex(node)).units));
}

void append_uses(std::vector<Use>& uses, const graph::ResourceGraph& graph, JobId job, Span span,
                 const graph::ResourceSet& set) {
  for (const graph::NodeRange range : set.whole()) {
    for (std::uint32_t i = range.first.value(); i <= range.last.value(); ++i) {
      uses.push_back(Use{i, span, job, all_units(graph, i)});
    }
  }
  for (const graph::NodePart& part : set.parts()) {
    uses.push_back(Use{part.node.value(), span, job, part.units});
  }
}

}  // namespace

std::uint64_t units_in(const graph::ResourceSet& set, const graph::ResourceGraph& graph,
                       std::string_view type) {
  std::uint64_t sum = 0;
  for (const graph::NodeRange range : set.whole()) {
    for (std::uint32_t i = range.first.value(); i <= range.last.value(); ++i) {
      sum += graph.shape_of(NodeIndex(i)).count(type);
    }
  }
  for (const graph::NodePart& part : set.parts()) {
    const graph::Pool* pool = graph.shape_of(part.node).pool(type);
    if (pool != nullptr) sum += part.units.count(pool->first_unit, pool->count());
  }
  return sum;
}

Demand demand_of(const jobspec::Jobspec& jobspec) {
  Demand demand;
  for (const jobspec::Resource& resource : jobspec.resources) sum_up(resource, 1, false, demand);
  return demand;
}

PlanView view_of(const plan::Engine& engine) {
  PlanView view{&engine.graph(),  &engine.allocations(),       engine.planned(), {},
                engine.options(), engine.instance_expiration()};
  view.pending.reserve(engine.pending_count());
  engine.for_each_pending([&](const plan::PendingJob& job) { view.pending.push_back(job.id); });
  return view;
}

Checker::Checker(const graph::ResourceGraph& machine, Time instance_expiration, Report report)
    : machine_(&machine),
      instance_expiration_(instance_expiration),
      report_(std::move(report)),
      holders_(machine.node_count()) {}

template <class... Args>
void Checker::fault(fmt::format_string<Args...> format, Args&&... args) {
  ++faults_;
  report_(fmt::format(format, std::forward<Args>(args)...));
}

// ---- to the scheduler ------------------------------------------------------------------

void Checker::alloc(const plan::QueueKey& key, std::shared_ptr<const jobspec::Jobspec> jobspec) {
  if (head_ && key < head_->key) excused_ = true;
  waiting_[key.id] = Waiting{key, std::move(jobspec)};
}

void Checker::free(JobId id, const Idset& ranks, plan::Engine::Release kind) {
  const auto found = holding_.find(id);
  if (found == holding_.end()) return;
  Holding& job = found->second;
  const bool final = kind == plan::Engine::Release::final;
  const graph::NodeSet freed =
      final ? node_set(job.resources, machine_->node_count()) : machine_->nodes_with_ranks(ranks);
  for_each_node(job.resources.restricted_to(freed),
                [&](NodeIndex node) { std::erase(holders_[node.value()], id); });
  if (final) {
    holding_.erase(found);
  } else {
    job.resources = job.resources.without(freed);
  }
}

void Checker::expiration(JobId id, Time end) {
  const auto found = holding_.find(id);
  if (found == holding_.end()) {
    fault("sched.expiration of job {} succeeded though it holds nothing", format_f58(id));
    return;
  }
  found->second.follows_instance = end.is_never();
  const Time effective = end.is_never() ? instance_expiration_ : end;
  if (found->second.span.end != effective) excused_ = true;
  found->second.span.end = effective;
}

void Checker::prioritize(std::span<const std::pair<JobId, Priority>> priorities) {
  excused_ = true;
  for (const auto& [id, priority] : priorities) {
    const auto found = waiting_.find(id);
    if (found != waiting_.end()) found->second.key.priority = priority;
  }
}

void Checker::instance_expiration(Time expiration) {
  instance_expiration_ = expiration;
  excused_ = true;
  for (auto& [id, job] : holding_) {
    if (job.follows_instance) job.span.end = expiration;
  }
}

void Checker::facts_changed() { excused_ = true; }

void Checker::reloaded() {
  excused_ = true;
  waiting_.clear();
}

// ---- from the scheduler ----------------------------------------------------------------

void Checker::answered(JobId id, std::string_view answer) {
  if (waiting_.erase(id) == 0) {
    fault("job {}: answer {} though no alloc of it is pending", format_f58(id), answer);
  }
}

void Checker::annotated(JobId id) {
  if (!waiting_.contains(id)) {
    fault("job {}: annotated though no alloc of it is pending", format_f58(id));
  }
}

void Checker::succeeded(JobId id, const match::Placement& placement, Time now) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) {
    fault("job {}: answer SUCCESS though no alloc of it is pending", format_f58(id));
    return;
  }
  const Waiting job = std::move(found->second);
  waiting_.erase(found);
  if (head_ && job.key < head_->key) excused_ = true;

  check_resources(id, *job.jobspec, *machine_, placement.resources);
  check_overlap(id, placement.resources);
  if (placement.span.start != now) {
    fault("job {}: starts at {} but its R says {}", format_f58(id), now.to_seconds(),
          placement.span.start.to_seconds());
  }
  check_span(id, *job.jobspec, placement.span);
  for_each_node(placement.resources, [&](NodeIndex node) { holders_[node.value()].push_back(id); });
  holding_[id] = Holding{placement.resources, placement.span, job.jobspec->is_unlimited()};
}

void Checker::check_resources(JobId id, const jobspec::Jobspec& jobspec,
                              const graph::ResourceGraph& graph, const graph::ResourceSet& set) {
  const Demand demand = demand_of(jobspec);
  const graph::NodeSet nodes = node_set(set, graph.node_count());
  if (!subset(nodes, graph.up())) {
    graph::NodeSet bad = nodes;
    bad -= graph.up();
    fault("job {}: given ranks {} that are down or lost", format_f58(id),
          graph.ranks_of(bad).to_string());
  }
  if (!subset(nodes, jobspec.constraint.evaluate(graph))) {
    fault("job {}: given ranks {} that its constraint {} excludes", format_f58(id),
          graph.ranks_of(nodes).to_string(), jobspec.constraint.to_string());
  }
  if (demand.nodes != 0 && set.node_count() != demand.nodes) {
    fault("job {}: given {} nodes, asked for {}", format_f58(id), set.node_count(), demand.nodes);
  }
  if (demand.exclusive && !set.parts().empty()) {
    fault("job {}: asked for whole nodes, given a part of one", format_f58(id));
  }
  for (const auto& [type, wanted] : demand.units) {
    const std::uint64_t given = units_in(set, graph, type);
    // Whole nodes may be larger than asked for, as may a set that is not exclusive only by
    // name: every unit of its nodes was asked for.
    if (given < wanted || (!demand.exclusive && given > wanted)) {
      fault("job {}: given {} of type {}, asked for {}", format_f58(id), given, type, wanted);
    }
  }
}

void Checker::check_span(JobId id, const jobspec::Jobspec& jobspec, Span span) {
  const Time end = jobspec.is_unlimited() ? instance_expiration_ : span.start + jobspec.duration;
  if (span.end != end) {
    fault("job {}: ends at {}, should end at {}", format_f58(id), span.end.to_seconds(),
          end.to_seconds());
  }
  if (end > instance_expiration_) {
    fault("job {}: ends at {}, after the instance at {}", format_f58(id), end.to_seconds(),
          instance_expiration_.to_seconds());
  }
}

void Checker::check_overlap(JobId id, const graph::ResourceSet& set) {
  std::vector<JobId> others;
  for_each_node(set, [&](NodeIndex node) {
    const auto& holders = holders_[node.value()];
    others.insert(others.end(), holders.begin(), holders.end());
  });
  std::ranges::sort(others);
  others.erase(std::unique(others.begin(), others.end()), others.end());
  for (const JobId other : others) {
    const Holding& holding = holding_.at(other);
    if (!holding.resources.overlaps(set)) continue;
    fault("job {}: given resources that job {} holds (ranks {})", format_f58(id), format_f58(other),
          machine_->ranks_of(set).to_string());
  }
}

// ---- after a complete pass -------------------------------------------------------------

void Checker::plan(const PlanView& view, Time now) {
  check_known(view);
  check_allocations(view);
  check_reservations(view, now);
  check_disjoint(view, now);
  check_policy(view, now);
}

void Checker::check_known(const PlanView& view) {
  std::vector<JobId> known = view.pending;
  std::ranges::sort(known);
  for (const auto& [id, job] : waiting_) {
    if (!std::ranges::binary_search(known, id)) {
      fault("job {} waits but the scheduler lost it", format_f58(id));
    }
  }
  for (const JobId id : known) {
    if (!waiting_.contains(id)) {
      fault("job {} waits in the scheduler alone", format_f58(id));
    }
  }
}

void Checker::check_allocations(const PlanView& view) {
  const Idset present = machine_->ranks_of(machine_->present());
  const auto held_ranks = [&](const graph::ResourceGraph& graph, const graph::ResourceSet& set) {
    return graph.ranks_of(set) & present;
  };
  for (const auto& [id, job] : holding_) {
    const auto found = view.allocations->find(id);
    const Idset expected = held_ranks(*machine_, job.resources);
    if (found == view.allocations->end()) {
      if (!expected.empty()) {
        fault("job {} holds resources but the scheduler lost it", format_f58(id));
      }
      continue;
    }
    const Idset actual = held_ranks(*view.graph, found->second.resources);
    if (actual != expected) {
      fault("job {} holds ranks {}, the scheduler thinks {}", format_f58(id), expected.to_string(),
            actual.to_string());
    }
    if (found->second.span.end != job.span.end) {
      fault("job {} ends at {}, the scheduler thinks {}", format_f58(id), job.span.end.to_seconds(),
            found->second.span.end.to_seconds());
    }
  }
  for (const auto& [id, allocation] : *view.allocations) {
    if (!holding_.contains(id)) {
      fault("job {} was freed but the scheduler keeps it", format_f58(id));
    }
  }
}

void Checker::check_reservations(const PlanView& view, Time now) {
  for (const plan::PlannedJob& planned : view.planned) {
    if (planned.outcome != plan::PlannedJob::Outcome::reserved) continue;
    const JobId id = planned.key.id;
    const auto found = waiting_.find(id);
    if (found == waiting_.end()) {
      fault("job {} is planned but does not wait", format_f58(id));
      continue;
    }
    const Span span = planned.placement.span;
    if (span.start < now) {
      fault("job {} is planned at {}, in the past", format_f58(id), span.start.to_seconds());
    } else if (span.start == now) {
      fault("job {} is planned at the present but did not start", format_f58(id));
    }
    check_span(id, *found->second.jobspec, span);
    check_resources(id, *found->second.jobspec, *view.graph, planned.placement.resources);
  }
}

void Checker::check_disjoint(const PlanView& view, Time now) {
  std::vector<Use> uses;
  for (const auto& [id, allocation] : *view.allocations) {
    // How long an overrun is assumed to last is the engine's own affair, but nothing may be
    // promised on it at the present.
    const Time end = std::max(allocation.span.end, now + Duration::microseconds(1));
    append_uses(uses, *view.graph, id, Span{now, end}, allocation.resources);
  }
  for (const plan::PlannedJob& planned : view.planned) {
    if (planned.outcome != plan::PlannedJob::Outcome::reserved) continue;
    append_uses(uses, *view.graph, planned.key.id, planned.placement.span,
                planned.placement.resources);
  }
  std::ranges::sort(uses, [](const Use& a, const Use& b) {
    return std::tuple(a.node, a.span.start, a.job) < std::tuple(b.node, b.span.start, b.job);
  });
  for (std::size_t i = 0; i < uses.size(); ++i) {
    for (std::size_t j = i + 1; j < uses.size(); ++j) {
      if (uses[j].node != uses[i].node || uses[j].span.start >= uses[i].span.end) break;
      if (!uses[i].units.intersects(uses[j].units)) continue;
      fault("jobs {} and {} are both planned on rank {} at {}", format_f58(uses[i].job),
            format_f58(uses[j].job), view.graph->node(NodeIndex(uses[i].node)).rank.value(),
            uses[j].span.start.to_seconds());
    }
  }
}

bool Checker::overran(Time now) const {
  return std::ranges::any_of(holding_,
                             [&](const auto& entry) { return entry.second.span.end <= now; });
}

/// Future starts allowed to each queue: the anonymous one, then those that are not virtual.
std::vector<std::uint64_t> Checker::allowed_starts(const plan::Options& options) {
  std::vector<std::uint64_t> allowed{
      plan::future_starts(options.policy, options.reservation_depth)};
  for (const plan::QueueOptions& queue : options.queues) {
    if (!queue.parent.empty()) continue;
    allowed.push_back(
        plan::future_starts(queue.policy.value_or(options.policy),
                            queue.reservation_depth.value_or(options.reservation_depth)));
  }
  return allowed;
}

void Checker::check_policy(const PlanView& view, Time now) {
  const std::vector<std::uint64_t> allowed = allowed_starts(view.options);
  std::vector<std::uint64_t> future(allowed.size());
  const plan::PlannedJob* head = nullptr;
  for (const plan::PlannedJob& planned : view.planned) {
    if (planned.outcome != plan::PlannedJob::Outcome::reserved) continue;
    if (head == nullptr) head = &planned;
    ++future.at(planned.queue);
  }
  for (std::size_t queue = 0; queue < allowed.size(); ++queue) {
    if (future[queue] <= allowed[queue]) continue;
    fault("{} future starts are planned in a queue, its policy allows {}", future[queue],
          allowed[queue]);
  }
  const bool same_head = head != nullptr && head_ && head->key == head_->key;
  if (same_head && !excused_ && !overran(now) && head->placement.span.start > head_->start) {
    fault("head job {} was planned at {} and moved to {} though nothing ahead of it changed",
          format_f58(head->key.id), head_->start.to_seconds(),
          head->placement.span.start.to_seconds());
  }
  head_.reset();
  if (head != nullptr) head_ = Head{head->key, head->placement.span.start};
  excused_ = overran(now);
}

}  // namespace tenure::emul
