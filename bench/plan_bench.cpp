// Whole passes of the planner.
#include "verify.hpp"
#include "workloads.hpp"

namespace tenure::bench {
namespace {

using plan::Engine;
using plan::Options;
using plan::QueuePolicy;

Options conservative() {
  Options options;
  options.policy = QueuePolicy::conservative;
  options.queue_depth = plan::kUnlimitedDepth;
  return options;
}

/// A plan from scratch: every job waits, nothing runs.
void full_plan(benchmark::State& state, std::uint32_t nodes, const JobMix& mix,
               std::uint64_t expected) {
  const std::vector<Job> jobs = draw(mix);
  for (auto _ : state) {
    state.PauseTiming();
    Engine engine(regular_machine(nodes), Time::never(), conservative());
    for (std::size_t i = 0; i < jobs.size(); ++i) CHECK(engine.submit(pending(i, jobs[i])));
    state.ResumeTiming();
    engine.plan(Time::seconds(0));
    state.PauseTiming();
    Digest digest;
    digest.add(engine.take_starts(), engine);
    if (!verify(state, digest, expected)) return;
    state.ResumeTiming();
  }
}

/// A full plan as the number of jobs (nodes) grows; the fitted growth comes with the times.
void sweep(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  const auto count = static_cast<std::size_t>(state.range(1));
  const std::vector<Job> jobs = draw(mixed(count, nodes, std::max(1U, nodes / 1024)));
  for (auto _ : state) {
    state.PauseTiming();
    auto engine = std::make_unique<Engine>(regular_machine(nodes), Time::never(), conservative());
    for (std::size_t i = 0; i < jobs.size(); ++i) CHECK(engine->submit(pending(i, jobs[i])));
    state.ResumeTiming();
    engine->plan(Time::seconds(0));
    state.PauseTiming();
    if (engine->planned().size() + engine->take_starts().size() != count) {
      return state.SkipWithError("a job has no plan");
    }
    engine.reset();
    state.ResumeTiming();
  }
  state.SetComplexityN(state.range(state.range(2) == 0 ? 0 : 1));
}

/// Many waiting jobs, of which a pass looks at queue-depth.
void deep_queue(benchmark::State& state, std::size_t count, std::uint64_t expected) {
  const auto jobs = draw(mixed(1000, 1000));
  Options options = conservative();
  options.queue_depth = 1024;
  Engine engine(regular_machine(1024), Time::never(), options);
  for (std::size_t i = 0; i < count; ++i) CHECK(engine.submit(pending(i, jobs[i % jobs.size()])));
  engine.plan(Time::seconds(0));
  Digest digest;
  digest.add(engine.take_starts(), engine);
  if (!verify(state, digest, expected)) return;
  std::size_t last = count;
  for (auto _ : state) {
    // The job at the end of the queue goes and comes back; the pass has nothing to do.
    engine.withdraw(JobId(last));
    engine.plan(Time::seconds(0));
    CHECK(engine.submit(pending(last - 1, jobs[0])));
    engine.plan(Time::seconds(0));
  }
}

const auto kUs = benchmark::kMicrosecond;
const auto kMs = benchmark::kMillisecond;

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const char* name, auto&&... run) {
    return benchmark::RegisterBenchmark(name, run...);
  };
  add("full_plan/tiny", full_plan, 64U, mixed(50, 60), 0xe340821ed99a44e8U);
  add("full_plan/1024x2000", full_plan, 1024U, mixed(2000, 1000), 0x6bc12698a092375eU)->Unit(kMs);
  add("full_plan/100000x10000", full_plan, 100'000U, mixed(10'000, 100'000, 100),
      0x9a83ca6fa2850482U)
      ->Unit(kMs)
      ->Iterations(1);
  add("full_plan_cores/tiny", full_plan, 2U, core_sized(100, 48), 0x4cf61211cdf993edU);
  add("full_plan_cores/64x10000", full_plan, 64U, core_sized(10'000, 48), 0xc5892dcc458c2f9fU)
      ->Unit(kMs)
      ->Iterations(1);
  constexpr std::int64_t kByNodes = 0;
  constexpr std::int64_t kByJobs = 1;
  add("sweep_jobs", sweep)
      ->ArgNames({"nodes", "jobs", ""})
      ->ArgsProduct({{1024}, {250, 500, 1000, 2000, 4000, 8000}, {kByJobs}})
      ->Complexity()
      ->Unit(kMs);
  add("sweep_nodes", sweep)
      ->ArgNames({"nodes", "jobs", ""})
      ->ArgsProduct({{1024, 2048, 4096, 8192, 16'384, 32'768}, {1000}, {kByNodes}})
      ->Complexity()
      ->Unit(kMs);
  add("deep_queue/tiny", deep_queue, 2000U, 0x3ff97e4c8bf5505cU);
  add("deep_queue/1000000", deep_queue, 1'000'000U, 0x3ff97e4c8bf5505cU)->Unit(kUs);
  return true;
}();

}  // namespace
}  // namespace tenure::bench
