// One extension of a running job, re-planned, against planning from scratch.
//
// A plan of R reservations; four running jobs, whose extension meets no reservation, that at
// the last position of the queue, one in the middle, and the first. Each extension is made
// and undone; the plan it gives is compared, entry by entry, with that of a new engine.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "verify.hpp"
#include "workloads.hpp"

namespace tenure::bench {
namespace {

using plan::Engine;
using plan::Options;

const Time kNow = Time::seconds(0);

Options conservative() {
  Options options;
  options.policy = plan::QueuePolicy::conservative;
  options.queue_depth = plan::kUnlimitedDepth;
  return options;
}

enum class Hits { nothing, last, middle, first };

/// Nodes with one of these properties are held for long by a job each.
constexpr std::array kHeld{"spare", "last", "middle"};
const Time kHeldUntil = Time::seconds(10'000LL * 86'400);

Job on_held_node(const char* property) {
  jobspec::Shorthand shorthand;
  shorthand.nodes = shorthand.slots = 1;
  shorthand.exclusive = true;
  auto parsed = *jobspec::parse(jobspec::write(shorthand));
  parsed.constraint = *jobspec::Constraint::parse({{"properties", {property}}});
  return Job{std::make_shared<const match::Request>(*match::compile(parsed)), kHeldUntil - kNow};
}

/// Even ids, so that a job can be put between two others.
void submit(Engine& engine, std::uint64_t id, const Job& job) {
  auto made = pending(0, job);
  made.id = JobId(id);
  CHECK(engine.submit(std::move(made)));
}

/// The nodes of kHeld are held, other jobs run, and `reservations` wait with a planned start:
/// the last for the node "last", one in the middle for the node "middle".
std::unique_ptr<Engine> planned_machine(std::uint32_t nodes, std::size_t reservations) {
  auto graph = regular_machine(nodes);
  for (std::uint32_t i = 0; i < kHeld.size(); ++i) graph.add_property(kHeld[i], Idset::single(i));
  auto engine = std::make_unique<Engine>(std::move(graph), Time::never(), conservative());
  std::uint64_t id = 0;
  for (const char* property : kHeld) submit(*engine, id += 2, on_held_node(property));
  engine->plan(kNow);
  // Some jobs start; more are drawn than are wanted.
  const auto jobs =
      draw(mixed(reservations + nodes, nodes - kHeld.size(), std::max(1U, nodes / 1024)));
  std::size_t next = 0;
  const std::size_t others = reservations - 2;
  while (engine->planned().size() < others) {
    for (std::size_t i = others - engine->planned().size(); i > 0; --i, ++next) {
      submit(*engine, id += 2, jobs[next]);
    }
    engine->plan(kNow);
  }
  const auto middle = engine->planned()[others / 2].key.id.value();
  submit(*engine, middle + 1, on_held_node("middle"));
  submit(*engine, id + 2, on_held_node("last"));
  engine->plan(kNow);
  engine->take_starts();
  CHECK(engine->planned().size() == reservations);
  return engine;
}

struct Extension {
  JobId id;
  Time end;
};

Extension choose(const Engine& engine, Hits hits) {
  if (hits != Hits::first) {
    // The jobs on the held nodes have the first ids.
    const std::uint64_t held = hits == Hits::nothing ? 2 : hits == Hits::last ? 4 : 6;
    return {JobId(held), kHeldUntil + Duration::seconds(3600)};
  }
  const auto& first = engine.planned().front().placement;
  for (const auto& [id, running] : engine.allocations()) {
    if (running.span.end > first.span.start) continue;
    if (!running.resources.overlaps(first.resources)) continue;
    return {id, first.span.start + Duration::seconds(3600)};
  }
  CHECK(false, "the first reservation waits for nobody");
  return {};
}

std::unique_ptr<Engine> with_the_same_facts(const Engine& engine) {
  auto fresh =
      std::make_unique<Engine>(engine.graph(), engine.instance_expiration(), engine.options());
  for (const auto& [id, allocation] : engine.allocations()) CHECK(fresh->hold(allocation));
  engine.for_each_pending([&](const plan::PendingJob& job) { CHECK(fresh->submit(job)); });
  return fresh;
}

bool same_plan(const Engine& engine) {
  const auto fresh = with_the_same_facts(engine);
  fresh->plan(kNow);
  return fresh->take_starts().empty() && std::ranges::equal(engine.planned(), fresh->planned());
}

void move(Engine& engine, JobId id, Time end) {
  CHECK(engine.set_expiration(id, end));
  engine.plan(kNow);
}

void extension(benchmark::State& state, std::uint32_t nodes, std::size_t reservations, Hits hits) {
  const auto engine = planned_machine(nodes, reservations);
  const Extension chosen = choose(*engine, hits);
  const Time old_end = engine->find_allocation(chosen.id)->span.end;
  const std::uint64_t searches_before = engine->counters().jobs_planned;
  move(*engine, chosen.id, chosen.end);
  const std::uint64_t searches = engine->counters().jobs_planned - searches_before;
  if (!engine->take_starts().empty() || !same_plan(*engine)) {
    return state.SkipWithError("not the plan from scratch");
  }
  move(*engine, chosen.id, old_end);
  for (auto _ : state) {
    move(*engine, chosen.id, chosen.end);
    state.PauseTiming();
    move(*engine, chosen.id, old_end);
    state.ResumeTiming();
  }
  if (!same_plan(*engine)) return state.SkipWithError("the plan did not come back");
  state.counters["searches"] = static_cast<double>(searches);
}

void from_scratch(benchmark::State& state, std::uint32_t nodes, std::size_t reservations) {
  const auto engine = planned_machine(nodes, reservations);
  for (auto _ : state) {
    state.PauseTiming();
    auto fresh = with_the_same_facts(*engine);
    state.ResumeTiming();
    fresh->plan(kNow);
    state.PauseTiming();
    if (!std::ranges::equal(engine->planned(), fresh->planned())) {
      return state.SkipWithError("another plan");
    }
    fresh.reset();
    state.ResumeTiming();
  }
}

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const std::string& size, std::uint32_t nodes, std::size_t reservations) {
    const auto named = [&](const char* what) { return fmt::format("extension_{}/{}", what, size); };
    const auto one = [&](const char* what, Hits hits) {
      benchmark::RegisterBenchmark(named(what).c_str(), extension, nodes, reservations, hits)
          ->Unit(benchmark::kMicrosecond);
    };
    one("hits_nothing", Hits::nothing);
    one("hits_the_last", Hits::last);
    one("hits_the_middle", Hits::middle);
    one("hits_the_first", Hits::first);
    benchmark::RegisterBenchmark(named("from_scratch").c_str(), from_scratch, nodes, reservations)
        ->Unit(benchmark::kMicrosecond);
  };
  add("tiny", 64, 50);
  for (const std::uint32_t nodes : {1024U, 16'384U}) {
    for (const std::size_t reservations : {100U, 1000U, 10'000U}) {
      add(fmt::format("{}x{}", nodes, reservations), nodes, reservations);
    }
  }
  return true;
}();

}  // namespace
}  // namespace tenure::bench
