#include "graph/outline.hpp"

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "graph/vertices.hpp"

namespace tenure::graph {

class Outline::Maker {
 public:
  Maker(const ResourceGraph& graph, Outline& outline)
      : graph_(graph), topology_(graph.topology()), vertices_(graph), outline_(outline) {}

  void run() {
    for (const Shape& shape : graph_.shapes()) inside_.push_back(kinds_inside(shape));
    // Parents have smaller numbers: from the back everything below is known.
    interior_.resize(topology_.interior().size());
    for (auto i = static_cast<std::uint32_t>(interior_.size()); i-- > 0;) {
      const Vertex v = Vertex::interior(i);
      Tally below;
      for (const Vertex child : topology_.children(i)) below.add(kind_of(child));
      interior_[i] = find(v, below.take(), {});
    }
    add_outside();
    add_links();
    order_from_root();
  }

 private:
  using Kinds = std::vector<std::uint32_t>;  ///< by local number; [0] has no meaning

  /// Counts kinds in the order in which they come.
  class Tally {
   public:
    void add(std::uint32_t kind) {
      const auto [place, is_new] = places_.try_emplace(kind, below_.size());
      if (is_new) below_.push_back({kind, 0});
      ++below_[place->second].count;
    }
    std::vector<Below> take() { return std::move(below_); }

   private:
    std::vector<Below> below_;
    boost::unordered_flat_map<std::uint32_t, std::size_t> places_;
  };

  std::uint32_t find(Kind kind) {
    std::size_t hash = 0;
    for (const std::string* text : {&kind.type, &kind.basename, &kind.unit, &kind.subsystem}) {
      boost::hash_combine(hash, *text);
    }
    boost::hash_combine(hash, kind.size);
    for (const Below& below : kind.below) {
      boost::hash_combine(hash, below.kind);
      boost::hash_combine(hash, below.count);
    }
    std::vector<std::uint32_t>& same_hash = by_hash_[hash];
    for (const std::uint32_t known : same_hash) {
      if (kinds_[known] == kind) return known;
    }
    same_hash.push_back(static_cast<std::uint32_t>(kinds_.size()));
    kinds_.push_back(std::move(kind));
    return same_hash.back();
  }

  std::uint32_t find(Vertex v, std::vector<Below> below, std::string_view subsystem) {
    return find(Kind{.type = vertices_.type(v),
                     .basename = vertices_.basename(v),
                     .size = vertices_.size(v),
                     .unit = vertices_.unit(v),
                     .below = std::move(below),
                     .subsystem = std::string(subsystem)});
  }

  std::vector<Below> below_of(const Shape& shape, std::uint32_t local, const Kinds& kinds) const {
    Tally below;
    const std::uint32_t end = shape.subtree_end(local);
    for (std::uint32_t l = local + 1; l < end; l = shape.subtree_end(l)) below.add(kinds[l]);
    return below.take();
  }

  Kinds kinds_inside(const Shape& shape) {
    Kinds kinds(shape.end());
    for (std::uint32_t l = shape.end(); l-- > 1;) {
      kinds[l] = find(Kind{.type = shape.type(l),
                           .basename = shape.basename(l),
                           .size = shape.size(l),
                           .unit = shape.unit(l),
                           .below = below_of(shape, l, kinds)});
    }
    return kinds;
  }

  /// Of a vertex whose inside is known.
  std::uint32_t kind_of(Vertex v) {
    if (v.is_interior()) return interior_[v.index()];
    const ShapeId shape = graph_.node(v.holder()).shape;
    if (v.is_inner()) {
      const auto outside = outside_.find(v);
      return outside == outside_.end() ? inside_[shape.value()][v.local()] : outside->second;
    }
    const std::pair key{topology_.target(v.holder()).kind, shape};
    const auto known = targets_.find(key);
    if (known != targets_.end()) return known->second;
    auto below = below_of(graph_.shape(shape), 0, inside_[shape.value()]);
    return targets_.emplace(key, find(v, std::move(below), {})).first->second;
  }

  /// Vertices of subsystems alone: relations tell what is below them, so they are leaves here.
  void add_outside() {
    for (std::uint32_t s = 0; s < topology_.subsystems().size(); ++s) {
      const auto group = topology_.group_of(s);
      if (!group) continue;
      for (std::uint32_t l = 1; l < graph_.shape_of(*group).end(); ++l) {
        const Vertex v = Vertex::inside(*group, l);
        const std::uint32_t kind = find(v, {}, topology_.subsystems()[s].name());
        outside_.emplace(v, kind);
        ++outside_totals_[kind];
      }
    }
  }

