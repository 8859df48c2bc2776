// Event streams: after each complete pass the plan is that of a new engine with the same
// facts; a refused event changes nothing; the plan fits the naive planner's rules by way of
// the engine that plans from scratch.
#include "fuzz/target.hpp"
#include "plan/from_scratch.hpp"
#include "plan/machine.hpp"

namespace tenure::fuzz {
namespace {

using namespace testing;  // NOLINT: the vocabulary of small machines

/// One stream; every choice comes out of the input.
class Stream {
 public:
  explicit Stream(std::string_view bytes)
      : choices_(bytes),
        nodes_(choices_.draw(1, 7)),
        engine_(make_machine(), make_horizon(), make_options()) {}

  void run() {
    for (int i = 0; i < kMaxEvents && !choices_.is_empty(); ++i) {
      event();
      if (!choices_.one_in(3)) pass();
    }
    pass();
  }

 private:
  static constexpr int kMaxEvents = 200;

  graph::ResourceGraph make_machine() {
    auto graph = machine(static_cast<std::uint32_t>(nodes_), 3, 1);
    graph.add_property("fast", ranks(0, static_cast<std::uint32_t>(nodes_ / 2)));
    return graph;
  }

  Time make_horizon() {
    return choices_.one_in(3) ? at(1000 + choices_.draw(50, 2000)) : Time::never();
  }

  plan::Options make_options() {
    plan::Options options;
    options.policy = static_cast<plan::QueuePolicy>(choices_.draw(0, 3));
    options.match_policy = static_cast<match::Policy>(choices_.draw(0, 2));
    options.reservation_depth = static_cast<std::uint64_t>(choices_.draw(0, 3));
    if (choices_.one_in(2)) options.queue_depth = static_cast<std::uint64_t>(choices_.draw(1, 4));
    options.overrun_estimate = secs(choices_.draw(1, 60));
    if (choices_.one_in(3)) {
      plan::QueueOptions queue{
          .name = "a", .parent = {}, .policy = {}, .queue_depth = {}, .reservation_depth = {}};
      queue.policy = static_cast<plan::QueuePolicy>(choices_.draw(0, 3));
      options.queues.push_back(std::move(queue));
    }
    return options;
  }

  std::shared_ptr<const match::Request> make_request() {
    jobspec::Jobspec spec;
    auto slot = resource("slot", count(2), {resource("core", count(2))});
    if (choices_.one_in(4)) slot.with.push_back(resource("gpu", 1));
    if (choices_.one_in(3)) {
      spec.resources = {slot};
    } else {
      spec.resources = {resource("node", count(nodes_), {slot})};
      spec.resources[0].exclusive = !choices_.one_in(3);
    }
    if (choices_.one_in(5)) {
      spec.constraint = *jobspec::Constraint::parse(boost::json::parse(
          choices_.one_in(2) ? R"({"properties":["fast"]})" : R"({"properties":["^fast"]})"));
    }
    auto compiled = match::compile(spec);
    require(compiled.has_value(), "a small request is not compiled");
    return std::make_shared<const match::Request>(*std::move(compiled));
  }

  std::uint64_t count(std::int64_t most) {
    return static_cast<std::uint64_t>(choices_.draw(1, most));
  }
  JobId any_job() { return JobId(static_cast<std::uint64_t>(choices_.draw(0, last_id_ + 1))); }
  Idset some_ranks() {
    const auto first = choices_.draw(0, nodes_);
    return ranks(static_cast<std::uint32_t>(first),
                 static_cast<std::uint32_t>(first + choices_.draw(0, 2)));
  }
  Time some_end() {
    return choices_.one_in(8) ? Time::never() : now_ + secs(choices_.draw(-40, 120));
  }

