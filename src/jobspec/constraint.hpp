// Constraint: RFC 31 job constraints, parsed once, evaluated as bitset algebra.
//
// Invariants
//  1. A parsed constraint is immutable and holds no pointer into a graph.
//  2. Nesting is at most kMaxConstraintDepth, values at most kMaxConstraintValues in all.
//  3. Empty cases are RFC 31's: {} and {"and":[]} and {"or":[]} match all, {"not":[]} none.
//     An operator without values: properties, hostlist and ranks match all.
//
// Evaluation is O(values x nodes / 64).
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

class Constraint {
 public:
  Constraint() = default;  ///< matches everything

  /// Errors: `invalid` naming the operator and the value; `limit` for the bounds above.
  static Result<Constraint> parse(const boost::json::value& json);

  bool always() const { return op_ == Op::always; }
  /// The nodes of the graph that satisfy the constraint, whether up or not.
  graph::NodeSet evaluate(const graph::ResourceGraph& graph) const;
  /// A canonical text: equal texts mean equal constraints (a cache key and a display form).
  std::string to_string() const;
  /// Both must hold.
  static Constraint both(Constraint a, Constraint b);
  boost::json::value to_json() const;

  friend bool operator==(const Constraint&, const Constraint&) = default;

 private:
  enum class Op { always, never, property, hosts, ranks, all_of, any_of, none_of };

  Op op_ = Op::always;
  std::string property_;
  std::vector<std::string> hosts_;
  Idset ranks_;
  std::vector<Constraint> operands_;
};

}  // namespace tenure::jobspec
