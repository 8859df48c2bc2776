#include <boost/unordered/unordered_flat_map.hpp>

#include <charconv>

#include "graph/formats/jgf.hpp"
#include "graph/formats/json_field.hpp"
#include "graph/graph_builder.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;

/// The number a text writes without leading zeroes or sign, or nullopt.
std::optional<std::int64_t> plain_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || text.front() == '-') return {};
  if (text.size() > 1 && text.front() == '0') return {};
  return number;
}

/// Ids of the document to vertices; numbers, the usual form, cost 16 bytes.
class Ids {
 public:
  /// False when the id is known already.
  bool add(std::string_view id, GraphBuilder::Handle vertex) {
    if (const auto number = plain_number(id)) return numbers_.try_emplace(*number, vertex).second;
    return texts_.try_emplace(std::string(id), vertex).second;
  }
  std::optional<GraphBuilder::Handle> find(const std::string& id) const {
    if (id.empty()) return std::nullopt;
    if (const auto number = plain_number(id)) {
      const auto found = numbers_.find(*number);
      if (found == numbers_.end()) return std::nullopt;
      return found->second;
    }
    const auto found = texts_.find(id);
    if (found == texts_.end()) return std::nullopt;
    return found->second;
  }

 private:
  boost::unordered_flat_map<std::int64_t, GraphBuilder::Handle> numbers_;
  boost::unordered_flat_map<std::string, GraphBuilder::Handle> texts_;
};

}  // namespace

class JgfGraphReader::Collector : public JgfSink {
 public:
  Result<void> add(const JgfVertex& vertex) override {
    const auto name = name_of(vertex);
    if (!name) return name.error();
    VertexSpec spec{.type = vertex.type,
                    .basename = vertex.basename,
                    .name = *name,
                    .id = -1,
                    .uniq_id = uniq_id_of(vertex),
                    .rank = vertex.rank,
                    .size = vertex.size,
                    .unit = vertex.unit,
                    .status = vertex.status};
    spec.id = vertex.number ? *vertex.number : default_id(spec);
    const auto handle = builder_.add(spec);
    if (!handle) return within("metadata", handle.error());
    if (!ids_.add(vertex.id, *handle)) {
      return failure(ErrorCode::invalid, "id: {} is given twice", show_text(vertex.id));
    }
    for (const auto& [key, value] : vertex.properties) builder_.set_property(*handle, key, value);
    return {};
  }

  Result<void> add(const JgfEdge& edge) override {
    const auto from = ids_.find(edge.source);
    const auto to = ids_.find(edge.target);
    if (from && to) {
      connect(edge, *from, *to);
    } else {
      pending_.push_back(edge);  // its vertices may come behind the edges
    }
    return {};
  }

  Result<ResourceGraph> build() && {
    for (const JgfEdge& edge : pending_) {
      const auto from = ids_.find(edge.source);
      const auto to = ids_.find(edge.target);
      if (!from || !to) {
        return failure(ErrorCode::invalid, "graph.edges: no vertex has the id {} of an edge's {}",
                       show_text(from ? edge.target : edge.source), from ? "target" : "source");
      }
      connect(edge, *from, *to);
    }
    ids_ = Ids();  // before the builder needs its memory
    Result<ResourceGraph> graph = std::move(builder_).build();
    if (!graph) return within("graph", graph.error());
    return graph;
  }

 private:
  void connect(const JgfEdge& edge, GraphBuilder::Handle from, GraphBuilder::Handle to) {
    if (edge.subsystem == kContainment) {
      builder_.contain(from, to);
    } else {
      builder_.relate(edge.subsystem, from, to, edge.relation);
    }
  }

  /// The name that the vertex has or its path ends with; "": basename and id make it.
  static Result<std::string_view> name_of(const JgfVertex& vertex) {
    const std::string_view path = vertex.path();
    const std::string_view last = path.substr(path.rfind('/') + 1);
    if (path.empty()) return std::string_view(vertex.name);
    if (path.front() != '/' || last.empty()) {
      return failure(ErrorCode::invalid, "metadata.paths.containment: {} is not an absolute path",
                     show_text(path));
    }
    if (vertex.name.empty() || vertex.name == last) return last;
    return failure(ErrorCode::invalid, "metadata.name: {} is not the end of the path {}",
                   show_text(vertex.name), show_text(path));
  }

  static std::optional<std::int64_t> uniq_id_of(const JgfVertex& vertex) {
    if (vertex.uniq_id) return vertex.uniq_id;
    const auto number = plain_number(vertex.id);
    return number && *number <= kMaxUniqId ? number : std::nullopt;
  }

  static std::int64_t default_id(const VertexSpec& spec) {
    const bool is_node = spec.type == "node" || spec.type == "storage_node";
    return is_node ? trailing_number(spec.name) : spec.uniq_id.value_or(-1);
  }

  GraphBuilder builder_;
  Ids ids_;
  std::vector<JgfEdge> pending_;
};

JgfGraphReader::JgfGraphReader(Graphs graphs)
    : collector_(std::make_unique<Collector>()),
      stream_(graphs == Graphs::read ? collector_.get() : nullptr) {}
JgfGraphReader::~JgfGraphReader() = default;

Result<void> JgfGraphReader::write(std::string_view piece) { return stream_.write(piece); }

Result<JgfGraphReader::Parts> JgfGraphReader::finish_any() {
  Result<json::object> rest = stream_.finish();
  if (!rest) return rest.error();
  if (!stream_.has_graph()) return Parts{std::nullopt, *std::move(rest)};
  Result<ResourceGraph> graph = std::move(*collector_).build();
  if (!graph) return graph.error();
  return Parts{*std::move(graph), *std::move(rest)};
}

Result<JgfDocument> JgfGraphReader::finish() {
  Result<Parts> parts = finish_any();
  if (!parts) return parts.error();
  if (!parts->graph) return failure(ErrorCode::invalid, "graph: is missing");
  return JgfDocument{*std::move(parts->graph), std::move(parts->rest)};
}

Result<JgfDocument> read_jgf_graph(std::string_view text) {
  JgfGraphReader reader;
  if (auto done = reader.write(text); !done) return done.error();
  return reader.finish();
}

Result<JgfDocument> read_jgf_graph(const json::value& document) {
  JgfGraphReader reader;
  if (auto done = write_pieces(document, [&](auto piece) { return reader.write(piece); }); !done) {
    return done.error();
  }
  return reader.finish();
}

}  // namespace tenure::graph
