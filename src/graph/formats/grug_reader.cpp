#include <boost/unordered/unordered_flat_map.hpp>

#include <charconv>
#include <map>
#include <pugixml.hpp>

#include "graph/formats/grug.hpp"
#include "graph/graph_builder.hpp"

namespace tenure::graph {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

enum class Method { multiply, associate_in, associate_by_path_in };

struct RecipeNode {
  std::string id, type, basename, unit, subsystem;
  std::int64_t size = 1;
  bool is_root = false;
};

struct RecipeEdge {
  std::size_t source = 0, target = 0;  ///< recipe nodes
  std::string subsystem, relation, target_subsystem;
  Method method = Method::multiply;
  std::int64_t scope = 0, start = 0, stride = 1, scale = 1, target_up = 1, source_up = 1;
};

/// A key of the recipe: what its `data` elements mean.
struct AttributeKey {
  std::string name;
  std::string fallback;
};

using Keys = std::map<std::string, AttributeKey, std::less<>>;
using Attributes = std::map<std::string, std::string, std::less<>>;

Attributes read_attributes(const pugi::xml_node& element, const Keys& keys,
                           const std::vector<std::string>& defaults) {
  Attributes attributes;
  for (const std::string& id : defaults) {
    const AttributeKey& key = keys.find(id)->second;
    if (!key.fallback.empty()) attributes[key.name] = key.fallback;
  }
  for (const pugi::xml_node data : element.children("data")) {
    const auto key = keys.find(std::string_view(data.attribute("key").value()));
    if (key != keys.end()) attributes[key->second.name] = data.text().get();
  }
  return attributes;
}

std::string text_of(const Attributes& attributes, std::string_view name, std::string_view unset) {
  const auto found = attributes.find(name);
  return found == attributes.end() || found->second.empty() ? std::string(unset) : found->second;
}

Result<std::int64_t> number_of(const Attributes& attributes, std::string_view name,
                               std::int64_t unset, std::int64_t low) {
  constexpr std::int64_t kHigh = std::int64_t{1} << 40;
  const auto found = attributes.find(name);
  if (found == attributes.end() || found->second.empty()) return unset;
  const std::string& text = found->second;
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number < low || number > kHigh) {
    return failure(ErrorCode::invalid, "{}: {} is not a number from {} to {}", name,
                   in_quotes(text), low, kHigh);
  }
  return number;
}

/// A recipe, read and checked.
struct Recipe {
  std::vector<RecipeNode> nodes;
  std::vector<RecipeEdge> edges;
};

class RecipeReader {
 public:
  Result<Recipe> read(std::string_view text) {
    pugi::xml_document document;
    const auto parsed = document.load_buffer(text.data(), text.size(), pugi::parse_default);
    if (!parsed) {
      return failure(ErrorCode::invalid, "byte {}: {}", parsed.offset, parsed.description());
    }
    const pugi::xml_node graphml = document.child("graphml");
    const pugi::xml_node graph = graphml.child("graph");
    if (!graph) return failure(ErrorCode::invalid, "graphml.graph: is missing");
    for (const pugi::xml_node key : graphml.children("key")) read_key(key);
    for (const pugi::xml_node node : graph.children("node")) {
      if (auto added = read_node(node); !added) {
        return within(fmt::format("node {}", in_quotes(node.attribute("id").value())),
                      added.error());
      }
    }
    for (const pugi::xml_node edge : graph.children("edge")) {
      if (auto added = read_edge(edge); !added) {
        return within(fmt::format("edge {} from {} to {}", in_quotes(edge.attribute("id").value()),
                                  in_quotes(edge.attribute("source").value()),
                                  in_quotes(edge.attribute("target").value())),
                      added.error());
      }
    }
    return std::move(recipe_);
  }

 private:
  void read_key(const pugi::xml_node& key) {
    const std::string id = key.attribute("id").value();
    const std::string name = key.attribute("attr.name").value();
    keys_[id] = AttributeKey{name.empty() ? id : name, key.child("default").text().get()};
    const std::string_view owner = key.attribute("for").value();
    if (owner != "edge") node_keys_.push_back(id);
    if (owner != "node") edge_keys_.push_back(id);
  }

