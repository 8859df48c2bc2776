// SelectionPolicy: which of the resources that would do are taken.
//
// Every policy is an order of candidates plus three switches, as sites write them:
// "policy=high node_centric=true stop_on_1_matches=true". Ties follow the order of the graph.
//
//   name         equals                    choice
//   low, high                              lowest (highest) ids first
//   lonode …     + node_centric            nodes by id first, then ids inside the node
//   lonodex …    + node_exclusive          the same, nodes are taken whole
//   first        hinode + stop_on_1_matches  most free first, then the highest uniq_id
//   firstnodex   + node_exclusive
//   locality                               the largest runs of consecutive ids
//   variation                              nodes of performance classes that lie close
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "graph/vertices.hpp"

namespace tenure::match {

/// The property of `variation`: 0 .. 9999; missing or bad: 9999.
inline constexpr std::string_view kPerfClass = "perf_class";

struct SelectionPolicy {
  enum class Order { low, high, locality, variation };
  enum class Switch { off, on };

  Order order = Order::low;
  Switch node_centric = Switch::off;
  Switch node_exclusive = Switch::off;
  Switch stop_on_first = Switch::off;

  bool is_node_centric() const { return node_centric == Switch::on; }
  bool is_node_exclusive() const { return node_exclusive == Switch::on; }
  bool stops_on_first() const { return stop_on_first == Switch::on; }
  friend bool operator==(const SelectionPolicy&, const SelectionPolicy&) = default;
};

/// A name of the table or "key=value key=value …". Errors: `invalid` with the word.
Result<SelectionPolicy> parse_selection_policy(std::string_view text);

/// The class of the node that v is or is in (of v itself outside of nodes).
std::int64_t perf_class(const graph::Vertices& vertices, graph::Vertex v);

}  // namespace tenure::match
