// TreeMatcher against a matcher that tries everything, on tiny graphs partly taken.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "match/trees.hpp"
#include "oracle/brute_tree_matcher.hpp"

namespace tenure::match {
namespace {

constexpr const char* kShapes[] = {
    "slot/core",
    "slot=2/core=2",
    "node/slot/core=2",
    "node=2/slot/socket",
    "slot=2/socket/core",
    "rack/slot/[ssd;node]",
    "rack=2/slot/node/core",
    "node/[slot=2{a}/core;slot{b}/socket]",
    "[slot=2{a}/core;slot{b}/node]",
    "[core{x};socket{x}]",
    "[socket{x};core{x}]",
    "slot=3/[core;gpu]",
    "node{x}",
    "[node/slot{a}/gpu;slot{b}/socket/core]",
};

RC_GTEST_PROP(TreeMatcherProperty, FitsExactlyWhenSomeChoiceFitsUnderEveryPolicy, ()) {
  LabShape lab{.memories = 0, .ssds = 1};
  lab.racks = *rc::gen::inRange(1, 3);
  lab.nodes = *rc::gen::inRange(1, 3);
  lab.sockets = *rc::gen::inRange(1, 3);
  lab.cores = *rc::gen::inRange(1, 3);
  const auto graph = make_lab(lab);
  const graph::Vertices vertices(graph);
  profile::Profile profile(graph);
  const Span span{Time(), Time() + Duration::seconds(10)};
  oracle::BruteTreeMatcher::State state;
  vertices.for_each_in_preorder(vertices.root(), [&](graph::Vertex v) {
    state.free.insert(v);
    return true;
  });
  graph::ResourceSet held;
  for (std::uint32_t n = 0; n < graph.node_count(); ++n) {
    const graph::Shape& shape = graph.shape_of(NodeIndex(n));
    graph::UnitMask mask(shape.units);
    for (std::uint32_t l = 1; l < shape.end(); ++l) {
      if (*rc::gen::inRange(0, 8) == 0) shape.add_subtree(l, mask);
    }
    for (std::uint32_t l = 1; l < shape.end(); ++l) {
      if (mask.test(shape.unit_of(l))) state.free.erase(graph::Vertex::inside(NodeIndex(n), l));
    }
    if (mask == graph::UnitMask::full(shape.units) && n < graph.target_count()) {
      state.free.erase(graph::Vertex::target(NodeIndex(n)));
    }
    held.append_part(NodeIndex(n), mask, shape);
  }
  profile.add(span, held);
  const std::string shape =
      *rc::gen::elementOf(std::vector<std::string>(std::begin(kShapes), std::end(kShapes)));
  const TreeRequest request = request_of(shape);
  const bool fits = oracle::BruteTreeMatcher(graph).fits(request.alternatives.front(), state);
  for (const char* policy : {"low", "high", "lonode", "hinode", "first", "locality", "variation"}) {
    TreeOptions options{.policy = *parse_selection_policy(policy)};
    const TreeOutcome outcome = TreeMatcher(graph, options).match(request, profile, span);
    const auto* placed = std::get_if<TreePlacement>(&outcome);
    RC_LOG() << shape << " under " << policy << ": " << show(graph, outcome) << "\n";
    RC_ASSERT((placed != nullptr) == fits);
    if (placed != nullptr) RC_ASSERT(profile.is_free(span, placed->selection.held));
    options.filters = *PruneFilters::parse("ALL:core,ALL:node,rack:ssd,node:gpu");
    const TreeOutcome pruned = TreeMatcher(graph, options).match(request, profile, span);
    RC_ASSERT(show(graph, pruned) == show(graph, outcome));
  }
}

}  // namespace
}  // namespace tenure::match
