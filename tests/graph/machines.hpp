// Small irregular machines for tests: gaps in the ranks, nodes of four shapes.
#pragma once

#include <rapidcheck.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/resource_graph.hpp"

namespace tenure::graph {

inline Pool pool(std::string type, std::uint32_t count) {
  Pool pool{std::move(type), {}, 0};
  for (std::uint32_t id = 0; id < count; ++id) pool.ids.push_back(id);
  return pool;
}

/// Nodes with these ranks and shapes: 0 storage, 1 four cores, 2 four cores and two gpus,
/// 3 seventy cores (more than a word). Hosts are n0, n1, … by position.
inline ResourceGraph make_machine(const std::vector<std::pair<std::uint32_t, int>>& nodes) {
  ResourceGraph::Builder builder;
  const ShapeId shapes[] = {builder.add_shape({}), builder.add_shape({pool("core", 4)}),
                            builder.add_shape({pool("gpu", 2), pool("core", 4)}),
                            builder.add_shape({pool("core", 70)})};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    builder.add_node(Rank(nodes[i].first), "n" + std::to_string(i), shapes[nodes[i].second]);
  }
  return *std::move(builder).build();
}

/// 1 to `most` nodes with ascending ranks, most of them consecutive.
inline rc::Gen<std::vector<std::pair<std::uint32_t, int>>> machine_nodes(int most) {
  return rc::gen::exec([most] {
    std::vector<std::pair<std::uint32_t, int>> nodes;
    const int count = *rc::gen::inRange(1, most + 1);
    std::uint32_t rank = 0;
    for (int i = 0; i < count; ++i) {
      rank += *rc::gen::element<std::uint32_t>(1, 1, 1, 1, 2, 5);
      nodes.emplace_back(rank, *rc::gen::element(0, 1, 1, 2, 2, 3));
    }
    return nodes;
  });
}

/// A set of numbers below `size`. Through a vector, since drawing a set directly gives up
/// when there are too few different numbers.
inline rc::Gen<std::set<std::uint32_t>> subsets(std::uint32_t size) {
  return rc::gen::map(
      rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, size)),
      [](const std::vector<std::uint32_t>& numbers) {
        return std::set<std::uint32_t>(numbers.begin(), numbers.end());
      });
}

/// Naive resources: the units taken of each node. Storage nodes have one pretended unit.
using Naive = std::map<std::uint32_t, std::set<std::uint32_t>>;

inline std::uint32_t naive_units(const ResourceGraph& graph, std::uint32_t node) {
  return std::max(1U, graph.shape_of(NodeIndex(node)).units);
}

/// Holds no reference to the graph: a generator shrinks when the test's locals are gone.
inline rc::Gen<Naive> naive_resources(const ResourceGraph& graph) {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    counts.push_back(naive_units(graph, node));
  }
  return rc::gen::exec([counts] {
    Naive naive;
    for (std::uint32_t node = 0; node < counts.size(); ++node) {
      switch (*rc::gen::element(0, 0, 1, 1, 2)) {
        case 1:
          for (std::uint32_t unit = 0; unit < counts[node]; ++unit) naive[node].insert(unit);
          break;
        case 2: {
          const auto some = *subsets(counts[node]);
          if (!some.empty()) naive[node] = some;
          break;
        }
        default:
          break;
      }
    }
    return naive;
  });
}

inline ResourceSet to_set(const ResourceGraph& graph, const Naive& naive) {
  ResourceSet set;
  for (const auto& [node, units] : naive) {
    const Shape& shape = graph.shape_of(NodeIndex(node));
    UnitMask mask(shape.units);
    if (shape.units > 0) {
      for (const std::uint32_t unit : units) mask.set(unit);
    }
    set.append_part(NodeIndex(node), mask, shape);
  }
  return set;
}

inline Naive to_naive(const ResourceGraph& graph, const ResourceSet& set) {
  Naive naive;
  for (const NodeRange& range : set.whole()) {
    for (std::uint32_t node = range.first.value(); node <= range.last.value(); ++node) {
      for (std::uint32_t u = 0; u < naive_units(graph, node); ++u) naive[node].insert(u);
    }
  }
  for (const NodePart& part : set.parts()) {
    const std::uint32_t node = part.node.value();
    for (std::uint32_t u = 0; u < naive_units(graph, node); ++u) {
      if (part.units.test(u)) naive[node].insert(u);
    }
  }
  return naive;
}

}  // namespace tenure::graph
