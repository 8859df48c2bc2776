#include "graph/formats/jgf_writer.hpp"

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

namespace tenure::graph {
namespace {

namespace json = boost::json;

bool is_plain(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
  });
}

void append_member(std::string& out, std::string_view key, std::string_view text) {
  fmt::format_to(std::back_inserter(out), ", \"{}\": ", key);
  append_json(out, text);
}

/// Appends key and value of an object one by one: ": " and ", " as everywhere in the format.
void append_object(std::string& out, const json::object& object) {
  out += '{';
  bool is_first = true;
  for (const auto& [key, value] : object) {
    if (!std::exchange(is_first, false)) out += ", ";
    append_json(out, key);
    out += ": ";
    if (const json::object* inner = value.if_object()) {
      append_object(out, *inner);
    } else {
      out += json::serialize(value);
    }
  }
  out += '}';
}

void append_paths(std::string& out, const Vertices& vertices, Vertex v, std::string_view path) {
  out += ", \"paths\": {";
  bool is_first = true;
  const auto append = [&](std::string_view subsystem, std::string_view text) {
    if (!std::exchange(is_first, false)) out += ", ";
    append_json(out, subsystem);
    out += ": ";
    append_json(out, text);
  };
  if (!path.empty()) append(kContainment, path);
  for (const Subsystem& subsystem : vertices.graph().topology().subsystems()) {
    if (const auto other = vertices.path(v, subsystem.name())) append(subsystem.name(), *other);
  }
  out += '}';
}

/// Which vertices a set has, and which are above them.
class Part {
 public:
  Part(const ResourceGraph& graph, const ResourceSet& set)
      : graph_(graph), whole_(graph.node_count()) {
    is_above_.assign(graph.topology().interior().size(), false);
    set.for_each(
        [&](NodeRange range) {
          whole_.set(range);
          for (std::uint32_t i = range.first.value(); i <= range.last.value(); ++i) {
            mark_above(NodeIndex(i));
          }
        },
        [&](const NodePart& part) {
          parts_.emplace(part.node, &part.units);
          mark_above(part.node);
        });
  }

  /// Of the set, with all below.
  bool holds(Vertex v) const {
    if (v.is_interior()) return false;
    if (whole_.test(v.holder())) return true;
    const auto part = parts_.find(v.holder());
    if (part == parts_.end() || v.local() == 0) return false;
    return graph_.shape_of(v.holder()).is_free(v.local(), *part->second);
  }
  bool has(Vertex v) const {
    if (v.is_interior()) return is_above_[v.index()];
    if (whole_.test(v.holder())) return true;
    const auto part = parts_.find(v.holder());
    if (part == parts_.end()) return false;
    const Shape& shape = graph_.shape_of(v.holder());
    for (std::uint32_t l = std::max(v.local(), 1U); l < shape.subtree_end(v.local()); ++l) {
      if (shape.is_free(l, *part->second)) return true;
    }
    return v.is_target();
  }

 private:
  void mark_above(NodeIndex holder) {
    const Topology& topology = graph_.topology();
    std::uint32_t up =
        topology.is_group(holder) ? topology.group(holder).parent : topology.target(holder).parent;
    while (up != InteriorVertex::kNoParent && !is_above_[up]) {
      is_above_[up] = true;
      up = topology.interior(up).parent;
    }
  }

  const ResourceGraph& graph_;
  NodeSet whole_;
  boost::unordered_flat_map<NodeIndex, const UnitMask*> parts_;
  std::vector<bool> is_above_;
};

/// A graph or a part of it, vertex by vertex.
class Writer {
 public:
  Writer(const ResourceGraph& graph, JgfForm form, const Part* part, const TextSink& sink)
      : graph_(graph), vertices_(graph), form_(form), part_(part), sink_(sink) {}

  void run() {
    text_ = "{\"graph\": {\"nodes\": [";
    write_vertices();
    text_ += "], \"edges\": [";
    write_edges();
    text_ += "]}";
    if (is_short_) text_ += ", \"writer\": \"fluxion:jgf_shorthand\"";
    text_ += '}';
    sink_(text_);
  }

 private:
  /// True when what is below is left out, being held with the vertex.
  bool is_closed(Vertex v) const { return form_ == JgfForm::shorthand && !v.is_interior(); }

  void next() {
    constexpr std::size_t kPiece = 1U << 16U;
    if (text_.size() >= kPiece) {
      sink_(text_);
      text_.clear();
    }
    if (!std::exchange(is_first_, false)) text_ += ", ";
  }

  void write_vertex(Vertex v, std::string_view path) {
    next();
    JgfMarks marks;
    marks.status = part_ == nullptr ? vertices_.status(v) : Status::up;
    if (part_ != nullptr && part_->holds(v)) marks.hold = JgfMarks::Hold::exclusive;
    if (is_closed(v)) {
      marks.hold = JgfMarks::Hold::exclusive;
      is_short_ = is_short_ || vertices_.has_children(v);
    }
    append_jgf_vertex(text_, vertices_, v, path, marks);
  }

