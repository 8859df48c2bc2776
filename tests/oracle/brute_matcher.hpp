// BruteMatcher: what a request means, word by word, over a TimeArray. The oracle of matching.
//
// Every start time is tried, every node and every unit is looked at. A node has `cores` and
// `gpus`: its units are the cores, then the gpus.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "oracle/time_array.hpp"

namespace tenure::oracle {

struct BruteNode {
  int cores = 0;
  int gpus = 0;
  bool up = true;
  bool lost = false;
  bool fast = false;  ///< has the property that constraints ask for
};

struct BruteRequest {
  int nodes = 0;  ///< 0: slots anywhere
  int slots = 1;  ///< on each node; with nodes == 0 in all
  int cores = 1;  ///< of each slot
  int gpus = 0;
  bool exclusive = false;
  std::optional<bool> fast{};  ///< constraint: the property, or not the property
};

class BruteMatcher {
 public:
  BruteMatcher(std::vector<BruteNode> nodes, bool highest_first)
      : nodes_(std::move(nodes)), highest_first_(highest_first) {}

  std::vector<BruteNode>& nodes() { return nodes_; }
  const std::vector<BruteNode>& nodes() const { return nodes_; }

  /// Slots that fit into some units of a node.
  static int slots_in(const BruteRequest& request, const std::set<int>& free, int cores) {
    const int free_cores =
        static_cast<int>(std::ranges::count_if(free, [&](int unit) { return unit < cores; }));
    const int free_gpus = static_cast<int>(free.size()) - free_cores;
    int slots = free_cores / request.cores;
    if (request.gpus > 0) slots = std::min(slots, free_gpus / request.gpus);
    return slots;
  }

  /// The constraint holds, and the empty node is large enough for what it has to host.
  std::set<int> candidates(const BruteRequest& request) const {
    std::set<int> found;
    for (int n = 0; n < count(); ++n) {
      if (node(n).lost) continue;
      if (request.fast && node(n).fast != *request.fast) continue;
      if (slots_in(request, all_units(n), node(n).cores) >= least(request)) found.insert(n);
    }
    return found;
  }
  std::set<int> eligible(const BruteRequest& request) const {
    std::set<int> found;
    for (const int n : candidates(request)) {
      if (node(n).up) found.insert(n);
    }
    return found;
  }

  /// What `nodes` offer when nothing runs: nodes, or slots when they may be anywhere.
  int capacity(const BruteRequest& request, const std::set<int>& nodes) const {
    if (request.nodes > 0) return static_cast<int>(nodes.size());
    return std::accumulate(nodes.begin(), nodes.end(), 0, [&](int sum, int n) {
      return sum + slots_in(request, all_units(n), node(n).cores);
    });
  }
  static int wanted(const BruteRequest& request) {
    return request.nodes > 0 ? request.nodes : request.slots;
  }

  /// The same in a span.
  int count_free(const TimeArray& array, const BruteRequest& request, int start, int end) const {
    int count = 0;
    for (const int n : eligible(request)) {
      const int offer = slots_on(array, request, n, start, end);
      if (request.nodes == 0) {
        count += offer;
      } else if (offer >= request.slots) {
        ++count;
      }
    }
    return count;
  }
  bool fits(const TimeArray& array, const BruteRequest& request, int start, int end) const {
    return count_free(array, request, start, end) >= wanted(request);
  }

  /// The policy's choice: node after node in its order, and of each node's free units the
  /// first of each type in the same order.
  std::optional<Units> choose(const TimeArray& array, const BruteRequest& request, int start,
                              int end) const {
    if (!fits(array, request, start, end)) return std::nullopt;
    const std::set<int> eligible_nodes = eligible(request);
    std::vector<int> order(eligible_nodes.begin(), eligible_nodes.end());
    if (highest_first_) std::ranges::reverse(order);
    Units chosen;
    int left = wanted(request);
    for (const int n : order) {
      if (left == 0) break;
      const int offer = slots_on(array, request, n, start, end);
      if (request.nodes == 0) {
        const int taken = std::min(offer, left);
        take(chosen, n, array.free_units(start, end, n), request, taken);
        left -= taken;
      } else if (offer >= request.slots) {
        if (request.exclusive) {
          chosen[n] = all_units(n);
        } else {
          take(chosen, n, array.free_units(start, end, n), request, request.slots);
        }
        --left;
      }
    }
    return chosen;
  }

  /// The first start at which it fits for `length` ticks; nullopt as length: until `limit`.
  std::optional<int> earliest(const TimeArray& array, const BruteRequest& request, int from,
                              std::optional<int> length, int limit) const {
    for (int start = from; start <= std::max(from, int{TimeArray::kTicks}); ++start) {
      const int end = length ? start + *length : limit;
      if (start >= end || (limit != TimeArray::kForever && end > limit)) return std::nullopt;
      if (fits(array, request, start, end)) return start;
    }
    return std::nullopt;
  }

 private:
  int count() const { return static_cast<int>(nodes_.size()); }
  const BruteNode& node(int n) const { return nodes_[static_cast<std::size_t>(n)]; }

  std::set<int> all_units(int n) const {
    std::set<int> all;
    for (int unit = 0; unit < node(n).cores + node(n).gpus; ++unit) all.insert(unit);
    return all;
  }

  static int least(const BruteRequest& request) { return request.nodes > 0 ? request.slots : 1; }

  /// Slots that the node offers in the span; none when it must be idle and is not.
  int slots_on(const TimeArray& array, const BruteRequest& request, int n, int start,
               int end) const {
    const std::set<int> free = array.free_units(start, end, n);
    if (request.exclusive && free != all_units(n)) return 0;
    return slots_in(request, free, node(n).cores);
  }

  void take(Units& chosen, int n, const std::set<int>& free, const BruteRequest& request,
            int slots) const {
    std::vector<int> order(free.begin(), free.end());
    if (highest_first_) std::ranges::reverse(order);
    int cores = slots * request.cores;
    int gpus = slots * request.gpus;
    for (const int unit : order) {
      int& left = unit < node(n).cores ? cores : gpus;
      if (left == 0) continue;
      chosen[n].insert(unit);
      --left;
    }
  }

  std::vector<BruteNode> nodes_;
  bool highest_first_;
};

}  // namespace tenure::oracle
