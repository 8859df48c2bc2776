#include "sched/scheduler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace tenure::sched {

using graph::NodeSet;
using graph::ResourceSet;
using Release = plan::Engine::Release;

namespace {

plan::TimeText or_seconds(plan::TimeText time_text) {
  return time_text ? std::move(time_text) : format_seconds;
}

/// All that the allocations hold on present nodes, as one set.
ResourceSet sum_of(const std::map<JobId, plan::Allocation>& allocations,
                   const graph::ResourceGraph& graph) {
  NodeSet whole(graph.node_count());
  std::map<NodeIndex, graph::UnitMask> parts;
  for (const auto& [id, allocation] : allocations) {
    for (const graph::NodeRange range : allocation.resources.whole()) whole.set(range);
    for (const graph::NodePart& part : allocation.resources.parts()) {
      const auto [place, added] = parts.try_emplace(part.node, part.units);
      if (!added) place->second |= part.units;
    }
  }
  NodeSet touched = whole;
  for (const auto& [node, units] : parts) touched.set(node);
  touched &= graph.present();
  ResourceSet sum;
  touched.for_each([&](NodeIndex node) {
    if (whole.test(node)) return sum.append_whole(node);
    sum.append_part(node, parts.at(node), graph.shape_of(node));
  });
  return sum;
}

}  // namespace

Scheduler::Scheduler(AcquireInitial acquired, SchedulerSettings settings, Peer& peer)
    : peer_(&peer),
      config_(std::move(settings.config)),
      annotate_(settings.annotate),
      scheduling_(std::move(acquired.inventory.scheduling)),
      engine_(std::move(acquired.inventory.graph), acquired.inventory.times.expiration,
              config_.options),
      annotator_(or_seconds(std::move(settings.time_text))) {
  engine_.mark_up(acquired.up);
}

const boost::json::value* Scheduler::scheduling() const {
  if (!scheduling_ || config_.match_format == MatchFormat::rv1_nosched) return nullptr;
  return &*scheduling_;
}

// ---- start-up ------------------------------------------------------------------------------

void Scheduler::hello(const HelloJob& job) {
  const graph::RTimes& times = job.allocation.times;
  const Time instance_end = engine_.instance_expiration();
  const bool from_instance =
      times.expiration.is_never() ||
      (job.duration ? job.duration->is_infinite() : times.expiration == instance_end);
  const Time end = times.expiration.is_never() ? instance_end : times.expiration;
  const std::string name = format_f58(job.id);
  if (job.allocation.unknown_ranks > 0 || job.allocation.unknown_units > 0) {
    log(LogLevel::warning, "hello: job {}: {} ranks and {} units of its R are not in the inventory",
        name, job.allocation.unknown_ranks, job.allocation.unknown_units);
  }
  plan::Allocation allocation{
      .id = job.id,
      .user = job.user,
      .resources = job.allocation.resources.without(engine_.graph().nodes_with_ranks(job.freed)),
      .span = Span{times.start, end},
      .end_origin = from_instance ? plan::EndOrigin::instance : plan::EndOrigin::own,
      .planned_end = end};
  const auto left_out = engine_.hold(std::move(allocation));
  if (!left_out) return log(LogLevel::error, "hello: {}", left_out.error().message);
  if (*left_out > 0) {
    log(LogLevel::error, "hello: job {}: other jobs hold resources of its R already, on {} nodes",
        name, *left_out);
  }
  annotator_.touch();
}

// ---- requests ------------------------------------------------------------------------------

bool Scheduler::is_known(JobId id) const {
  return engine_.find_pending(id) != nullptr || engine_.find_allocation(id) != nullptr;
}

/// A job's request, compiled, when it could ever run here.
Result<std::shared_ptr<const match::Request>> Scheduler::admit(const jobspec::Jobspec& jobspec,
                                                               Time now) const {
  const auto& queues = config_.options.queues;
  if (!queues.empty() &&
      std::ranges::find(queues, jobspec.queue, &plan::QueueOptions::name) == queues.end()) {
    std::vector<std::string_view> names;
    names.reserve(queues.size());
    for (const plan::QueueOptions& queue : queues) names.push_back(queue.name);
    const std::string list = fmt::format("{}", fmt::join(names, ", "));
    if (jobspec.queue.empty()) {
      return failure(ErrorCode::infeasible, "no queue is named (queues: {})", list);
    }
    return failure(ErrorCode::infeasible, "queue '{}' is not configured (queues: {})",
                   jobspec.queue, list);
  }
  if (!jobspec.reservation.empty()) {
    return failure(ErrorCode::infeasible, "reservation '{}' does not exist", jobspec.reservation);
  }
  auto request = compiled(jobspec);
  if (!request) return request.error();
  if (const auto never = engine_.infeasible(**request, jobspec.duration, now)) {
    return failure(ErrorCode::infeasible, "infeasible: {}", never->missing);
  }
  return request;
}

