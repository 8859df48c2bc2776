#include "graph/graph_copy.hpp"

#include <algorithm>

namespace tenure::graph {
namespace {

using Handle = GraphBuilder::Handle;

class Copier {
 public:
  Copier(const ResourceGraph& graph, GraphBuilder& builder, const VertexEdit& edit)
      : graph_(graph), vertices_(graph), builder_(builder), edit_(edit) {}

  Result<boost::unordered_flat_map<Vertex, Handle>> run() {
    Result<void> status;
    vertices_.for_each_in_preorder(vertices_.root(), [&](Vertex v) {
      if (!status) return false;
      auto added = add(v);
      if (!added) status = added.error();
      return added && *added;
    });
    if (!status) return status.error();
    for (const Subsystem& subsystem : graph_.topology().subsystems()) {
      if (auto done = relate(subsystem); !done) return done.error();
    }
    return std::move(copies_);
  }

 private:
  Status status_of(Vertex v) const {
    if (!v.is_target()) return graph_.status(v);
    const auto down = graph_.down_in_input();
    return std::binary_search(down.begin(), down.end(), v.holder()) ? Status::down : Status::up;
  }

  /// False when the vertex is left out.
  Result<bool> add(Vertex v) {
    const std::string name = vertices_.name(v);
    VertexSpec spec{.type = vertices_.type(v),
                    .basename = vertices_.basename(v),
                    .name = name,
                    .id = vertices_.id(v),
                    .uniq_id = vertices_.uniq_id(v),
                    .rank = vertices_.rank(v),
                    .size = vertices_.size(v),
                    .unit = vertices_.unit(v),
                    .status = status_of(v)};
    if (!edit_(v, spec)) return false;
    const auto handle = builder_.add(spec);
    if (!handle) return handle.error();
    copies_.emplace(v, *handle);
    const auto parent = vertices_.parent(v);
    if (parent && vertices_.is_contained(v)) builder_.contain(copies_.at(*parent), *handle);
    for (const auto& [key, value] : graph_.properties_of(v)) {
      builder_.set_property(*handle, key, value);
    }
    return true;
  }

  /// Adds a vertex outside of containment when it has not been yet.
  Result<bool> reach(Vertex v) {
    if (copies_.contains(v)) return true;
    if (vertices_.is_contained(v) || !vertices_.is_present(v)) return false;
    return add(v);
  }

  Result<void> relate(const Subsystem& subsystem) {
    for (const Relation& relation : subsystem.relations()) {
      for (const Vertex end : {relation.from, relation.to}) {
        const auto reached = reach(end);
        if (!reached) return reached.error();
      }
      const auto from = copies_.find(relation.from);
      const auto to = copies_.find(relation.to);
      if (from == copies_.end() || to == copies_.end()) continue;
      builder_.relate(subsystem.name(), from->second, to->second,
                      graph_.topology().relation_kinds()[relation.kind]);
    }
    return {};
  }

  const ResourceGraph& graph_;
  const Vertices vertices_;
  GraphBuilder& builder_;
  const VertexEdit& edit_;
  boost::unordered_flat_map<Vertex, Handle> copies_;
};

}  // namespace

Result<boost::unordered_flat_map<Vertex, Handle>> copy_vertices(const ResourceGraph& graph,
                                                                GraphBuilder& builder,
                                                                const VertexEdit& edit) {
  return Copier(graph, builder, edit).run();
}

}  // namespace tenure::graph
