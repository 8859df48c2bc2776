// Constraint: RFC 31 job constraints, parsed once, evaluated as bitset algebra.
//
// Invariants
//  1. A parsed constraint is immutable and holds no pointer into a graph.
//  2. Nesting is at most kMaxConstraintDepth, values at most kMaxConstraintValues and host
//     names at most kMaxConstraintHosts in all.
//  3. Empty cases are RFC 31's: {} and {"and":[]} and {"or":[]} match all, {"not":[]} none.
//     An operator without values: properties, hostlist and ranks match all.
//  4. Reduced form: `always` and `never` are no operands, no conjunction is an operand of a
//     conjunction nor a disjunction of a disjunction, both have two operands or more, a
//     negation has one that is no negation; hosts are sorted and unique.
//  5. parse(to_json()) gives an equal constraint, within the same limits (both() may add
//     one level of nesting).
//
// A property value is taken literally, suffix ("amd@gpu") and leading '+' included; a
// leading '^' negates it. Names that no node has match nothing and are no error.
//
// Evaluation is O(values x nodes / 64), with O(log nodes) more for each host.
#pragma once

#include <boost/json.hpp>

#include <string>
#include <vector>

#include "base/idset.hpp"
#include "base/result.hpp"
#include "graph/resource_graph.hpp"

namespace tenure::jobspec {

inline constexpr int kMaxConstraintDepth = 32;
inline constexpr std::size_t kMaxConstraintValues = 65'536;
inline constexpr std::size_t kMaxConstraintHosts = 1'048'576;

class Constraint {
 public:
  Constraint() = default;  ///< matches everything

  /// Errors: `invalid` naming the operator and the value; `limit` for the bounds above.
  static Result<Constraint> parse(const boost::json::value& json);

  bool always() const { return op_ == Op::always; }
  /// True when no node of any graph can satisfy it ({"not": []}).
  bool never() const { return op_ == Op::never; }
  /// The nodes of the graph that satisfy the constraint, whether up or not.
  graph::NodeSet evaluate(const graph::ResourceGraph& graph) const;
  /// A canonical text, the serialized to_json(): equal texts mean equal constraints (a cache
  /// key and a display form).
  std::string to_string() const;
  /// Both must hold.
  static Constraint both(Constraint a, Constraint b);
  /// An RFC 31 object.
  boost::json::value to_json() const;

  friend bool operator==(const Constraint&, const Constraint&) = default;

 private:
  enum class Op { always, never, property, hosts, ranks, all_of, any_of, none_of };
  class Parser;

  explicit Constraint(Op op) : op_(op) {}
  static Constraint all_of(std::vector<Constraint> operands);
  static Constraint any_of(std::vector<Constraint> operands);
  static Constraint none_of(Constraint operand);
  bool is_property_literal() const;
  boost::json::array conjunction_to_json() const;

  Op op_ = Op::always;
  std::string property_;
  std::vector<std::string> hosts_;
  Idset ranks_;
  std::vector<Constraint> operands_;
};

}  // namespace tenure::jobspec