  void submit() {
    plan::PendingJob job;
    // Now and then an id that is taken already.
    job.id = choices_.one_in(8) ? any_job() : JobId(static_cast<std::uint64_t>(++last_id_));
    job.priority = Priority(static_cast<std::uint32_t>(choices_.draw(14, 18)));
    job.submit = now_;
    job.request = make_request();
    if (choices_.one_in(3)) job.queue = "a";
    job.duration = choices_.one_in(10) ? Duration::infinite() : secs(choices_.draw(1, 100));
    const bool taken =
        engine_.find_pending(job.id) != nullptr || engine_.find_allocation(job.id) != nullptr;
    const JobId id = job.id;
    const auto outcome = unless_refused([&] { return engine_.submit(std::move(job)); });
    require(outcome != taken, "submission of job {}: accepted {}, known before {}", id.value(),
            outcome, taken);
  }

  void move_end() {
    const JobId id = any_job();
    const Time end = some_end();
    const plan::Allocation* held = engine_.find_allocation(id);
    const Time horizon = engine_.instance_expiration();
    const Time new_end = end.is_never() ? horizon : end;
    const bool valid = held != nullptr && new_end > held->span.start && new_end <= horizon;
    const auto outcome = unless_refused([&] { return engine_.set_expiration(id, end); });
    require(outcome == valid, "expiration of job {} at {}: accepted {}, valid {}", id.value(),
            text_of(end), outcome, valid);
  }

  /// Runs an event; whether it was accepted. A refused one changes nothing.
  template <class Event>
  bool unless_refused(Event&& event) {
    const std::string before = text_of(engine_);
    const bool complete = engine_.is_complete();
    const auto outcome = event();
    if (outcome) return true;
    check_error(outcome.error());
    require(before == text_of(engine_) && complete == engine_.is_complete(),
            "refused ({}), and something changed", outcome.error().message);
    return false;
  }

  void event() {
    switch (choices_.draw(0, 15)) {
      case 5:
        engine_.withdraw(any_job());
        break;
      case 6:
        engine_.prioritize(std::vector<std::pair<JobId, Priority>>{
            {any_job(), Priority(static_cast<std::uint32_t>(choices_.draw(14, 18)))}});
        break;
      case 7:
      case 8:
      case 9:
        move_end();
        break;
      case 10:
      case 11:
        engine_.release(
            any_job(), some_ranks(),
            choices_.one_in(3) ? plan::Engine::Release::partial : plan::Engine::Release::final);
        break;
      case 12:
        engine_.mark_down(some_ranks());
        break;
      case 13:
      case 14:
        engine_.mark_up(some_ranks());
        break;
      case 15:
        rare_event();
        break;
      default:
        submit();
        break;
    }
  }

  void rare_event() {
    switch (choices_.draw(0, 4)) {
      case 0:
        engine_.shrink(some_ranks());
        break;
      case 1:
        engine_.add_property("fast", some_ranks());
        break;
      case 2:
        engine_.remove_property("fast", some_ranks());
        break;
      case 3:
        engine_.set_instance_expiration(choices_.one_in(2) ? Time::never()
                                                           : now_ + secs(choices_.draw(1, 500)));
        break;
      default:
        engine_.set_options(make_options());
        break;
    }
  }

  void pass() {
    now_ = now_ + secs(choices_.draw(0, 40));
    const bool sliced = choices_.one_in(2);
    const plan::KeepGoing stop_after_each = [] { return false; };
    while (engine_.plan(now_, sliced ? stop_after_each : plan::KeepGoing{}) !=
           plan::PassState::complete) {
    }
    for (const plan::Start& start : engine_.take_starts()) {
      require(engine_.find_allocation(start.id) != nullptr, "job {} started and holds nothing",
              start.id.value());
    }
    const std::string difference = difference_from_scratch(engine_, now_);
    require(difference.empty(), "{}", difference);
  }

  Choices choices_;
  std::int64_t nodes_;
  plan::Engine engine_;
  Time now_ = at(1000);
  std::int64_t last_id_ = 0;
};

}  // namespace
}  // namespace tenure::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tenure::fuzz;  // NOLINT: the entry point alone stands outside
  Stream(as_text(bytes, size)).run();
  return 0;
}
