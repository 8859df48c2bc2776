#include "emul/workload.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "graph/resource_graph.hpp"
#include "graph/shape.hpp"

namespace tenure::emul {
namespace {

/// Virtual time 0 of a trace that does not say when it began.
constexpr std::int64_t kDefaultEpoch = 1'000'000'000;

/// "dir/LLNL-Atlas.swf.gz" -> "LLNL-Atlas".
std::string short_name(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  if (name.extension() == ".swf") name = name.stem();
  return name.string();
}

std::uint64_t count_duplicates(std::vector<std::int64_t> numbers) {
  std::ranges::sort(numbers);
  const auto last = std::unique(numbers.begin(), numbers.end());
  return static_cast<std::uint64_t>(numbers.end() - last);
}

/// Beyond the bound, no time of the trace would be left before Time::never().
Time epoch_of(const SwfHeader& header, OddityCounts& oddities) {
  const auto start = header.number("UnixStartTime");
  if (start && *start <= kMaxSwfSeconds) return Time::seconds(*start);
  if (header.find("UnixStartTime") != nullptr) oddities.add(Oddity::bad_start_time);
  return Time::seconds(kDefaultEpoch);
}

}  // namespace

void WorkloadBuilder::add(const SwfJob& from) {
  if (workload_.jobs.size() >= kMaxWorkloadJobs) {
    too_many_ = true;
    return;
  }
  OddityCounts& odd = workload_.oddities;
  TraceJob job;
  job.number = from[SwfField::number];

  job.submit = Duration::seconds(from[SwfField::submit]);
  if (job.submit < Duration::zero()) {
    odd.add(Oddity::no_submit_time);
    job.submit = last_submit_;
  }
  if (job.submit < last_submit_) odd.add(Oddity::unsorted);
  last_submit_ = job.submit;

  const std::int64_t wanted = from[SwfField::requested_procs];
  const std::int64_t allocated = from[SwfField::allocated_procs];
  if (wanted <= 0) odd.add(allocated > 0 ? Oddity::no_requested_procs : Oddity::no_procs);
  job.procs =
      static_cast<std::uint64_t>(wanted > 0 ? wanted : std::max<std::int64_t>(allocated, 1));

  const std::int64_t limit = from[SwfField::requested_time];
  std::int64_t runtime = from[SwfField::runtime];
  if (runtime < 0) {
    odd.add(Oddity::no_runtime);
    runtime = std::max<std::int64_t>(limit, 0);
  } else if (runtime == 0) {
    odd.add(Oddity::zero_runtime);
  }
  if (limit <= 0) odd.add(Oddity::no_requested_time);
  if (limit > 0 && runtime > limit) odd.add(Oddity::over_limit);
  job.runtime = Duration::seconds(runtime);
  job.walltime = Duration::seconds(limit > 0 ? limit : std::max<std::int64_t>(runtime, 1));

  job.user = from[SwfField::user];
  job.queue = from[SwfField::queue];

  numbers_.push_back(job.number);
  workload_.jobs.push_back(job);
}

Result<Workload> WorkloadBuilder::build(std::string name, SwfHeader header) && {
  if (workload_.jobs.empty()) {
    return failure(ErrorCode::invalid, "{}: the trace holds no job; at least one is needed", name);
  }
  if (too_many_) {
    return failure(ErrorCode::limit, "{}: more than {} jobs", name, kMaxWorkloadJobs);
  }
  const std::uint64_t duplicates = count_duplicates(std::exchange(numbers_, {}));
  for (std::uint64_t i = 0; i < duplicates; ++i) {
    workload_.oddities.add(Oddity::duplicate_number);
  }
  if (!std::ranges::is_sorted(workload_.jobs, {}, &TraceJob::submit)) {
    std::ranges::stable_sort(workload_.jobs, {}, &TraceJob::submit);
  }
  workload_.name = std::move(name);
  workload_.epoch = epoch_of(header, workload_.oddities);
  workload_.header = std::move(header);
  return std::move(workload_);
}

Result<Workload> read_workload(const std::string& path) {
  WorkloadBuilder builder;
  auto header = read_swf(
      path, [&builder](const SwfJob& job) { builder.add(job); }, builder.oddities());
  if (!header) return header.error();
  return std::move(builder).build(short_name(path), *std::move(header));
}

Result<MachineShape> machine_of(const SwfHeader& header, const MachineWish& wish) {
  const auto max_nodes = header.number("MaxNodes");
  const auto max_procs = header.number("MaxProcs");
  const auto known_nodes = max_nodes ? max_nodes : max_procs;
  if (!wish.nodes && !known_nodes) {
    return failure(ErrorCode::invalid,
                   "the trace says neither MaxNodes nor MaxProcs; give --nodes (and, for nodes of "
                   "several processors, --cores-per-node)");
  }
  const std::int64_t nodes = wish.nodes ? *wish.nodes : *known_nodes;
  std::int64_t cores = 1;
  if (wish.cores_per_node) {
    cores = *wish.cores_per_node;
  } else if (max_nodes && max_procs) {
    cores = std::max<std::int64_t>((*max_procs - 1) / *max_nodes + 1, 1);
  }
  if (nodes < 1 || nodes > graph::kMaxNodes) {
    return failure(ErrorCode::invalid, "nodes: {} is not from 1 to {}", nodes, graph::kMaxNodes);
  }
  if (cores < 1 || cores > graph::kMaxUnits) {
    return failure(ErrorCode::invalid, "cores a node: {} is not from 1 to {}", cores,
                   graph::kMaxUnits);
  }
  return MachineShape{static_cast<std::uint32_t>(nodes), static_cast<std::uint32_t>(cores)};
}

}  // namespace tenure::emul
