// Outline: a graph as the few kinds of vertices that it is made of.
//
// Vertices with the same type, basename, size and unit and the same kinds below them are one
// kind: a machine of 16 384 equal nodes of 100 vertices has as many kinds as one of them has
// levels and types. A regular graph's outline is the recipe it could be generated from.
//
// Invariants
//  1. kinds() is ordered from the root: what is below a kind comes behind it.
//  2. Each kind's `total` is the number of its vertices in the graph.
//
// Vertices lost by shrink or removal are counted: an outline describes what was built.
// O(interior + nodes + vertices of the shapes + relations).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/resource_graph.hpp"

namespace tenure::graph {

class Outline {
 public:
  struct Below {
    std::uint32_t kind;
    std::uint64_t count;  ///< below each vertex of the kind above
    friend bool operator==(const Below&, const Below&) = default;
  };
  struct Kind {
    std::string type;
    std::string basename;
    std::int64_t size = 1;
    std::string unit = {};
    std::vector<Below> below = {};  ///< in the order of the graph
    std::uint64_t total = 0;
    std::string subsystem = {};  ///< of vertices outside of containment; empty: containment
    friend bool operator==(const Kind&, const Kind&) = default;
  };
  /// Relations of an auxiliary subsystem between vertices of two kinds.
  struct Link {
    std::uint32_t from;
    std::uint32_t to;
    std::string subsystem;
    std::string relation;
    std::uint64_t count;
    friend bool operator==(const Link&, const Link&) = default;
  };

  explicit Outline(const ResourceGraph& graph);

  /// kinds()[0] is the root.
  std::span<const Kind> kinds() const { return kinds_; }
  std::span<const Link> links() const { return links_; }
  /// Levels of containment: 1 for a root alone.
  std::uint32_t depth() const;

  friend bool operator==(const Outline&, const Outline&) = default;

 private:
  class Maker;
  std::vector<Kind> kinds_;
  std::vector<Link> links_;
};

/// "node", "memory 4 GB", "ssd ssd 100 GB" …: what a kind is, for people.
std::string describe_kind(const Outline::Kind& kind);

}  // namespace tenure::graph