Result<std::shared_ptr<const match::Request>> Scheduler::compiled(
    const jobspec::Jobspec& jobspec) const {
  if (last_.asks_for(jobspec)) return last_.request;
  auto request = match::compile(jobspec);
  if (!request) return request.error();
  return std::make_shared<const match::Request>(*std::move(request));
}

void Scheduler::answer_deny(JobId id, std::string_view note) {
  ++counters_.denied;
  annotator_.forget(id);
  peer_->deny(id, note);
}

void Scheduler::answer_cancel(JobId id) {
  ++counters_.canceled;
  annotator_.forget(id);
  annotator_.touch();
  peer_->cancel(id);
}

void Scheduler::alloc(const AllocRequest& request, Time now) {
  ++counters_.allocs;
  if (is_known(request.id)) {
    ++counters_.ignored;
    return log(LogLevel::error, "alloc: job {} has an alloc or an allocation already; ignored",
               format_f58(request.id));
  }
  auto admitted = admit(*request.jobspec, now);
  if (!admitted) return answer_deny(request.id, admitted.error().message);
  if (*admitted != last_.request) last_ = LastAdmitted{request.jobspec, *std::move(admitted)};
  plan::PendingJob job{.id = request.id,
                       .priority = request.priority,
                       .submit = request.submit,
                       .user = request.user,
                       .queue = last_.jobspec->queue,
                       .request = last_.request,
                       .duration = last_.jobspec->duration,
                       .jobspec = last_.jobspec};
  const auto submitted = engine_.submit(std::move(job));
  CHECK(submitted.has_value(), "{}", submitted.error().message);
  annotator_.touch();
}

void Scheduler::alloc_unreadable(JobId id, const Error& error) {
  ++counters_.allocs;
  if (is_known(id)) {
    ++counters_.ignored;
    return log(LogLevel::error, "alloc: job {} has an alloc or an allocation already; ignored",
               format_f58(id));
  }
  answer_deny(id, fmt::format("jobspec: {}", error.message));
}

void Scheduler::cancel(JobId id) {
  if (engine_.withdraw(id)) return answer_cancel(id);
  if (committing_.erase(id) > 0) {
    // SUCCESS was not sent, so that the alloc is pending: the start is taken back.
    engine_.release(id, Idset(), Release::final);
    abandoned_.insert(id);
    return answer_cancel(id);
  }
  ++counters_.ignored;
}

void Scheduler::remember_freed(JobId id) {
  if (!freed_.insert(id).second) return;
  freed_order_.push_back(id);
  if (freed_order_.size() <= kRememberedJobs) return;
  freed_.erase(freed_order_.front());
  freed_order_.pop_front();
}

void Scheduler::free(const FreeRequest& request) {
  const bool holds = engine_.find_allocation(request.id) != nullptr;
  if (!holds || committing_.contains(request.id)) {
    ++counters_.ignored;
    return log(LogLevel::warning, "free: job {} {}; ignored", format_f58(request.id),
               holds ? "was not told of its allocation yet" : "holds no resources");
  }
  engine_.release(request.id, request.ranks, request.kind);
  if (request.kind == Release::final) remember_freed(request.id);
  annotator_.touch();
}

void Scheduler::prioritize(const PrioritizeRequest& request) {
  for (const auto& [id, priority] : request.jobs) {
    const auto commit = committing_.find(id);
    if (commit == committing_.end()) continue;
    commit->second.start.job.priority = priority;  // for the case that the commit fails
  }
  engine_.prioritize(request.jobs);
  annotator_.touch();
}

Result<void> Scheduler::set_expiration(const ExpirationRequest& request) {
  const std::string name = format_f58(request.id);
  if (engine_.find_pending(request.id) != nullptr || committing_.contains(request.id)) {
    return failure(ErrorCode::not_found, "job {} is pending and holds no resources yet", name);
  }
  const plan::Allocation* allocation = engine_.find_allocation(request.id);
  if (allocation == nullptr) {
    return failure(ErrorCode::not_found, "job {} {}", name,
                   freed_.contains(request.id) ? "was freed completely" : "is not known here");
  }
  if (allocation->resources.empty()) {
    return failure(ErrorCode::not_found, "job {} holds no resources any more", name);
  }
  const Time old_end = allocation->span.end;
  const auto outcome = engine_.set_expiration(request.id, request.expiration);
  if (!outcome) return within(fmt::format("job {} is running", name), outcome.error());
  if (allocation->span.end != old_end) annotator_.touch();
  return {};
}

Result<void> Scheduler::expiration(const ExpirationRequest& request) {
  auto outcome = set_expiration(request);
  if (!outcome) {
    ++counters_.expirations_refused;
    log(LogLevel::warning, "expiration refused: {}", outcome.error().message);
  }
  return outcome;
}

