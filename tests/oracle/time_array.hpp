// TimeArray: what is taken when, as an array over whole ticks. The oracle of the profile.
//
// Ticks 0 … kTicks-1 last one tick each; tick kTicks stands for all time behind them, so that
// spans without end are covered. Before tick 0 nothing is taken. Nodes are numbers, their
// units a vector of bool; "is it free" is a loop over all of it.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tenure::oracle {

/// Units of nodes: node -> unit numbers.
using Units = std::map<int, std::set<int>>;

class TimeArray {
 public:
  static constexpr int kTicks = 20;
  static constexpr int kForever = kTicks + 1;  ///< the end of a span without end

  /// One entry a node: how many units it has. A node without units is taken or not as a whole.
  explicit TimeArray(std::vector<int> units) : units_(std::move(units)) {
    taken_.resize(kTicks + 1);
    for (auto& tick : taken_) {
      for (const int count : units_) tick.emplace_back(std::max(count, 1), false);
    }
  }

  int nodes() const { return static_cast<int>(units_.size()); }
  int units(int node) const { return units_[static_cast<std::size_t>(node)]; }

  /// All units of a node; the one that stands for the node itself when it has none.
  std::set<int> all_units(int node) const {
    std::set<int> all;
    for (int unit = 0; unit < std::max(units(node), 1); ++unit) all.insert(unit);
    return all;
  }

  bool is_taken(int tick, int node, int unit) const {
    if (tick < 0) return false;
    const auto& at = taken_[static_cast<std::size_t>(std::min(tick, kTicks))];
    return at[static_cast<std::size_t>(node)][static_cast<std::size_t>(unit)];
  }
  bool is_free(int start, int end, int node, int unit) const {
    for (int tick = start; tick < std::min(end, kForever + start); ++tick) {
      if (is_taken(tick, node, unit)) return false;
    }
    return true;
  }
  bool is_free(int start, int end, const Units& units) const {
    return std::ranges::all_of(units, [&](const auto& entry) {
      return std::ranges::all_of(entry.second,
                                 [&](int unit) { return is_free(start, end, entry.first, unit); });
    });
  }
  bool is_idle(int start, int end, int node) const {
    return is_free(start, end, {{node, all_units(node)}});
  }
  std::set<int> free_units(int start, int end, int node) const {
    std::set<int> free;
    for (int unit = 0; unit < units(node); ++unit) {
      if (is_free(start, end, node, unit)) free.insert(unit);
    }
    return free;
  }

  void set(int start, int end, const Units& units, bool taken) {
    for (int tick = start; tick < std::min(end, kForever); ++tick) {
      for (const auto& [node, wanted] : units) {
        for (const int unit : wanted) {
          taken_[static_cast<std::size_t>(tick)][static_cast<std::size_t>(node)]
                [static_cast<std::size_t>(unit)] = taken;
        }
      }
    }
  }

  /// The idle nodes of one tick.
  std::vector<bool> idle(int tick) const {
    std::vector<bool> idle;
    for (int node = 0; node < nodes(); ++node) idle.push_back(is_idle(tick, tick + 1, node));
    return idle;
  }

  /// The ticks at which the set of idle nodes changes, with the set from there on; the first
  /// entry is tick -1, everything idle.
  std::vector<std::pair<int, std::vector<bool>>> segments() const {
    std::vector<std::pair<int, std::vector<bool>>> found;
    found.emplace_back(-1, std::vector<bool>(units_.size(), true));
    for (int tick = 0; tick <= kTicks; ++tick) {
      std::vector<bool> now = idle(tick);
      if (now != found.back().second) found.emplace_back(tick, std::move(now));
    }
    return found;
  }

  /// Eligible nodes idle throughout [start, start + length).
  std::set<int> idle_nodes(int start, int length, const std::set<int>& eligible) const {
    std::set<int> idle;
    for (const int node : eligible) {
      if (is_idle(start, start + length, node)) idle.insert(node);
    }
    return idle;
  }

  /// The first start from `from` on at which `wanted` eligible nodes are idle for `length`
  /// ticks, ending at `limit` at the latest (nullopt: no limit).
  std::optional<int> first_start(int from, int length, std::size_t wanted,
                                 const std::set<int>& eligible, std::optional<int> limit) const {
    for (int start = from; start <= std::max(from, int{kTicks}); ++start) {
      if (limit && start + length > *limit) return std::nullopt;
      if (idle_nodes(start, length, eligible).size() >= wanted) return start;
    }
    return std::nullopt;
  }

 private:
  std::vector<int> units_;
  std::vector<std::vector<std::vector<bool>>> taken_;  ///< by tick, node, unit
};

}  // namespace tenure::oracle
