// The engine against NaivePlanner over long event streams: after every pass the engine, a
// fork of it planned in one go, the same engine planned job by job, and a new engine that is
// given the facts all decide what the naive planner decides.
//
// The facts are kept here, never read back from an engine. Times are small numbers of
// microseconds, so that ends and starts meet often. RC_PARAMS=max_success=N sets the number
// of streams of each policy.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "oracle/naive_planner.hpp"
#include "plan/engine.hpp"
#include "plan/machine.hpp"

namespace tenure::plan {
namespace {

using oracle::kNever;
using oracle::Nodes;

using Micros = oracle::Seconds;  ///< the oracle does not mind the unit
constexpr Micros kEpoch = 1'000'000'000'000'000;

int pick(int low, int high) { return *rc::gen::inRange(low, high + 1); }
bool one_in(int n) { return pick(1, n) == 1; }

Time to_time(Micros t) { return t == kNever ? Time::never() : Time::microseconds(t); }
Duration to_duration(Micros d) {
  return d == kNever ? Duration::infinite() : Duration::microseconds(d);
}
Micros to_micros(Time t) { return t.is_never() ? kNever : t.count(); }
JobId job_id(int id) { return JobId(static_cast<std::uint64_t>(id)); }
Priority to_priority(int value) { return Priority(static_cast<std::uint32_t>(value)); }

Idset to_ranks(const Nodes& nodes) {
  Idset ranks;
  for (const int node : nodes) ranks.insert(static_cast<Idset::Id>(node));
  return ranks;
}
Nodes to_nodes(const graph::ResourceSet& set) {
  Nodes nodes;
  for (const graph::NodeRange& range : set.nodes()) {
    for (auto n = range.first.value(); n <= range.last.value(); ++n) {
      nodes.insert(static_cast<int>(n));
    }
  }
  return nodes;
}

/// Which nodes a job may use.
enum class Wish { any, fast, not_fast, low_half };

std::shared_ptr<const match::Request> make_request(int nodes, Wish wish, int machine_nodes) {
  using testing::resource;
  jobspec::Jobspec spec;
  spec.resources = {resource("node", static_cast<std::uint64_t>(nodes),
                             {resource("slot", 1, {resource("core", 1)})})};
  spec.resources[0].exclusive = true;
  std::string text;
  if (wish == Wish::fast) text = R"({"properties":["fast"]})";
  if (wish == Wish::not_fast) text = R"({"properties":["^fast"]})";
  if (wish == Wish::low_half) text = fmt::format(R"({{"ranks":["0-{}"]}})", machine_nodes / 2);
  if (!text.empty()) spec.constraint = *jobspec::Constraint::parse(boost::json::parse(text));
  return std::make_shared<const match::Request>(*match::compile(spec));
}

/// What an engine has decided, in the oracle's words.
struct Decided {
  std::vector<oracle::PlannedStart> starts;
  std::vector<oracle::PlannedStart> reserved;
  std::set<int> waiting;
  std::set<int> unplanned;
};

oracle::PlannedStart to_planned(JobId id, const match::Placement& placement) {
  return {static_cast<int>(id.value()), to_micros(placement.span.start),
          to_micros(placement.span.end), to_nodes(placement.resources)};
}

std::vector<oracle::PlannedStart> take_starts(Engine& engine) {
  std::vector<oracle::PlannedStart> starts;
  for (const Start& start : engine.take_starts()) {
    starts.push_back(to_planned(start.id, start.placement));
  }
  return starts;
}

Decided take_decisions(Engine& engine) {
  Decided decided;
  decided.starts = take_starts(engine);
  for (const PlannedJob& entry : engine.planned()) {
    const int id = static_cast<int>(entry.key.id.value());
    switch (entry.outcome) {
      case PlannedJob::Outcome::reserved:
        decided.reserved.push_back(to_planned(entry.key.id, entry.placement));
        break;
      case PlannedJob::Outcome::waiting:
        decided.waiting.insert(id);
        break;
      case PlannedJob::Outcome::unplanned:
        decided.unplanned.insert(id);
        break;
    }
  }
  return decided;
}

void expect_as_naive(const Decided& decided, const oracle::NaivePlan& expected) {
  RC_ASSERT(decided.starts == expected.starts);
  RC_ASSERT(decided.reserved == expected.reserved);
  RC_ASSERT(decided.waiting == expected.waiting);
  RC_ASSERT(decided.unplanned == expected.unplanned);
}

/// Plans job by job. A pass that never ends is a fault.
void plan_in_slices(Engine& engine, Time now) {
  int slices = 0;
  while (engine.plan(now, [] { return false; }) != PassState::complete) {
    RC_ASSERT(++slices < 10'000);
  }
}

class Stream {
 public:
  explicit Stream(QueuePolicy policy)
      : nodes_(pick(1, 12)),
        policy_(policy),
        options_(draw_options()),
        engine_(make_machine(), Time::never(), options_) {
    for (int n = 0; n < nodes_; ++n) {
      up_.insert(n);
      present_.insert(n);
    }
    now_ = kEpoch;
  }

  void step() {
    for (int events = pick(1, 3); events > 0; --events) change_a_fact();
    if (one_in(5)) interrupted_pass();
    if (one_in(3)) return;
    compare();
    now_ += one_in(3) ? 0 : pick(1, 25);
  }

  void compare() {
    const oracle::NaivePlan expected = oracle::NaivePlanner(make_facts()).plan();
    Engine fresh = make_fresh_engine();
    fresh.plan(to_time(now_));
    expect_as_naive(take_decisions(fresh), expected);
    Engine fork = engine_;
    plan_in_slices(fork, to_time(now_));
    expect_as_naive(take_decisions(fork), expected);
    RC_ASSERT(engine_.plan(to_time(now_)) == PassState::complete);
    const Decided decided = take_decisions(engine_);
    expect_as_naive(decided, expected);
    RC_ASSERT(engine_.profile() == fresh.profile());
    RC_ASSERT(engine_.next_wakeup() == fresh.next_wakeup());
    for (const auto& start : decided.starts) note_start(start);
    nothing_starts_before_the_wakeup();
  }

 private:
  struct Waiting {
    int id;
    int priority;
    Micros submit;
    int nodes;
    Micros duration;
    Wish wish;
  };
  struct Running {
    Waiting job;
    Nodes nodes;
    Micros start;
    Micros end;
    bool follows;  ///< the end of the instance is its end
  };

  // ---- the facts ------------------------------------------------------------------------

  graph::ResourceGraph make_machine() const {
    auto graph = testing::machine(static_cast<std::uint32_t>(nodes_), 2);
    return graph;
  }

  Options draw_options() const {
    Options options;
    options.policy = policy_;
    options.reservation_depth =
        one_in(5) ? kUnlimitedDepth : static_cast<std::uint64_t>(pick(0, 4));
    options.queue_depth = one_in(2) ? kUnlimitedDepth : static_cast<std::uint64_t>(pick(1, 5));
    options.match_policy =
        *rc::gen::element(match::Policy::low, match::Policy::first, match::Policy::high);
    options.overrun_estimate = Duration::microseconds(pick(1, 40));
    return options;
  }

  Nodes allowed(Wish wish) const {
    Nodes allowed;
    for (const int n : present_) {
      const bool fast = fast_.contains(n);
      if (wish == Wish::fast && !fast) continue;
      if (wish == Wish::not_fast && fast) continue;
      if (wish == Wish::low_half && n > nodes_ / 2) continue;
      allowed.insert(n);
    }
    return allowed;
  }

  oracle::Facts make_facts() const {
    oracle::Facts facts;
    for (const Running& running : running_) {
      facts.running.push_back({running.job.id, running.nodes, running.end});
    }
    for (const Waiting& job : waiting_) {
      facts.waiting.push_back(
          {job.id, job.priority, job.submit, job.nodes, job.duration, allowed(job.wish)});
    }
    facts.up = up_;
    facts.horizon = horizon_;
    facts.now = now_;
    facts.overrun_estimate = options_.overrun_estimate.count();
    facts.queue_depth = options_.queue_depth;
    facts.highest_first = options_.match_policy == match::Policy::high;
    facts.stop_at_first_wait = policy_ == QueuePolicy::fcfs;
    switch (policy_) {
      case QueuePolicy::fcfs:
        facts.future_starts = 0;
        break;
      case QueuePolicy::easy:
        facts.future_starts = 1;
        break;
      case QueuePolicy::hybrid:
        facts.future_starts = options_.reservation_depth;
        break;
      case QueuePolicy::conservative:
        facts.future_starts = kUnlimitedDepth;
        break;
    }
    return facts;
  }

  PendingJob make_pending(const Waiting& job) const {
    PendingJob made;
    made.id = job_id(job.id);
    made.priority = to_priority(job.priority);
    made.submit = to_time(job.submit);
    made.request = make_request(job.nodes, job.wish, nodes_);
    made.duration = to_duration(job.duration);
    return made;
  }

  /// A new scheduler that is told everything: the order of the telling is turned round.
  Engine make_fresh_engine() const {
    graph::ResourceGraph graph = make_machine();
    graph.add_property("fast", to_ranks(fast_));
    Nodes all;
    for (int n = 0; n < nodes_; ++n) all.insert(n);
    graph.mark_down(to_ranks(all));
    Nodes lost = all;
    for (const int n : present_) lost.erase(n);
    graph.shrink(to_ranks(lost));
    graph.mark_up(to_ranks(up_));
    const auto shape_of_nodes = [&](const Nodes& nodes) {
      return graph.whole_nodes(graph.nodes_with_ranks(to_ranks(nodes)));
    };
    std::vector<Allocation> allocations;
    for (const Running& running : running_) {
      Nodes held;  // what a scheduler is told at hello is on nodes that it knows
      std::ranges::set_intersection(running.nodes, present_, std::inserter(held, held.end()));
      allocations.push_back({.id = job_id(running.job.id),
                             .user = {},
                             .resources = shape_of_nodes(held),
                             .span = {to_time(running.start), to_time(running.end)},
                             .end_origin = running.follows ? EndOrigin::instance : EndOrigin::own,
                             .planned_end = {}});
    }
    Engine fresh(std::move(graph), to_time(horizon_), options_);
    for (auto job = waiting_.rbegin(); job != waiting_.rend(); ++job) {
      RC_ASSERT(fresh.submit(make_pending(*job)).has_value());
    }
    for (auto allocation = allocations.rbegin(); allocation != allocations.rend(); ++allocation) {
      RC_ASSERT(*fresh.hold(*allocation) == 0U);
    }
    return fresh;
  }

  void note_start(const oracle::PlannedStart& start) {
    const auto job = std::ranges::find(waiting_, start.id, &Waiting::id);
    RC_ASSERT(job != waiting_.end());
    running_.push_back({*job, start.nodes, start.start, start.end, job->duration == kNever});
    waiting_.erase(job);
  }

  // ---- events ---------------------------------------------------------------------------

  void change_a_fact() {
    switch (pick(0, 17)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return submit();
      case 5:
        return withdraw();
      case 6:
        return prioritize();
      case 7:
      case 8:
      case 9:
        return move_end();
      case 10:
      case 11:
        return release();
      case 12:
        return change_nodes();
      case 13:
        return change_properties();
      case 14:
        return move_horizon();
      case 15:
        return take_back();
      case 16:
        return set_options();
      default:
        return;
    }
  }

  Nodes some_nodes() const {
    Nodes nodes;
    const int first = pick(0, nodes_ - 1);
    for (int n = first; n <= std::min(nodes_ - 1, first + pick(0, 2)); ++n) nodes.insert(n);
    return nodes;
  }

  void submit() {
    const Waiting job{.id = ++last_id_,
                      .priority = pick(15, 17),
                      .submit = now_ - pick(0, 3),
                      .nodes = pick(1, one_in(4) ? nodes_ : (nodes_ + 1) / 2),
                      .duration = one_in(10) ? kNever : pick(1, one_in(4) ? 120 : 30),
                      .wish = one_in(3) ? static_cast<Wish>(pick(1, 3)) : Wish::any};
    RC_ASSERT(engine_.submit(make_pending(job)).has_value());
    waiting_.push_back(job);
  }

  void withdraw() {
    const int id = pick(1, last_id_ + 1);
    const bool waits =
        std::erase_if(waiting_, [&](const Waiting& job) { return job.id == id; }) > 0;
    RC_ASSERT(engine_.withdraw(job_id(id)) == waits);
  }

  void prioritize() {
    std::vector<std::pair<JobId, Priority>> changes;
    for (int i = pick(1, 3); i > 0; --i) {
      const int id = pick(1, last_id_ + 1);
      const int priority = pick(14, 18);
      changes.emplace_back(job_id(id), to_priority(priority));
      for (Waiting& job : waiting_) {
        if (job.id == id) job.priority = priority;
      }
    }
    engine_.prioritize(changes);
  }

  Running* any_running() {
    if (running_.empty()) return nullptr;
    return &running_[static_cast<std::size_t>(pick(0, static_cast<int>(running_.size()) - 1))];
  }

  /// Section 7: the whole table, from the facts alone.
  void move_end() {
    if (one_in(12)) {
      const int id = pick(0, last_id_ + 2);
      if (std::ranges::find(running_, id, [](const Running& r) { return r.job.id; }) !=
          running_.end()) {
        return;
      }
      const auto refused = engine_.set_expiration(job_id(id), to_time(now_ + pick(1, 50)));
      RC_ASSERT(!refused.has_value());
      RC_ASSERT(refused.error().code == ErrorCode::not_found);
      return;
    }
    Running* running = any_running();
    if (running == nullptr) return;
    const Micros end = one_in(7) ? kNever : one_in(9) ? running->end : now_ + pick(-20, 80);
    // The table does not say which of its rows is first when the instance has come to end before
    // the job does and the job's end is asked for again.
    if (end == running->end && end > horizon_) return;
    const auto answer = engine_.set_expiration(job_id(running->job.id), to_time(end));
    const bool valid =
        end == kNever || end == running->end || (end > running->start && end <= horizon_);
    RC_ASSERT(answer.has_value() == valid);
    if (!valid) {
      RC_ASSERT(answer.error().code == ErrorCode::invalid);
      return;
    }
    // The instance's end asked for as a number is an end of the job's own: it stays when the
    // instance's moves, since the job has a duration now.
    running->follows = end == kNever;
    running->end = end == kNever ? horizon_ : end;
  }

  void release() {
    Running* running = any_running();
    if (running == nullptr) return;
    const JobId id = job_id(running->job.id);
    if (one_in(3)) {
      const Nodes nodes = some_nodes();
      const Nodes freed = to_nodes(engine_.release(id, to_ranks(nodes), Engine::Release::partial));
      Nodes expected;
      std::ranges::set_intersection(running->nodes, nodes, std::inserter(expected, expected.end()));
      RC_ASSERT(freed == expected);
      for (const int n : nodes) running->nodes.erase(n);
      return;
    }
    const Nodes freed =
        to_nodes(engine_.release(id, to_ranks(some_nodes()), Engine::Release::final));
    RC_ASSERT(freed == running->nodes);
    running_.erase(running_.begin() + (running - running_.data()));
  }

  void change_nodes() {
    const Nodes nodes = some_nodes();
    const int what = pick(0, 8);
    if (what < 4) {
      engine_.mark_down(to_ranks(nodes));
      for (const int n : nodes) up_.erase(n);
    } else if (what < 8) {
      engine_.mark_up(to_ranks(nodes));
      for (const int n : nodes) {
        if (present_.contains(n)) up_.insert(n);
      }
    } else {
      const int lost = *nodes.begin();
      engine_.shrink(to_ranks({lost}));
      present_.erase(lost);
      up_.erase(lost);
      for (Running& running : running_) running.nodes.erase(lost);
    }
  }

  void change_properties() {
    const Nodes nodes = some_nodes();
    if (one_in(2)) {
      engine_.add_property("fast", to_ranks(nodes));
      for (const int n : nodes) {
        if (present_.contains(n)) fast_.insert(n);
      }
    } else {
      engine_.remove_property("fast", to_ranks(nodes));
      for (const int n : nodes) fast_.erase(n);
    }
  }

  void move_horizon() {
    horizon_ = one_in(2) ? kNever : now_ + pick(one_in(4) ? -20 : 1, 200);
    for (const Running& running : running_) horizon_ = std::max(horizon_, running.start + 1);
    engine_.set_instance_expiration(to_time(horizon_));
    for (Running& running : running_) {
      if (running.follows) running.end = horizon_;
    }
  }

  void take_back() {
    if (running_.empty() || !one_in(2)) return;
    const Running last = running_.back();
    if (last.start != now_) return;
    engine_.take_back(job_id(last.job.id), make_pending(last.job));
    waiting_.push_back(last.job);
    running_.pop_back();
  }

  void set_options() {
    if (!one_in(3)) return;
    options_ = draw_options();
    engine_.set_options(options_);
  }

  // ---- what holds between passes --------------------------------------------------------

  /// A pass broken off after a few jobs has made the first of the starts, no others.
  void interrupted_pass() {
    const oracle::NaivePlan expected = oracle::NaivePlanner(make_facts()).plan();
    int jobs = pick(0, 4);
    engine_.plan(to_time(now_), [&] { return jobs-- > 0; });
    const auto starts = take_starts(engine_);
    RC_ASSERT(starts.size() <= expected.starts.size());
    RC_ASSERT(std::ranges::equal(starts, std::span(expected.starts).first(starts.size())));
    for (const auto& start : starts) note_start(start);
  }

  /// Before the next wake-up and the next end of a job, time alone starts nothing.
  void nothing_starts_before_the_wakeup() const {
    Micros until = to_micros(engine_.next_wakeup());
    for (const Running& running : running_) {
      if (running.end <= now_) return;  // an overrun: its estimate moves with the time
      until = std::min(until, running.end);
    }
    RC_ASSERT(until > now_);
    oracle::Facts facts = make_facts();
    facts.now = until == kNever ? now_ + pick(1, 500) : until - 1;
    RC_ASSERT(oracle::NaivePlanner(facts).plan().starts.empty());
  }

  int nodes_;
  QueuePolicy policy_;
  Options options_;
  Engine engine_;
  std::vector<Waiting> waiting_;
  std::vector<Running> running_;
  Nodes up_;
  Nodes present_;
  Nodes fast_;
  Micros horizon_ = kNever;
  Micros now_ = 0;
  int last_id_ = 0;
};

void run(QueuePolicy policy) {
  Stream stream(policy);
  for (int i = pick(1, 80); i > 0; --i) stream.step();
  stream.compare();
}

TEST(PlannerOracle, FcfsDecidesAsTheNaivePlanner) {
  EXPECT_TRUE(rc::check([] { run(QueuePolicy::fcfs); }));
}

TEST(PlannerOracle, EasyDecidesAsTheNaivePlanner) {
  EXPECT_TRUE(rc::check([] { run(QueuePolicy::easy); }));
}

TEST(PlannerOracle, HybridDecidesAsTheNaivePlanner) {
  EXPECT_TRUE(rc::check([] { run(QueuePolicy::hybrid); }));
}

TEST(PlannerOracle, ConservativeDecidesAsTheNaivePlanner) {
  EXPECT_TRUE(rc::check([] { run(QueuePolicy::conservative); }));
}

}  // namespace
}  // namespace tenure::plan
