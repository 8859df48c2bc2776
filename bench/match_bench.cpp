// Loading a machine and matching single requests.
#include <boost/json.hpp>

#include "graph/formats/r.hpp"
#include "verify.hpp"
#include "workloads.hpp"

namespace tenure::bench {
namespace {

using match::Matcher;
using match::Policy;
using profile::Profile;

constexpr Time kNow = Time::seconds(0);
constexpr Duration kHour = Duration::seconds(3600);

/// Text of an R to a graph.
void load_r(benchmark::State& state, std::uint32_t nodes) {
  const std::string text = inventory_text(nodes);
  for (auto _ : state) {
    auto inventory = graph::read_inventory(boost::json::parse(text));
    if (!inventory || inventory->graph.node_count() != nodes) state.SkipWithError("wrong graph");
    benchmark::DoNotOptimize(inventory);
  }
}

/// One request after another for now, each taken: time of one.
void allocate(benchmark::State& state, std::uint32_t nodes, const JobMix& mix, Policy policy,
              std::uint64_t expected) {
  const graph::ResourceGraph graph = regular_machine(nodes);
  const Matcher matcher(graph, policy);
  const Span span{kNow, kNow + kHour};
  const std::vector<Job> jobs = draw(mix);
  for (auto _ : state) {
    state.PauseTiming();
    Digest digest;
    std::vector<graph::ResourceSet> chosen;
    chosen.reserve(jobs.size());
    Profile profile(graph);
    state.ResumeTiming();
    for (const Job& job : jobs) {
      auto resources = matcher.choose(profile, *job.request, span);
      CHECK(resources.has_value());
      profile.add(span, *resources);
      chosen.push_back(std::move(*resources));
    }
    state.PauseTiming();
    for (const auto& resources : chosen) digest.add(resources);
    if (!verify(state, digest, expected)) return;
    state.ResumeTiming();
  }
  state.counters["per_request"] = benchmark::Counter(
      static_cast<double>(jobs.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Allocate or reserve, all asked at one time, in order.
void allocate_or_reserve(benchmark::State& state, std::uint32_t nodes, const JobMix& mix,
                         std::uint64_t expected) {
  const graph::ResourceGraph graph = regular_machine(nodes);
  const Matcher matcher(graph, Policy::low);
  const std::vector<Job> jobs = draw(mix);
  for (auto _ : state) {
    Digest digest;
    Profile profile(graph);
    for (const Job& job : jobs) {
      const auto placement =
          matcher.find_earliest(profile, *job.request, kNow, job.duration, Time::never());
      CHECK(placement.has_value());
      profile.add(placement->span, placement->resources);
      digest.add(*placement);
    }
    if (!verify(state, digest, expected)) return;
  }
}

/// Jobspec text to "could this ever run": parsing, compiling and the check.
void feasibility(benchmark::State& state, std::uint32_t nodes) {
  const graph::ResourceGraph graph = regular_machine(nodes);
  const Matcher matcher(graph, Policy::first);
  jobspec::Shorthand shorthand;
  shorthand.nodes = shorthand.slots = nodes;
  shorthand.cores_per_slot = 48;
  shorthand.exclusive = true;
  const std::string text = boost::json::serialize(jobspec::write(shorthand));
  for (auto _ : state) {
    const auto parsed = jobspec::parse(boost::json::parse(text));
    CHECK(parsed.has_value());
    const auto request = match::compile(*parsed);
    CHECK(request.has_value());
    if (matcher.infeasible(*request)) state.SkipWithError("feasible, but was refused");
  }
}

const auto kUs = benchmark::kMicrosecond;
const auto kMs = benchmark::kMillisecond;

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const char* name, auto&&... run) {
    return benchmark::RegisterBenchmark(name, run...);
  };
  add("load_r/tiny", load_r, 64U);
  add("load_r/16384", load_r, 16'384U)->Unit(kMs);
  add("allocate_node/tiny", allocate, 64U, one_node(64), Policy::first, 0x3de3bfd17ec08725U);
  add("allocate_node/1024", allocate, 1024U, one_node(1024), Policy::first, 0x28ce59f18928b925U)
      ->Unit(kUs);
  add("allocate_node/16384", allocate, 16'384U, one_node(1000), Policy::first, 0xb35d50888c546ca5U)
      ->Unit(kUs);
  add("allocate_core/tiny", allocate, 4U, one_core(100), Policy::first, 0x776a72d047379ea5U);
  add("allocate_core/1024", allocate, 1024U, one_core(2000), Policy::first, 0x00e277dcb13fe125U)
      ->Unit(kUs);
  add("allocate_or_reserve/tiny", allocate_or_reserve, 64U, mixed(50, 60), 0xb2471f1651615587U);
  add("allocate_or_reserve/1024x1000", allocate_or_reserve, 1024U, mixed(1000, 1000),
      0x57008bfcb2ed2367U)
      ->Unit(kMs);
  add("allocate_or_reserve/4096x200", allocate_or_reserve, 4096U, mixed(200, 1000),
      0x30a4f22ea443dd43U)
      ->Unit(kMs);
  add("feasibility/tiny", feasibility, 64U);
  add("feasibility/16384", feasibility, 16'384U)->Unit(kUs);
  return true;
}();

}  // namespace
}  // namespace tenure::bench