  Result<void> read_node(const pugi::xml_node& element) {
    const Attributes attributes = read_attributes(element, keys_, node_keys_);
    RecipeNode node;
    node.id = element.attribute("id").value();
    node.type = text_of(attributes, "type", "");
    if (node.type.empty()) return failure(ErrorCode::invalid, "type: is missing");
    node.basename = text_of(attributes, "basename", node.type);
    node.unit = text_of(attributes, "unit", "");
    node.subsystem = text_of(attributes, "subsystem", kContainment);
    const auto size = number_of(attributes, "size", 1, 0);
    if (!size) return size.error();
    node.size = *size;
    const auto root = number_of(attributes, "root", 0, 0);
    if (!root) return root.error();
    node.is_root = *root != 0;
    if (!by_id_.emplace(node.id, recipe_.nodes.size()).second) {
      return failure(ErrorCode::invalid, "the id is given twice");
    }
    recipe_.nodes.push_back(std::move(node));
    return {};
  }

  Result<std::size_t> end_of(const pugi::xml_node& element, const char* which) const {
    const auto found = by_id_.find(std::string_view(element.attribute(which).value()));
    if (found != by_id_.end()) return found->second;
    return failure(ErrorCode::invalid, "{}: no node has this id", which);
  }

  Result<void> read_edge(const pugi::xml_node& element) {
    const Attributes attributes = read_attributes(element, keys_, edge_keys_);
    RecipeEdge edge;
    for (const auto& [which, end] : {std::pair{"source", &edge.source}, {"target", &edge.target}}) {
      const auto found = end_of(element, which);
      if (!found) return found.error();
      *end = *found;
    }
    edge.subsystem = text_of(attributes, "e_subsystem", kContainment);
    edge.relation = text_of(attributes, "relation", "contains");
    edge.target_subsystem = text_of(attributes, "as_tgt_subsystem", kContainment);
    const std::string method = text_of(attributes, "gen_method", "MULTIPLY");
    if (method == "ASSOCIATE_IN") {
      edge.method = Method::associate_in;
    } else if (method == "ASSOCIATE_BY_PATH_IN") {
      edge.method = Method::associate_by_path_in;
    } else if (method != "MULTIPLY") {
      return failure(ErrorCode::invalid,
                     "gen_method: {} is not MULTIPLY, ASSOCIATE_IN or ASSOCIATE_BY_PATH_IN",
                     in_quotes(method));
    }
    struct Field {
      const char* name;
      std::int64_t* value;
      std::int64_t low;
    };
    for (const Field& field : {Field{"id_scope", &edge.scope, 0},
                               {"id_start", &edge.start, 0},
                               {"id_stride", &edge.stride, 0},
                               {"multi_scale", &edge.scale, 1},
                               {"as_tgt_uplvl", &edge.target_up, 0},
                               {"as_src_uplvl", &edge.source_up, 0}}) {
      const auto number = number_of(attributes, field.name, *field.value, field.low);
      if (!number) return number.error();
      *field.value = *number;
    }
    recipe_.edges.push_back(std::move(edge));
    return {};
  }

  Recipe recipe_;
  Keys keys_;
  std::vector<std::string> node_keys_;
  std::vector<std::string> edge_keys_;
  std::map<std::string, std::size_t, std::less<>> by_id_;
};

/// Makes the vertices of a recipe.
class Generator {
 public:
  Generator(const Recipe& recipe, const GrugLimits& limits)
      : recipe_(recipe),
        limits_(limits),
        made_(recipe.nodes.size()),
        is_open_(recipe.nodes.size(), false) {}

  Result<ResourceGraph> run() {
    bool has_root = false;
    for (std::size_t n = 0; n < recipe_.nodes.size(); ++n) {
      if (!recipe_.nodes[n].is_root) continue;
      has_root = true;
      if (auto made = make(n, kNone, 0, recipe_.nodes[n].subsystem); !made) return made.error();
      if (auto done = expand(n, 0); !done) return done.error();
    }
    if (!has_root) return failure(ErrorCode::invalid, "no node has root=1");
    for (const RecipeEdge& edge : recipe_.edges) {
      if (edge.method == Method::multiply) continue;
      if (auto done = associate(edge); !done) return done.error();
    }
    return std::move(builder_).build();
  }

 private:
  using Handle = GraphBuilder::Handle;

