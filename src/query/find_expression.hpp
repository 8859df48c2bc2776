// FindExpression: which vertices `find` shows.
//
//   status=up|down   sched-now=allocated|free   sched-future=reserved|free   names=HOSTLIST
//   property=NAME    agfilter=true|t|false|f    jobid-alloc=ID  jobid-span=ID
//   jobid-tag=ID     jobid-reserved=ID
//
// Predicates stand beside each other or are joined by `and`, `or` and parentheses; they bind
// from left to right, without precedence, as in the shell that this one replaces. Values are
// compared without regard to case. At most kMaxFindDepth parentheses deep. Linear in the text.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tenure::query {

inline constexpr int kMaxFindDepth = 100;

struct Predicate {
  enum class Kind {
    up,
    down,
    allocated,
    free_now,
    reserved,
    free_later,
    names,
    property,
    everything,
    nothing,
    job_allocated,
    job_span,
    job_tag,
    job_reserved,
  };
  Kind kind = Kind::everything;
  std::string name{};  ///< of property, in lower case
  std::set<std::string> names{};
  std::int64_t job = 0;
};

class FindExpression {
 public:
  /// Errors: `invalid`, "invalid criteria: TEXT.".
  static Result<FindExpression> parse(std::string_view text);

  /// The value for one vertex, for which `holds` answers each predicate.
  bool matches(const std::function<bool(const Predicate&)>& holds) const;
  /// True when agfilter=true stands anywhere in it.
  bool shows_filters() const;

 private:
  friend class FindParser;
  enum class Op { predicate, both, either };
  Op op_ = Op::predicate;
  Predicate predicate_;
  std::vector<FindExpression> operands_;  ///< two, unless a predicate
};

}  // namespace tenure::query
