#include "query/claims.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "graph/formats/jgf_stream.hpp"
#include "graph/vertices.hpp"

namespace tenure::query {

using graph::Vertex;

namespace {

namespace json = boost::json;

/// The exclusive vertices of a JGF, and all others.
class Marks final : public graph::JgfSink {
 public:
  explicit Marks(const graph::ResourceGraph& graph) : vertices_(graph) {}

  Result<void> add(const graph::JgfVertex& vertex) override {
    const auto found = vertices_.find_path(vertex.path());
    if (!found) {
      return failure(ErrorCode::not_found, "{}: no vertex of the graph has this path",
                     in_quotes(vertex.path()));
    }
    (vertex.exclusive ? exclusive : shared).push_back(*found);
    return {};
  }
  Result<void> add(const graph::JgfEdge&) override { return {}; }

  std::vector<Vertex> exclusive;
  std::vector<Vertex> shared;

 private:
  graph::Vertices vertices_;
};

/// Units that an R names on one target.
struct Named {
  Vertex target;
  std::vector<Vertex> units;
};

bool is_reduced(std::string_view type) { return type == "core" || type == "gpu"; }

/// Reads one entry of R_lite.
Result<void> read_entry(const json::object& entry, const graph::ResourceGraph& graph,
                        std::vector<Named>& named) {
  const graph::Vertices vertices(graph);
  const json::value* rank_text = entry.if_contains("rank");
  const json::value* children = entry.if_contains("children");
  if (rank_text == nullptr || children == nullptr || !children->is_object()) {
    return failure(ErrorCode::invalid, "R_lite: an entry needs rank and children");
  }
  const auto ranks = Idset::parse(rank_text->is_string() ? std::string_view(rank_text->get_string())
                                                         : std::string_view("?"));
  if (!ranks) return within("R_lite: rank", ranks.error());
  std::map<std::string, Idset, std::less<>> ids;
  for (const auto& [type, list] : children->get_object()) {
    const auto set = Idset::parse(list.is_string() ? std::string_view(list.get_string())
                                                   : std::string_view("?"));
    if (!set)
      return within(fmt::format("R_lite: children.{}", std::string_view(type)), set.error());
    ids.emplace(type, *set);
  }
  std::optional<Idset::Id> unknown;
  ranks->for_each([&](Idset::Id rank) {
    const auto target = vertices.find_rank(Rank(rank));
    if (!target) {
      unknown = unknown.value_or(rank);
      return;
    }
    Named& here = named.emplace_back(Named{*target, {}});
    vertices.for_each_in_preorder(*target, [&](Vertex v) {
      const auto wanted = ids.find(vertices.type(v));
      const std::int64_t id = vertices.id(v);
      const bool is_named = v != *target && wanted != ids.end() && id >= 0 && id <= Idset::kMaxId &&
                            wanted->second.contains(static_cast<Idset::Id>(id));
      if (is_named) here.units.push_back(v);
      return true;
    });
  });
  if (unknown) return failure(ErrorCode::not_found, "R_lite: no node has rank {}", *unknown);
  return {};
}

Result<std::vector<Named>> read_execution(std::string_view text,
                                          const graph::ResourceGraph& graph) {
  boost::system::error_code code;
  const json::value document = json::parse(text, code);
  if (code) return failure(ErrorCode::invalid, "R: not JSON: {}", code.message());
  const json::object* object = document.if_object();
  const json::value* execution = object == nullptr ? nullptr : object->if_contains("execution");
  const json::value* entries = execution == nullptr || !execution->is_object()
                                   ? nullptr
                                   : execution->get_object().if_contains("R_lite");
  if (entries == nullptr || !entries->is_array()) {
    return failure(ErrorCode::invalid, "R: execution.R_lite is missing");
  }
  std::vector<Named> named;
  for (const json::value& entry : entries->get_array()) {
    if (!entry.is_object()) return failure(ErrorCode::invalid, "R_lite: an entry is no object");
    if (auto ok = read_entry(entry.get_object(), graph, named); !ok) return ok.error();
  }
  return named;
}

void add_subtree(const graph::Vertices& vertices, Vertex v, std::set<Vertex>& all) {
  vertices.for_each_in_preorder(v, [&](Vertex below) {
    all.insert(below);
    return true;
  });
}

/// True when the units are all cores and GPUs of their target.
bool is_everything(const graph::Vertices& vertices, const Named& named) {
  const std::set<Vertex> units(named.units.begin(), named.units.end());
  bool all = true;
  vertices.for_each_in_preorder(named.target, [&](Vertex v) {
    if (is_reduced(vertices.type(v))) all = all && units.contains(v);
    return true;
  });
  return all;
}

}  // namespace

Result<ClaimFormat> parse_claim_format(std::string_view name) {
  if (name == "jgf") return ClaimFormat::jgf;
  if (name == "jgf_shorthand") return ClaimFormat::jgf_shorthand;
  if (name == "rv1exec") return ClaimFormat::rv1exec;
  return failure(ErrorCode::invalid, "unknown format {}: jgf, jgf_shorthand or rv1exec",
                 in_quotes(name));
}

Result<std::vector<Vertex>> read_claim(ClaimFormat format, std::string_view text,
                                       const graph::ResourceGraph& graph) {
  const graph::Vertices vertices(graph);
  std::set<Vertex> held;
  if (format == ClaimFormat::rv1exec) {
    const auto named = read_execution(text, graph);
    if (!named) return named.error();
    for (const Named& here : *named) {
      held.insert(here.units.begin(), here.units.end());
      if (is_everything(vertices, here)) add_subtree(vertices, here.target, held);
    }
    return std::vector<Vertex>(held.begin(), held.end());
  }
  Marks marks(graph);
  if (auto read = graph::read_jgf(text, marks); !read) return read.error();
  if (format == ClaimFormat::jgf) return std::move(marks.exclusive);
  for (const Vertex v : marks.exclusive) add_subtree(vertices, v, held);
  return std::vector<Vertex>(held.begin(), held.end());
}

Result<std::vector<Vertex>> read_part(ClaimFormat format, std::string_view text,
                                      const graph::ResourceGraph& graph,
                                      const match::Selection& held) {
  const graph::Vertices vertices(graph);
  if (format != ClaimFormat::rv1exec) {
    Marks marks(graph);
    if (auto read = graph::read_jgf(text, marks); !read) return read.error();
    if (marks.exclusive.empty()) return std::move(marks.shared);
    if (format == ClaimFormat::jgf) return std::move(marks.exclusive);
    std::set<Vertex> all;
    for (const Vertex v : marks.exclusive) add_subtree(vertices, v, all);
    return std::vector<Vertex>(all.begin(), all.end());
  }
  const auto named = read_execution(text, graph);
  if (!named) return named.error();
  std::set<Vertex> part;
  std::set<NodeIndex> touched;
  for (const Named& here : *named) {
    part.insert(here.units.begin(), here.units.end());
    touched.insert(here.target.holder());
  }
  std::set<NodeIndex> kept;  // nodes of which a core or a GPU stays
  for (const match::Grant& grant : held.granted) {
    const auto target = vertices.target_of(grant.vertex);
    if (!target || !is_reduced(vertices.type(grant.vertex))) continue;
    if (!part.contains(grant.vertex)) kept.insert(*target);
  }
  for (const match::Grant& grant : held.granted) {
    const auto target = vertices.target_of(grant.vertex);
    if (target && touched.contains(*target) && !kept.contains(*target)) part.insert(grant.vertex);
  }
  return std::vector<Vertex>(part.begin(), part.end());
}

}  // namespace tenure::query
