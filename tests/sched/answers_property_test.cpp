// Exactly-once answers under random message orders: a job manager in small, which knows only
// the protocol, sends anything at any time and keeps its own books.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>

#include "sched/rig.hpp"

namespace tenure::sched {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests
using Release = plan::Engine::Release;

constexpr std::uint32_t kNodes = 4;

/// What a job manager knows of its jobs; every surprise is a fault.
class Books : public Peer {
 public:
  enum class State { none, pending, running };
  struct Job {
    State state = State::none;
    bool committed = false;  ///< the R of the present alloc was stored
    bool commit_under_way = false;
    bool starting = false;  ///< the commit under way is of the present alloc
    bool cancel_sent = false;
    bool has_estimate = false;
    Span span;
  };

  void commit(const AllocSuccess& success) override {
    Job& job = jobs[success.start.id];
    if (job.state != State::pending) fault("commit", success.start.id);
    if (job.commit_under_way) fault("second commit", success.start.id);
    job.commit_under_way = true;
    job.starting = true;
    job.span = success.start.placement.span;
    commits.push_back(success.start.id);
  }
  void succeed(const AllocSuccess& success) override {
    Job& job = answer("success", success.start.id);
    if (!job.committed) fault("success before commit", success.start.id);
    if (job.has_estimate && !success.annotations.t_estimate) {
      fault("stale estimate", success.start.id);
    }
    job.state = State::running;
  }
  void deny(JobId id, std::string_view note) override {
    answer("deny", id).state = State::none;
    if (note.empty()) fault("empty note", id);
  }
  void cancel(JobId id) override {
    Job& job = answer("cancel", id);
    if (!job.cancel_sent) fault("cancel not asked for", id);
    job.state = State::none;
  }
  bool annotate(JobId id, const Annotations& annotations) override {
    Job& job = jobs[id];
    if (job.state != State::pending || job.starting) fault("annotation", id);
    if (annotations.empty()) fault("empty annotation", id);
    if (deaf) return false;
    if (annotations.t_estimate) job.has_estimate = annotations.t_estimate->has_value();
    return true;
  }
  void log(LogLevel, std::string_view) override {}

  void fault(std::string_view what, JobId id) {
    faults.push_back(fmt::format("{} of job {}", what, id.value()));
  }

  std::map<JobId, Job> jobs;
  std::deque<JobId> commits;
  std::vector<std::string> faults;
  bool deaf = false;

 private:
  Job& answer(std::string_view what, JobId id) {
    Job& job = jobs[id];
    if (job.state != State::pending) fault(fmt::format("{} without alloc", what), id);
    job.starting = false;
    return job;
  }
};

class World {
 public:
  explicit World(boost::json::object config) {
    auto acquired = decode_acquire_initial(
        boost::json::object{{"resources", inventory(kNodes)}, {"up", "0-3"}});
    SchedulerSettings settings;
    settings.config = *apply(Config{}, config);
    scheduler_ = std::make_unique<Scheduler>(*std::move(acquired), std::move(settings), books_);
  }

  /// One message, one outcome of a commit, or one pass.
  void step(int kind, std::uint64_t id, std::uint32_t number) {
    switch (kind) {
      case 0:
        return alloc(JobId(id), number);
      case 1:
        return cancel(JobId(id));
      case 2:
        return free(JobId(id), number);
      case 3:
        return scheduler_->prioritize({{{JobId(id), Priority(number)}, {JobId(99), Priority()}}});
      case 4:
        return expire(JobId(id), number);
      case 5:
        return commit(number % 4 != 0);
      case 6:
        return update(number);
      case 7:
        books_.deaf = number % 2 == 0;
        return;
      default:
        return pass(number % 3);
    }
  }

  /// Everything comes back and every job is freed: each alloc must get its answer.
  void heal() {
    books_.deaf = false;
    scheduler_->update(AcquireUpdate{.up = ids("0-3")});
    for (int round = 0; round < 40; ++round) {
      pass(1);
      while (!books_.commits.empty()) commit(true);
      for (auto& [id, job] : books_.jobs) {
        if (job.state == Books::State::running) final_free(id);
      }
      check();
    }
    for (const auto& [id, job] : books_.jobs) {
      RC_ASSERT(job.state == Books::State::none);
    }
    RC_ASSERT(scheduler_->engine().allocations().empty());
    RC_ASSERT(scheduler_->engine().pending_count() == 0u);
  }

  void check() {
    if (!books_.faults.empty()) RC_FAIL(books_.faults.front());
    std::uint64_t held = 0;
    Idset all;
    for (const auto& [id, allocation] : scheduler_->engine().allocations()) {
      const Idset ranks = scheduler_->engine().graph().ranks_of(allocation.resources);
      held += ranks.size();
      all = all | ranks;
      RC_ASSERT(books_.jobs[id].state != Books::State::none);
    }
    RC_ASSERT(held == all.size());  // nothing is given twice
    for (const auto& [id, job] : books_.jobs) {
      if (job.state != Books::State::running) continue;
      RC_ASSERT(scheduler_->engine().find_allocation(id) != nullptr);
    }
  }