ResourceStatus Scheduler::resource_status() const {
  const graph::ResourceGraph& graph = engine_.graph();
  NodeSet down = graph.present();
  down -= graph.up();
  return ResourceStatus{.all = graph.whole_nodes(graph.present()),
                        .allocated = sum_of(engine_.allocations(), graph),
                        .down = graph.whole_nodes(down)};
}

Result<void> Scheduler::check(const jobspec::Jobspec& jobspec, Time now) const {
  const auto request = admit(jobspec, now);
  if (!request) return request.error();
  return {};
}

void Scheduler::apply_shrink(const Idset& ranks) {
  const std::uint32_t present = engine_.graph().present().count();
  engine_.shrink(ranks);
  if (engine_.graph().present().count() == present) return;
  log(LogLevel::notice, "ranks {} are gone for good", ranks.to_string());
  std::vector<std::pair<JobId, std::string>> hopeless;
  engine_.for_each_pending([&](const plan::PendingJob& job) {
    if (auto note = lost_for(job)) hopeless.emplace_back(job.id, *std::move(note));
  });
  for (const auto& [id, note] : hopeless) {
    engine_.withdraw(id);
    answer_deny(id, note);
  }
}

/// Why a job that was feasible once is so no longer: lost ranks never come back.
std::optional<std::string> Scheduler::lost_for(const plan::PendingJob& job) const {
  if (engine_.graph().present().count() == engine_.graph().target_count()) return std::nullopt;
  const auto never = engine_.matcher().infeasible(*job.request);
  if (!never) return std::nullopt;
  return fmt::format("infeasible since the machine shrank: {}", never->missing);
}

void Scheduler::update(const AcquireUpdate& update) {
  if (!update.shrink.empty()) apply_shrink(update.shrink);
  engine_.mark_up(update.up);
  engine_.mark_down(update.down);
  for (const auto& [name, ranks] : update.property_remove) engine_.remove_property(name, ranks);
  for (const auto& [name, ranks] : update.property_add) engine_.add_property(name, ranks);
  if (update.expiration) engine_.set_instance_expiration(*update.expiration);
  annotator_.touch();
}

void Scheduler::committed(JobId id, const Result<void>& outcome) {
  const auto found = committing_.find(id);
  if (abandoned_.erase(id) > 0) {  // the outcome of a start that was canceled meanwhile
    if (found != committing_.end()) peer_->commit(found->second);
    return;
  }
  if (found == committing_.end()) {
    ++counters_.ignored;
    return log(LogLevel::error, "commit: job {} has no commit under way", format_f58(id));
  }
  AllocSuccess success = std::move(found->second);
  committing_.erase(found);
  if (!outcome) {
    ++counters_.commits_failed;
    log(LogLevel::error, "commit: R of job {} could not be stored, its start is taken back: {}",
        format_f58(id), outcome.error().message);
    annotator_.touch();
    if (const auto note = lost_for(success.start.job)) {
      engine_.release(id, Idset(), Release::final);
      return answer_deny(id, *note);
    }
    engine_.take_back(id, std::move(success.start.job));
    return;
  }
  ++counters_.succeeded;
  annotator_.forget(id);
  peer_->succeed(success);
}

Result<void> Scheduler::reconfigure(const boost::json::object& changes) {
  auto config = apply(config_, changes);
  if (!config) return config.error();
  reconfigure(*std::move(config));
  return {};
}

void Scheduler::reconfigure(Config config) {
  config_ = std::move(config);
  engine_.set_options(config_.options);
  annotator_.touch();
}

// ---- time ----------------------------------------------------------------------------------

void Scheduler::begin(plan::Start start) {
  const JobId id = start.id;
  AllocSuccess success{.start = std::move(start), .annotations = {}};
  if (annotate_ == SchedulerSettings::Annotate::yes) {
    success.annotations = annotator_.of_success(success.start, engine_.graph());
  }
  const auto [commit, added] = committing_.emplace(id, std::move(success));
  CHECK(added, "job {} started twice", id.value());
  if (!abandoned_.contains(id)) peer_->commit(commit->second);
}

plan::PassState Scheduler::run_pass(Time now, const plan::KeepGoing& keep_going) {
  const std::uint64_t planned = engine_.counters().jobs_planned;
  const plan::PassState state = engine_.plan(now, keep_going);
  std::vector<plan::Start> starts = engine_.take_starts();
  if (!starts.empty() || engine_.counters().jobs_planned != planned) annotator_.touch();
  for (plan::Start& start : starts) begin(std::move(start));
  if (state == plan::PassState::complete && annotate_ == SchedulerSettings::Annotate::yes) {
    annotator_.run(engine_, config_.annotate_interval, now, *peer_);
  }
  return state;
}

Time Scheduler::next_wakeup() const { return std::min(engine_.next_wakeup(), annotator_.next()); }

}  // namespace tenure::sched
