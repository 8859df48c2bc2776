// `find` over a ledger: what is inherited from above, and which vertices are shown.
#include <algorithm>
#include <set>

#include "query/shell.hpp"

namespace tenure::query {

using graph::Vertex;
using match::Access;
using match::Grant;

namespace {

using Kind = Predicate::Kind;

/// What holds for a vertex because it holds for one above.
struct Inherited {
  bool is_down = false;
  bool is_allocated = false;
  bool is_reserved = false;
};

class Finder {
 public:
  Finder(const Ledger& ledger, const FindExpression& expression)
      : ledger_(ledger), vertices_(ledger.graph()), expression_(expression) {
    for (const auto& [id, job] : ledger.jobs()) {
      if (job.state == JobState::canceled) continue;
      auto& held = job.state == JobState::allocated ? allocated_ : reserved_;
      for (const Grant& grant : job.selection.granted) {
        if (grant.access == Access::exclusive) held.insert(grant.vertex);
      }
    }
  }

  std::vector<Grant> find() {
    visit(vertices_.root(), {});
    return std::move(found_);
  }

 private:
  /// True when the vertex or one below it was found.
  bool visit(Vertex v, Inherited inherited) {
    inherited.is_down |= vertices_.status(v) == graph::Status::down;
    inherited.is_allocated |= allocated_.contains(v);
    inherited.is_reserved |= reserved_.contains(v);
    const std::size_t place = found_.size();
    found_.push_back({v, Access::exclusive});
    bool shown = expression_.matches(
        [&](const Predicate& predicate) { return holds(predicate, v, inherited); });
    vertices_.for_each_child(v, [&](Vertex child) { shown = visit(child, inherited) || shown; });
    if (!shown) found_.resize(place);
    return shown;
  }

  bool holds(const Predicate& predicate, Vertex v, const Inherited& inherited) const {
    switch (predicate.kind) {
      case Kind::up:
        return !inherited.is_down;
      case Kind::down:
        return inherited.is_down;
      case Kind::allocated:
        return inherited.is_allocated;
      case Kind::free_now:
        return !inherited.is_allocated;
      case Kind::reserved:
        return inherited.is_reserved;
      case Kind::free_later:
        return !inherited.is_reserved;
      case Kind::names:
        return predicate.names.contains(vertices_.name(v));
      case Kind::property:
        return has_property(v, predicate.name);
      case Kind::everything:
        return true;
      case Kind::nothing:
        return false;
      case Kind::job_allocated:
      case Kind::job_span:
      case Kind::job_tag:
      case Kind::job_reserved:
        return is_of_job(predicate, v);
    }
    return false;
  }

  bool has_property(Vertex v, const std::string& name) const {
    const auto properties = vertices_.properties(v);
    return std::ranges::any_of(properties, [&](const auto& property) {
      return std::ranges::equal(property.first, name, [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
      });
    });
  }

  bool is_of_job(const Predicate& predicate, Vertex v) const {
    const LedgerJob* job = ledger_.find(predicate.job);
    if (job == nullptr || job->state == JobState::canceled) return false;
    if (predicate.kind == Kind::job_allocated && job->state != JobState::allocated) return false;
    if (predicate.kind == Kind::job_reserved && job->state != JobState::reserved) return false;
    auto& granted = granted_[predicate.job];
    if (granted.empty()) {
      for (const Grant& grant : job->selection.granted) {
        granted.emplace(grant.vertex, grant.access);
      }
    }
    const auto found = granted.find(v);
    if (found == granted.end()) return false;
    return predicate.kind == Kind::job_tag || found->second == Access::exclusive;
  }

  const Ledger& ledger_;
  graph::Vertices vertices_;
  const FindExpression& expression_;
  std::set<Vertex> allocated_;
  std::set<Vertex> reserved_;
  mutable std::map<std::int64_t, std::map<Vertex, Access>> granted_;
  std::vector<Grant> found_;
};

}  // namespace

std::vector<Grant> find_vertices(const Ledger& ledger, const FindExpression& expression) {
  return Finder(ledger, expression).find();
}

}  // namespace tenure::query