  Result<void> make(std::size_t n, Handle parent, std::int64_t id, std::string_view subsystem,
                    std::string_view relation = "contains") {
    const RecipeNode& node = recipe_.nodes[n];
    const auto handle = builder_.add({.type = node.type,
                                      .basename = node.basename,
                                      .id = id,
                                      .rank = node.type == "node" ? next_rank_ : -1,
                                      .size = node.size,
                                      .unit = node.unit});
    if (!handle) return within(fmt::format("node {}", in_quotes(node.id)), handle.error());
    if (node.type == "node") ++next_rank_;
    parents_.push_back(parent);
    made_[n].push_back(*handle);
    if (parent == kNone) return {};
    if (subsystem == kContainment) {
      builder_.contain(parent, *handle);
    } else {
      builder_.relate(subsystem, parent, *handle, relation);
    }
    return {};
  }

  /// Generates what the recipe has below the vertices of a node, from the `first` of them on
  /// (a node may be below several others).
  Result<void> expand(std::size_t n, std::size_t first) {
    if (is_open_[n]) {
      return failure(ErrorCode::invalid, "node {} is below itself", in_quotes(recipe_.nodes[n].id));
    }
    if (++depth_ > kMaxRecipeDepth) {
      return failure(ErrorCode::limit, "the recipe is deeper than {} levels", kMaxRecipeDepth);
    }
    is_open_[n] = true;
    for (const RecipeEdge& edge : recipe_.edges) {
      if (edge.source != n || edge.method != Method::multiply) continue;
      const std::size_t known = made_[edge.target].size();
      if (auto done = multiply(edge, first); !done) return done.error();
      if (auto done = expand(edge.target, known); !done) return done.error();
    }
    is_open_[n] = false;
    --depth_;
    return {};
  }

  Result<void> multiply(const RecipeEdge& edge, std::size_t first) {
    const std::vector<Handle>& all = made_[edge.source];
    const std::vector<Handle> parents(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
    const auto scale = static_cast<std::uint64_t>(edge.scale);
    const std::uint64_t most = limits_.vertices;
    if (scale > most || parents.size() * scale + builder_.vertex_count() > most) {
      return failure(ErrorCode::limit, "{} times {} vertices of {} are more than {}",
                     parents.size(), edge.scale, in_quotes(recipe_.nodes[edge.target].id), most);
    }
    const std::string& basename = recipe_.nodes[edge.target].basename;
    auto& counters = counters_[basename];
    for (const Handle parent : parents) {
      Handle scope = parent;
      for (std::int64_t up = 0; up < edge.scope && parents_[scope] != kNone; ++up) {
        scope = parents_[scope];
      }
      for (std::int64_t i = 0; i < edge.scale; ++i) {
        const std::int64_t id = edge.start + counters[scope]++ * edge.stride;
        const auto made = make(edge.target, parent, id, edge.subsystem, edge.relation);
        if (!made) return made.error();
      }
    }
    return {};
  }

  Handle ancestor(Handle v, std::int64_t levels) const {
    for (; levels > 0 && parents_[v] != kNone; --levels) v = parents_[v];
    return v;
  }

  Result<void> associate(const RecipeEdge& edge) {
    boost::unordered_flat_map<Handle, std::vector<Handle>> below;  // targets by ancestor
    const bool by_path = edge.method == Method::associate_by_path_in;
    for (const Handle target : made_[edge.target]) {
      below[by_path ? ancestor(target, edge.target_up) : 0].push_back(target);
    }
    for (const Handle source : made_[edge.source]) {
      const auto found = below.find(by_path ? ancestor(source, edge.source_up) : 0);
      if (found == below.end()) continue;
      relations_ += found->second.size();
      if (relations_ > limits_.relations) {
        return failure(ErrorCode::limit, "the recipe makes more than {} relations",
                       limits_.relations);
      }
      for (const Handle target : found->second) {
        if (edge.subsystem == kContainment) {
          builder_.contain(source, target);
        } else {
          builder_.relate(edge.subsystem, source, target, edge.relation);
        }
      }
    }
    return {};
  }

  static constexpr int kMaxRecipeDepth = 1000;

  const Recipe& recipe_;
  const GrugLimits limits_;
  GraphBuilder builder_;
  std::vector<std::vector<Handle>> made_;  ///< by recipe node
  std::vector<bool> is_open_;
  std::vector<Handle> parents_;  ///< by vertex
  std::map<std::string, boost::unordered_flat_map<Handle, std::int64_t>> counters_;
  std::int64_t next_rank_ = 0;
  std::uint64_t relations_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<ResourceGraph> read_grug(std::string_view text, const GrugLimits& limits) {
  const Result<Recipe> recipe = RecipeReader().read(text);
  if (!recipe) return recipe.error();
  return Generator(*recipe, limits).run();
}

}  // namespace tenure::graph