 private:
  void alloc(JobId id, std::uint32_t number) {
    Books::Job& job = books_.jobs[id];
    // A second alloc of a job is a fault of the job manager that must not be answered.
    if (job.state == Books::State::none) {
      job.state = Books::State::pending;
      job.committed = job.cancel_sent = job.has_estimate = false;
    }
    const Duration duration = number % 7 == 0 ? Duration::infinite() : secs(1 + number % 20);
    scheduler_->alloc(AllocRequest{id, Priority(number % 5), UserId(1), now_,
                                   Rig::whole(1 + number % 5, duration)},
                      now_);
  }
  void cancel(JobId id) {
    const auto before = books_.jobs[id].state;
    if (before == Books::State::pending) books_.jobs[id].cancel_sent = true;
    scheduler_->cancel(id);
    // The answer to a pending alloc goes out at once.
    RC_ASSERT(books_.jobs[id].state ==
              (before == Books::State::pending ? Books::State::none : before));
  }
  void final_free(JobId id) {
    books_.jobs[id].state = Books::State::none;
    scheduler_->free({id, Idset(), Release::final});
  }
  void free(JobId id, std::uint32_t number) {
    if (number % 2 == 0 && books_.jobs[id].state == Books::State::running) return final_free(id);
    if (books_.jobs[id].state != Books::State::running) {  // out of place: no effect
      const auto* before = scheduler_->engine().find_allocation(id);
      const auto resources = before ? before->resources : graph::ResourceSet();
      scheduler_->free({id, Idset::range(0, 3), Release::final});
      const auto* after = scheduler_->engine().find_allocation(id);
      RC_ASSERT(resources == (after ? after->resources : graph::ResourceSet()));
      return;
    }
    scheduler_->free({id, Idset::single(number % kNodes), Release::partial});
  }
  void expire(JobId id, std::uint32_t number) {
    const Books::Job job = books_.jobs[id];
    const auto* held = scheduler_->engine().find_allocation(id);
    const bool holds = held != nullptr && !held->resources.empty();
    const Time end = number % 5 == 0 ? Time::never() : now_ + secs(number % 40) - secs(10);
    const auto outcome = scheduler_->expiration({id, end});
    if (job.state != Books::State::running || !holds) {
      RC_ASSERT(!outcome && outcome.error().code == ErrorCode::not_found);
    } else if (end <= job.span.start) {
      RC_ASSERT(!outcome && outcome.error().code == ErrorCode::invalid);
    } else {
      RC_ASSERT(outcome.has_value());
      RC_ASSERT(scheduler_->engine().find_allocation(id)->span.end == end);
    }
  }
  void commit(bool success) {
    if (books_.commits.empty()) return;
    const JobId id = books_.commits.front();
    books_.commits.pop_front();
    Books::Job& job = books_.jobs[id];
    job.commit_under_way = false;
    job.committed = success;
    if (!success) job.starting = false;
    scheduler_->committed(id, success ? Result<void>() : failure(ErrorCode::io, "no"));
    job.committed = false;
  }
  void update(std::uint32_t number) {
    AcquireUpdate update;
    const Idset rank = Idset::single(number % kNodes);
    switch (number / kNodes % 8) {
      case 0:
      case 1:
      case 2:
        update.down = rank;
        break;
      case 3:
        update.down = update.shrink = rank;
        break;
      default:
        update.up = rank;
        break;
    }
    scheduler_->update(update);
  }
  void pass(std::uint32_t seconds) {
    now_ = now_ + secs(seconds);
    scheduler_->run_pass(now_);
  }

  Time now_ = at(1000);
  Books books_;
  std::unique_ptr<Scheduler> scheduler_;
};

RC_GTEST_PROP(AnswersProperty, EachAllocIsAnsweredExactlyOnce, ()) {
  const auto policy = *rc::gen::element("fcfs", "easy", "hybrid", "conservative");
  World world({{"policy", policy}, {"annotate-interval", *rc::gen::element(0, 1, 5)}});
  using Step = std::tuple<int, std::uint64_t, std::uint32_t>;
  const auto step = rc::gen::tuple(
      rc::gen::weightedElement<int>(
          {{6, 0}, {2, 1}, {3, 2}, {1, 3}, {2, 4}, {4, 5}, {1, 6}, {1, 7}, {6, 8}}),
      rc::gen::inRange<std::uint64_t>(1, 8), rc::gen::inRange<std::uint32_t>(0, 1000));
  const auto steps = *rc::gen::scale(4.0, rc::gen::container<std::vector<Step>>(step));
  for (const auto& [kind, id, number] : steps) {
    world.step(kind, id, number);
    world.check();
  }
  world.heal();
}

}  // namespace
}  // namespace tenure::sched
