// Does a tree request fit at all? Sets of vertices and all choices; for tiny graphs only.
//
// Levels::any, no constraint, sizes 1 and fixed counts; slots outside of nodes lie in one
// node when what they hold does (`inside`), else anywhere.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "graph/vertices.hpp"
#include "match/tree_request.hpp"

namespace tenure::oracle {

class BruteTreeMatcher {
 public:
  using Vertex = graph::Vertex;
  struct State {
    std::set<Vertex> free;
    std::set<Vertex> used;  ///< shared by this match
  };
  using Next = std::function<bool(const State&)>;

  explicit BruteTreeMatcher(const graph::ResourceGraph& graph) : vertices_(graph) {}

  bool fits(const std::vector<match::Need>& needs, const State& state) {
    return list(needs, 0, vertices_.root(), false, state, [](const State&) { return true; });
  }

 private:
  std::vector<Vertex> below(Vertex v) {
    std::vector<Vertex> all;
    vertices_.for_each_in_preorder(v, [&](Vertex w) {
      if (w != v) all.push_back(w);
      return true;
    });
    return all;
  }

  bool list(const std::vector<match::Need>& needs, std::size_t i, Vertex scope, bool begun,
            const State& state, const Next& next) {
    if (i == needs.size()) return next(state);
    const match::Need& need = needs[i];
    const Next rest = [&](const State& s) { return list(needs, i + 1, scope, begun, s, next); };
    if (!need.is_slot()) {
      std::vector<Vertex> options = below(scope);
      std::erase_if(options, [&](Vertex v) { return vertices_.type(v) != need.type; });
      return pick(need, options, 0, need.count.min(), state, rest);
    }
    std::vector<Vertex> places{scope};
    if (!begun && inside(need)) {
      places = below(scope);
      std::erase_if(places, [](Vertex v) { return !v.is_target(); });
    }
    return slots(need, places, 0, need.count.min(), state, rest);
  }

  bool inside(const match::Need& slot) {
    for (const match::Need& need : slot.with) {
      if (need.type == "node" || need.type == "rack" || need.type == "ssd") return false;
    }
    return true;
  }

  bool pick(const match::Need& need, const std::vector<Vertex>& options, std::size_t from,
            std::uint64_t missing, const State& state, const Next& next) {
    if (missing == 0) return next(state);
    for (std::size_t i = from; i < options.size(); ++i) {
      const Vertex v = options[i];
      std::vector<Vertex> all = below(v);
      all.push_back(v);
      const bool exclusive = need.access != match::Need::Access::shared;
      bool possible = exclusive || state.free.contains(v);
      for (const Vertex w : all) {
        if (exclusive && (!state.free.contains(w) || state.used.contains(w))) possible = false;
      }
      if (!possible) continue;
      const Next after = [&](const State& inner) {
        State taken = inner;
        if (exclusive) {
          for (const Vertex w : all) taken.free.erase(w);
        } else {
          taken.used.insert(v);
        }
        return pick(need, options, i + 1, missing - 1, taken, next);
      };
      if (list(need.with, 0, v, true, state, after)) return true;
    }
    return false;
  }

  bool slots(const match::Need& slot, const std::vector<Vertex>& places, std::size_t from,
             std::uint64_t missing, const State& state, const Next& next) {
    if (missing == 0) return next(state);
    for (std::size_t i = from; i < places.size(); ++i) {
      const Next after = [&](const State& inner) {
        return slots(slot, places, i, missing - 1, inner, next);
      };
      if (list(slot.with, 0, places[i], true, state, after)) return true;
    }
    return false;
  }

  graph::Vertices vertices_;
};

}  // namespace tenure::oracle
