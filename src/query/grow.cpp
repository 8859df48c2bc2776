// Growing a graph: its vertices and those of a JGF go through GraphBuilder together.
#include <boost/unordered/unordered_flat_map.hpp>

#include <string>
#include <vector>

#include "graph/formats/jgf_stream.hpp"
#include "graph/graph_builder.hpp"
#include "graph/vertices.hpp"
#include "query/claims.hpp"

namespace tenure::query {

using graph::GraphBuilder;
using graph::Vertex;

namespace {

class Grower final : public graph::JgfSink {
 public:
  explicit Grower(const graph::ResourceGraph& graph) : graph_(graph), vertices_(graph) {}

  /// All that the graph has.
  Result<void> copy() {
    Result<void> result;
    const auto copy_one = [&](Vertex v) {
      if (result) result = copy(v);
      return result.has_value();
    };
    vertices_.for_each_in_preorder(vertices_.root(), copy_one);
    const graph::Topology& topology = graph_.topology();
    for (std::uint32_t s = 0; s < topology.subsystems().size() && result; ++s) {
      if (const auto group = topology.group_of(s)) {
        for (std::uint32_t l = 1; l < graph_.shape_of(*group).end(); ++l) {
          copy_one(Vertex::inside(*group, l));
        }
      }
    }
    if (!result) return result;
    for (const graph::Subsystem& subsystem : topology.subsystems()) {
      for (const graph::Relation& relation : subsystem.relations()) {
        if (!handles_.contains(relation.from) || !handles_.contains(relation.to)) continue;
        builder_.relate(subsystem.name(), handles_.at(relation.from), handles_.at(relation.to),
                        topology.relation_kinds()[relation.kind]);
      }
    }
    return {};
  }

  Result<void> add(const graph::JgfVertex& vertex) override {
    const std::string path(vertex.path());
    if (const auto known = vertices_.find_path(path)) {
      if (vertices_.rank(*known) != vertex.rank) {
        return failure(ErrorCode::invalid, "{}: rank {} is not that of the graph, {}",
                       in_quotes(path), vertex.rank, vertices_.rank(*known));
      }
      by_id_.emplace(vertex.id, handles_.at(*known));
      return {};
    }
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || slash == 0) {
      return failure(ErrorCode::invalid, "{}: the root of the graph is {}", in_quotes(path),
                     in_quotes(vertices_.path(vertices_.root())));
    }
    const std::string name = vertex.name.empty() ? path.substr(slash + 1) : vertex.name;
    graph::VertexSpec spec{.type = vertex.type, .basename = vertex.basename, .name = name};
    spec.id = vertex.number.value_or(-1);
    spec.rank = vertex.rank;
    spec.size = vertex.size;
    spec.unit = vertex.unit;
    spec.status = vertex.status;
    const auto handle = builder_.add(spec);
    if (!handle) return within(path, handle.error());
    for (const auto& [key, value] : vertex.properties) builder_.set_property(*handle, key, value);
    by_id_.emplace(vertex.id, *handle);
    added_.push_back({*handle, path.substr(0, slash), path});
    by_path_.emplace(path, *handle);
    if (vertex.status == graph::Status::down) down_.push_back(path);
    return {};
  }

  Result<void> add(const graph::JgfEdge& edge) override {
    if (edge.subsystem == graph::kContainment) return {};  // parents are found by path
    const auto from = by_id_.find(edge.source);
    const auto to = by_id_.find(edge.target);
    if (from == by_id_.end() || to == by_id_.end()) {
      return failure(ErrorCode::invalid, "edge from {} to {}: one of them is not there",
                     in_quotes(edge.source), in_quotes(edge.target));
    }
    builder_.relate(edge.subsystem, from->second, to->second, edge.relation);
    return {};
  }

  Result<graph::ResourceGraph> finish() && {
    for (const Added& added : added_) {
      if (const auto known = vertices_.find_path(added.parent)) {
        builder_.contain(handles_.at(*known), added.handle);
      } else if (const auto other = by_path_.find(added.parent); other != by_path_.end()) {
        builder_.contain(other->second, added.handle);
      } else {
        return failure(ErrorCode::invalid, "{}: there is no {} to be in", in_quotes(added.path),
                       in_quotes(added.parent));
      }
    }
    auto graph = std::move(builder_).build();
    if (!graph) return graph;
    graph->mark_up_all();
    const graph::Vertices grown(*graph);
    for (const std::string& path : down_) {
      if (const auto v = grown.find_path(path)) graph->set_status(*v, graph::Status::down);
    }
    return graph;
  }

 private:
  struct Added {
    GraphBuilder::Handle handle;
    std::string parent;
    std::string path;
  };

  Result<void> copy(Vertex v) {
    const std::string name = vertices_.name(v);
    graph::VertexSpec spec{
        .type = vertices_.type(v), .basename = vertices_.basename(v), .name = name};
    spec.id = vertices_.id(v);
    spec.uniq_id = vertices_.uniq_id(v);
    spec.rank = vertices_.rank(v);
    spec.size = vertices_.size(v);
    spec.unit = vertices_.unit(v);
    const auto handle = builder_.add(spec);
    if (!handle) return handle.error();
    handles_.emplace(v, *handle);
    for (const auto& [key, value] : vertices_.properties(v)) {
      builder_.set_property(*handle, key, value);
    }
    if (const auto parent = vertices_.parent(v)) builder_.contain(handles_.at(*parent), *handle);
    if (vertices_.status(v) == graph::Status::down) down_.push_back(vertices_.path(v));
    return {};
  }

  const graph::ResourceGraph& graph_;
  graph::Vertices vertices_;
  GraphBuilder builder_;
  boost::unordered_flat_map<Vertex, GraphBuilder::Handle> handles_;
  boost::unordered_flat_map<std::string, GraphBuilder::Handle> by_id_;
  boost::unordered_flat_map<std::string, GraphBuilder::Handle> by_path_;
  std::vector<Added> added_;
  std::vector<std::string> down_;
};

}  // namespace

Result<graph::ResourceGraph> grow(const graph::ResourceGraph& graph, std::string_view jgf) {
  Grower grower(graph);
  if (auto copied = grower.copy(); !copied) return copied.error();
  if (auto read = graph::read_jgf(jgf, grower); !read) return read.error();
  return std::move(grower).finish();
}

}  // namespace tenure::query
