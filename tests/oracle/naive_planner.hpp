// NaivePlanner: the planning rules of the design, word by word, over plain node sets.
//
// Whole-node jobs only. It shares no code with the engine: times are plain integers, node
// sets are std::set, and "is it free" is a loop over every span. It is the oracle that the
// engine is held against.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace tenure::oracle {

using Seconds = std::int64_t;
inline constexpr Seconds kNever = std::numeric_limits<Seconds>::max();
using Nodes = std::set<int>;

struct RunningJob {
  int id;
  Nodes nodes;  ///< what it still holds
  Seconds end;  ///< its expiration; kNever: none
};

struct WaitingJob {
  int id;
  int priority;
  Seconds submit;
  int nodes;
  Seconds duration;  ///< kNever: until the instance ends
  Nodes allowed;     ///< nodes that satisfy its constraint
};

struct Facts {
  std::vector<RunningJob> running;
  std::vector<WaitingJob> waiting;
  Nodes up;
  Seconds horizon = kNever;  ///< instance expiration
  Seconds now = 0;
  Seconds overrun_estimate = 60;
  std::uint64_t future_starts = 0;
  std::uint64_t queue_depth = 0;
  bool stop_at_first_wait = false;  ///< fcfs
  bool highest_first = false;
};

struct PlannedStart {
  int id;
  Seconds start;
  Seconds end;
  Nodes nodes;
  friend bool operator==(const PlannedStart&, const PlannedStart&) = default;
};

struct NaivePlan {
  std::vector<PlannedStart> starts;    ///< now, in order
  std::vector<PlannedStart> reserved;  ///< later, in queue order
  std::set<int> waiting;
  std::set<int> unplanned;
};

class NaivePlanner {
 public:
  explicit NaivePlanner(Facts facts) : facts_(std::move(facts)) {}

  /// Passes over the queue until nothing more starts; the last pass is the plan.
  NaivePlan plan() {
    NaivePlan result;
    while (true) {
      NaivePlan pass = one_pass();
      if (pass.starts.empty()) {
        pass.starts = std::move(result.starts);
        return pass;
      }
      // Only the first start is taken as a fact; the rest of the pass is made again.
      const PlannedStart first = pass.starts.front();
      result.starts.push_back(first);
      facts_.running.push_back({first.id, first.nodes, first.end});
      std::erase_if(facts_.waiting, [&](const WaitingJob& job) { return job.id == first.id; });
    }
  }

 private:
  struct Taken {
    Nodes nodes;
    Seconds start;
    Seconds end;
  };

  Nodes free_throughout(const WaitingJob& job, Seconds start, Seconds end) const {
    Nodes free;
    for (const int node : job.allowed) {
      if (!facts_.up.contains(node)) continue;
      const bool busy = std::ranges::any_of(taken_, [&](const Taken& span) {
        return span.nodes.contains(node) && span.start < end && start < span.end;
      });
      if (!busy) free.insert(node);
    }
    return free;
  }

  std::optional<PlannedStart> try_at(const WaitingJob& job, Seconds start) const {
    const Seconds end = job.duration == kNever ? facts_.horizon : start + job.duration;
    if (end > facts_.horizon || start >= end) return std::nullopt;
    const Nodes free = free_throughout(job, start, end);
    if (static_cast<int>(free.size()) < job.nodes) return std::nullopt;
    PlannedStart planned{job.id, start, end, {}};
    const auto count = job.nodes;
    if (facts_.highest_first) {
      planned.nodes.insert(std::prev(free.end(), count), free.end());
    } else {
      planned.nodes.insert(free.begin(), std::next(free.begin(), count));
    }
    return planned;
  }

  std::optional<PlannedStart> earliest(const WaitingJob& job) const {
    std::set<Seconds> times{facts_.now};
    for (const Taken& span : taken_) {
      if (span.end != kNever && span.end > facts_.now) times.insert(span.end);
    }
    for (const Seconds time : times) {
      if (auto planned = try_at(job, time)) return planned;
    }
    return std::nullopt;
  }

  NaivePlan one_pass() {
    NaivePlan plan;
    taken_.clear();
    for (const RunningJob& job : facts_.running) {
      const Seconds end = job.end <= facts_.now ? facts_.now + facts_.overrun_estimate : job.end;
      taken_.push_back({job.nodes, std::numeric_limits<Seconds>::min(), end});
    }
    std::ranges::sort(facts_.waiting, {}, [](const WaitingJob& job) {
      return std::tuple(-job.priority, job.submit, job.id);
    });
    std::uint64_t looked_at = 0;
    for (const WaitingJob& job : facts_.waiting) {
      if (looked_at >= facts_.queue_depth) break;
      const auto planned = earliest(job);
      if (!planned) {
        plan.unplanned.insert(job.id);
        continue;
      }
      if (planned->start == facts_.now) {
        plan.starts.push_back(*planned);
        taken_.push_back({planned->nodes, planned->start, planned->end});
        continue;
      }
      ++looked_at;
      if (plan.reserved.size() < facts_.future_starts) {
        plan.reserved.push_back(*planned);
        taken_.push_back({planned->nodes, planned->start, planned->end});
        continue;
      }
      plan.waiting.insert(job.id);
      if (facts_.stop_at_first_wait) break;
    }
    return plan;
  }

  Facts facts_;
  std::vector<Taken> taken_;
};

}  // namespace tenure::oracle
