#include "workloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "jobspec/jobspec.hpp"

namespace tenure::bench {

namespace {

graph::Pool pool(std::string type, std::uint32_t count) {
  graph::Pool made{std::move(type), std::vector<std::uint32_t>(count)};
  std::iota(made.ids.begin(), made.ids.end(), 0U);
  return made;
}

std::shared_ptr<const match::Request> compiled(const jobspec::Shorthand& shorthand) {
  const auto parsed = jobspec::parse(jobspec::write(shorthand));
  CHECK(parsed.has_value());
  auto request = match::compile(*parsed);
  CHECK(request.has_value());
  return std::make_shared<const match::Request>(std::move(*request));
}

Duration some_duration(Random& random) {
  constexpr std::array<std::int64_t, 7> kSeconds{600, 1800, 3600, 7200, 14400, 43200, 86400};
  return Duration::seconds(kSeconds[random.uniform(0, kSeconds.size() - 1)]);
}

std::shared_ptr<const match::Request> whole_nodes(std::uint64_t nodes) {
  jobspec::Shorthand shorthand;
  shorthand.nodes = shorthand.slots = nodes;
  shorthand.exclusive = true;
  return compiled(shorthand);
}

/// One slot of some cores, anywhere.
std::shared_ptr<const match::Request> cores(std::uint64_t count) {
  jobspec::Shorthand shorthand;
  shorthand.cores_per_slot = count;
  return compiled(shorthand);
}

Job draw_one(const JobMix& mix, Random& random) {
  switch (mix.size) {
    case JobMix::Size::whole_nodes: {
      const std::uint64_t nodes = (std::uint64_t{1} << random.uniform(0, 9)) + random.uniform(0, 7);
      auto request = whole_nodes(std::min(nodes * mix.scale, mix.most));
      return Job{std::move(request), some_duration(random)};
    }
    case JobMix::Size::cores: {
      auto request = cores(random.uniform(1, mix.most));
      return Job{std::move(request), some_duration(random)};
    }
    case JobMix::Size::one_node:
      return Job{whole_nodes(1), Duration::seconds(3600)};
    case JobMix::Size::one_core:
      return Job{cores(1), Duration::seconds(3600)};
  }
  return {};
}

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

graph::ResourceGraph regular_machine(std::uint32_t nodes, std::uint32_t cores) {
  graph::ResourceGraph::Builder builder;
  builder.reserve(nodes);
  const ShapeId shape = builder.add_shape({pool("core", cores), pool("gpu", 4)});
  for (std::uint32_t i = 0; i < nodes; ++i) {
    builder.add_node(Rank(i), fmt::format("node{}", i), shape);
  }
  auto graph = std::move(builder).build();
  CHECK(graph.has_value());
  graph->mark_up(Idset::range(0, nodes - 1));
  return std::move(*graph);
}

std::string inventory_text(std::uint32_t nodes) {
  return fmt::format(R"({{"version": 1, "execution": {{"R_lite": [{{"rank": "0-{0}", "children": )"
                     R"({{"core": "0-47", "gpu": "0-3"}}}}], "starttime": 0, "expiration": 0, )"
                     R"("nodelist": ["node[0-{0}]"]}}}})",
                     nodes - 1);
}

std::vector<Job> draw(const JobMix& mix) {
  Random random(1);
  std::vector<Job> jobs;
  jobs.reserve(mix.count);
  while (jobs.size() < mix.count) {
    jobs.push_back(draw_one(mix, random));
    if (mix.size == JobMix::Size::one_node || mix.size == JobMix::Size::one_core) {
      jobs.resize(mix.count, jobs.front());
    }
  }
  return jobs;
}

plan::PendingJob pending(std::size_t index, const Job& job) {
  plan::PendingJob made;
  made.id = JobId(index + 1);
  made.priority = Priority(16);
  made.request = job.request;
  made.duration = job.duration;
  return made;
}

}  // namespace tenure::bench
