// What would one more hour of a running job do, and how far is its end free: asked of each
// running job of a busy machine, where every job waits with a planned start.
//
// Counters: the 50th and 99th percentile and the worst of both answers together. Verified: the
// preview is what the same extension does.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plan/impact.hpp"
#include "verify.hpp"
#include "workloads.hpp"

namespace tenure::bench {
namespace {

using plan::Engine;

const Time kNow = Time::seconds(0);
const Duration kHour = Duration::seconds(3600);

/// Jobs of one in eight nodes at most run; `planned` wait with a planned start.
std::unique_ptr<Engine> busy_machine(std::uint32_t nodes, std::size_t planned) {
  plan::Options options;
  options.policy = plan::QueuePolicy::conservative;
  options.queue_depth = plan::kUnlimitedDepth;
  auto engine = std::make_unique<Engine>(regular_machine(nodes), Time::never(), options);
  const auto jobs = draw(mixed(planned + nodes, nodes / 8));
  std::size_t next = 0;
  while (engine->planned().size() < planned) {
    for (std::size_t i = planned - engine->planned().size(); i > 0; --i, ++next) {
      CHECK(engine->submit(pending(next, jobs[next])));
    }
    engine->plan(kNow);
  }
  engine->take_starts();
  return engine;
}

bool is_real(const Engine& engine, JobId id, const plan::Impact& impact) {
  Engine changed(engine);
  CHECK(changed.set_expiration(id, impact.end));
  changed.plan(kNow);
  return std::ranges::all_of(impact.delayed, [&](const plan::Shift& shift) {
    const plan::PlannedJob* entry = changed.find_planned(shift.id);
    return entry != nullptr && entry->placement.span.start == shift.to;
  });
}

void impact(benchmark::State& state, std::uint32_t nodes, std::size_t planned, bool with_free) {
  const auto engine = busy_machine(nodes, planned);
  std::vector<std::pair<JobId, Time>> running;
  for (const auto& [id, allocation] : engine->allocations()) {
    running.emplace_back(id, allocation.span.end);
  }
  std::vector<double> times;
  std::size_t next = 0;
  std::size_t delayed = 0;
  for (auto _ : state) {
    const auto [id, end] = running[next++ % running.size()];
    const auto before = std::chrono::steady_clock::now();
    const plan::Impact answer = plan::preview(*engine, id, end + kHour, kNow);
    if (with_free) benchmark::DoNotOptimize(plan::find_free_until(*engine, id, kNow));
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - before;
    times.push_back(took.count());
    delayed = std::max(delayed, answer.delayed.size());
    if (next > 1) continue;
    state.PauseTiming();
    if (!is_real(*engine, id, answer)) return state.SkipWithError("not what happens");
    state.ResumeTiming();
  }
  std::ranges::sort(times);
  const auto percentile = [&](double part) {
    return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
  };
  state.counters["p50_ms"] = percentile(0.5);
  state.counters["p99_ms"] = percentile(0.99);
  state.counters["max_ms"] = times.back();
  state.counters["running"] = static_cast<double>(running.size());
  state.counters["most_delayed"] = static_cast<double>(delayed);
}

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const std::string& size, std::uint32_t nodes, std::size_t planned) {
    benchmark::RegisterBenchmark(("impact/" + size).c_str(), impact, nodes, planned, false)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("impact_and_free_until/" + size).c_str(), impact, nodes, planned,
                                 true)
        ->Unit(benchmark::kMillisecond);
  };
  add("tiny", 64, 50);
  add("1024x2000", 1024, 2000);
  add("10000x10000", 10'000, 10'000);
  return true;
}();

}  // namespace
}  // namespace tenure::bench