  void add_links() {
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, relation
    for (const Subsystem& subsystem : topology_.subsystems()) {
      std::map<Key, std::uint64_t> counts;
      for (const Relation& relation : subsystem.relations()) {
        ++counts[{kind_of(relation.from), kind_of(relation.to), relation.kind}];
      }
      for (const auto& [key, count] : counts) {
        outline_.links_.push_back({std::get<0>(key), std::get<1>(key), subsystem.name(),
                                   topology_.relation_kinds()[std::get<2>(key)], count});
      }
    }
  }

  /// The kinds that are used, in preorder from the root as far as what is above comes first.
  void order_from_root() {
    const std::uint32_t root = interior_.front();
    std::vector<std::uint64_t> totals(kinds_.size(), 0);
    totals[root] = 1;
    std::vector<std::uint32_t> level(kinds_.size(), 0);
    for (auto k = static_cast<std::uint32_t>(kinds_.size()); k-- > 0;) {  // below has less
      for (const Below& below : kinds_[k].below) {
        totals[below.kind] += totals[k] * below.count;
        level[below.kind] = std::max(level[below.kind], level[k] + 1);
      }
    }
    for (const auto& [kind, count] : outside_totals_) totals[kind] = count;
    std::vector<std::uint32_t> order;
    for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
      if (totals[k] > 0) order.push_back(k);
    }
    const std::vector<std::uint32_t> seen = first_seen(root);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(!kinds_[a].subsystem.empty(), level[a], seen[a]) <
             std::tuple(!kinds_[b].subsystem.empty(), level[b], seen[b]);
    });
    std::vector<std::uint32_t> number(kinds_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    for (const std::uint32_t k : order) {
      outline_.kinds_.push_back(kinds_[k]);
      outline_.kinds_.back().total = totals[k];
      for (Below& below : outline_.kinds_.back().below) below.kind = number[below.kind];
    }
    for (Link& link : outline_.links_) {
      link.from = number[link.from];
      link.to = number[link.to];
    }
  }

  /// Place in a walk from the root; what is outside comes last.
  std::vector<std::uint32_t> first_seen(std::uint32_t root) const {
    std::vector<std::uint32_t> seen(kinds_.size(), static_cast<std::uint32_t>(kinds_.size()));
    std::vector<std::uint32_t> ahead{root};
    std::uint32_t next = 0;
    while (!ahead.empty()) {
      const std::uint32_t k = ahead.back();
      ahead.pop_back();
      if (seen[k] < kinds_.size()) continue;
      seen[k] = next++;
      const std::vector<Below>& below = kinds_[k].below;
      for (auto b = below.rbegin(); b != below.rend(); ++b) ahead.push_back(b->kind);
    }
    return seen;
  }

  const ResourceGraph& graph_;
  const Topology& topology_;
  const Vertices vertices_;
  Outline& outline_;
  std::vector<Kind> kinds_;
  boost::unordered_flat_map<std::size_t, std::vector<std::uint32_t>> by_hash_;
  std::vector<Kinds> inside_;  ///< by shape
  std::map<std::pair<std::uint32_t, ShapeId>, std::uint32_t> targets_;
  std::vector<std::uint32_t> interior_;
  std::map<Vertex, std::uint32_t> outside_;
  std::map<std::uint32_t, std::uint64_t> outside_totals_;
};

Outline::Outline(const ResourceGraph& graph) { Maker(graph, *this).run(); }

std::uint32_t Outline::depth() const {
  std::vector<std::uint32_t> level(kinds_.size(), 1);
  std::uint32_t depth = 1;
  for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
    for (const Below& below : kinds_[k].below) {
      level[below.kind] = std::max(level[below.kind], level[k] + 1);
      depth = std::max(depth, level[below.kind]);
    }
  }
  return depth;
}

std::string describe_kind(const Outline::Kind& kind) {
  std::string text = kind.type;
  if (kind.basename != kind.type) text += fmt::format(" {}", in_quotes(kind.basename));
  if (kind.size != 1 || !kind.unit.empty()) text += fmt::format(" {}", kind.size);
  if (!kind.unit.empty()) text += " " + kind.unit;
  return text;
}

}  // namespace tenure::graph