  void write_vertices() {
    struct Level {
      Vertex vertex;
      std::size_t length;  ///< of the path up to the vertex
    };
    std::vector<Level> above;
    std::string path;
    vertices_.for_each_in_preorder(vertices_.root(), [&](Vertex v) {
      if (part_ != nullptr && !part_->has(v)) return false;
      if (const auto parent = vertices_.parent(v)) {
        while (above.back().vertex != *parent) above.pop_back();
        path.resize(above.back().length);
      }
      path.append("/").append(vertices_.name(v));
      above.push_back({v, path.size()});
      write_vertex(v, path);
      return !is_closed(v);
    });
    if (part_ != nullptr) return;
    for_each_outside([&](Vertex v) { write_vertex(v, {}); });
  }

  /// Calls fn for the vertices that containment does not have.
  template <class Fn>
  void for_each_outside(Fn&& fn) const {
    const Topology& topology = graph_.topology();
    for (std::uint32_t s = 0; s < topology.subsystems().size(); ++s) {
      const auto group = topology.group_of(s);
      if (!group) continue;
      const Shape& shape = graph_.shape_of(*group);
      for (std::uint32_t local = 1; local < shape.end(); ++local) {
        const Vertex v = Vertex::inside(*group, local);
        if (vertices_.is_present(v)) fn(v);
      }
    }
  }

  void write_edges() {
    is_first_ = true;
    vertices_.for_each_in_preorder(vertices_.root(), [&](Vertex v) {
      if (part_ != nullptr && !part_->has(v)) return false;
      if (const auto parent = vertices_.parent(v)) {
        next();
        append_jgf_edge(text_, {vertices_.uniq_id(*parent), vertices_.uniq_id(v)});
      }
      return !is_closed(v);
    });
    for (const Subsystem& subsystem : graph_.topology().subsystems()) {
      for (const Relation& relation : subsystem.relations()) {
        if (!is_written(relation.from) || !is_written(relation.to)) continue;
        next();
        append_jgf_edge(text_,
                        {vertices_.uniq_id(relation.from), vertices_.uniq_id(relation.to),
                         subsystem.name(), graph_.topology().relation_kinds()[relation.kind]});
      }
    }
  }

  bool is_written(Vertex v) const {
    if (!vertices_.is_present(v)) return false;
    if (part_ != nullptr) return vertices_.is_contained(v) && part_->has(v);
    if (form_ == JgfForm::whole || !v.is_inner() || !vertices_.is_contained(v)) return true;
    const auto parent = vertices_.parent(v);
    return !parent || parent->is_interior();
  }

  const ResourceGraph& graph_;
  const Vertices vertices_;
  const JgfForm form_;
  const Part* part_;  ///< nullptr: everything
  const TextSink& sink_;
  std::string text_;
  bool is_first_ = true;
  bool is_short_ = false;
};

}  // namespace

void append_json(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    out.append(1, '"').append(text).append(1, '"');
  } else {
    out += json::serialize(json::string_view(text));
  }
}

void append_jgf_vertex(std::string& out, const Vertices& vertices, Vertex v, std::string_view path,
                       const JgfMarks& marks) {
  const auto at_end = std::back_inserter(out);
  const std::string& type = vertices.type(v);
  const std::string& basename = vertices.basename(v);
  const std::string name = vertices.name(v);
  const std::int64_t id = vertices.id(v);
  fmt::format_to(at_end, "{{\"id\": \"{}\", \"metadata\": {{\"type\": ", vertices.uniq_id(v));
  append_json(out, type);
  if (basename != type) append_member(out, "basename", basename);
  if (!is_default_name(name, basename, id)) append_member(out, "name", name);
  fmt::format_to(at_end, ", \"id\": {}, \"rank\": {}", id, vertices.rank(v));
  if (marks.status == Status::down) out += ", \"status\": 1";
  if (const auto properties = vertices.properties(v); !properties.empty()) {
    out += ", \"properties\": ";
    json::object object;
    for (const auto& [key, value] : properties) object.emplace(key, value);
    append_object(out, object);
  }
  if (!vertices.unit(v).empty()) append_member(out, "unit", vertices.unit(v));
  if (marks.hold == JgfMarks::Hold::exclusive) out += ", \"exclusive\": true";
  if (vertices.size(v) != 1) fmt::format_to(at_end, ", \"size\": {}", vertices.size(v));
  append_paths(out, vertices, v, path);
  for (const auto& [key, value] : marks.extra) {
    out += ", ";
    append_json(out, key);
    out += ": ";
    if (const json::object* object = value.if_object()) {
      append_object(out, *object);
    } else {
      out += json::serialize(value);
    }
  }
  out += "}}";
}

void append_jgf_edge(std::string& out, const JgfLink& edge) {
  fmt::format_to(std::back_inserter(out), "{{\"source\": \"{}\", \"target\": \"{}\"", edge.source,
                 edge.target);
  if (edge.subsystem != kContainment) {
    out += ", \"metadata\": {\"subsystem\": ";
    append_json(out, edge.subsystem);
    if (!edge.relation.empty()) append_member(out, "relationship", edge.relation);
    out += '}';
  }
  out += '}';
}

void write_jgf(const ResourceGraph& graph, JgfForm form, const TextSink& sink) {
  Writer(graph, form, nullptr, sink).run();
}

void write_jgf(const ResourceGraph& graph, const ResourceSet& set, const TextSink& sink) {
  const Part part(graph, set);
  Writer(graph, JgfForm::whole, &part, sink).run();
}

}  // namespace tenure::graph
