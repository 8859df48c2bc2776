// Machines and jobs for benchmarks: the same on every machine, drawn from a seed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/resource_graph.hpp"
#include "match/request.hpp"
#include "plan/engine.hpp"

namespace tenure::bench {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// Uniform in [first, last].
  std::uint64_t uniform(std::uint64_t first, std::uint64_t last) {
    return first + next() % (last - first + 1);
  }

 private:
  std::uint64_t state_;
};

/// `nodes` nodes of 48 cores and 4 gpus on ranks 0 …, all up.
graph::ResourceGraph regular_machine(std::uint32_t nodes, std::uint32_t cores = 48);
/// The R (RFC 20) of the same machine.
std::string inventory_text(std::uint32_t nodes);

struct Job {
  std::shared_ptr<const match::Request> request;
  Duration duration;
};

/// What jobs to draw; drawn inside a benchmark, so that listing them costs nothing.
struct JobMix {
  enum class Size { whole_nodes, cores, one_node, one_core } size;
  std::size_t count;
  std::uint64_t most;   ///< nodes or cores of a job
  std::uint64_t scale;  ///< nodes are multiplied by it
};

/// Whole-node jobs: 2^0 … 2^9 nodes and 0 … 7 more, times `scale`, at most `most`, for 10
/// minutes to a day.
inline JobMix mixed(std::size_t count, std::uint64_t most, std::uint64_t scale = 1) {
  return {JobMix::Size::whole_nodes, count, most, scale};
}
/// Jobs of 1 … `most` cores on one node, for 10 minutes to a day.
inline JobMix core_sized(std::size_t count, std::uint64_t most) {
  return {JobMix::Size::cores, count, most, 1};
}
inline JobMix one_node(std::size_t count) { return {JobMix::Size::one_node, count, 1, 1}; }
inline JobMix one_core(std::size_t count) { return {JobMix::Size::one_core, count, 1, 1}; }
std::vector<Job> draw(const JobMix& mix);

/// The jobs as waiting jobs 1, 2, … of one priority.
plan::PendingJob pending(std::size_t index, const Job& job);

}  // namespace tenure::bench
