#include "graph/graph_builder.hpp"

#include <boost/container_hash/hash.hpp>

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace tenure::graph {
namespace {

std::size_t hash_of(const VertexSpec& spec) {
  std::size_t seed = 0;
  boost::hash_combine(seed, std::hash<std::string_view>{}(spec.type));
  boost::hash_combine(seed, std::hash<std::string_view>{}(spec.basename));
  boost::hash_combine(seed, std::hash<std::string_view>{}(spec.unit));
  boost::hash_combine(seed, spec.size);
  boost::hash_combine(seed, spec.rank >= 0);
  return seed;
}

/// Number of `text` in a short list, added when it is not there; the list grows to one more than
/// kMaxSubsystems only.
std::uint32_t index_in(std::vector<std::string>& list, std::string_view text) {
  if (list.size() > kMaxSubsystems) return 0;
  const auto found = std::find(list.begin(), list.end(), text);
  const auto index = static_cast<std::uint32_t>(found - list.begin());
  if (found == list.end()) list.emplace_back(text);
  return index;
}

Result<void> check_text(std::string_view field, std::string_view text) {
  if (text.find('/') != std::string_view::npos) {
    return failure(ErrorCode::invalid, "{} {} has a '/', which separates names in a path", field,
                   in_quotes(text));
  }
  if (!is_utf8(text)) {
    return failure(ErrorCode::invalid, "{} {} is not UTF-8", field, in_quotes(text));
  }
  return {};
}

}  // namespace

std::uint32_t GraphBuilder::kind_of(const VertexSpec& spec) {
  const auto matches = [&](const VertexKind& kind) {
    return kind.type == spec.type && kind.basename == spec.basename && kind.unit == spec.unit &&
           kind.size == spec.size && kind.ranked == (spec.rank >= 0);
  };
  // Inputs list vertices of one kind one after the other.
  if (!vertices_.empty() && matches(kinds_[vertices_.back().kind])) return vertices_.back().kind;
  std::vector<std::uint32_t>& same_hash = kinds_by_hash_[hash_of(spec)];
  for (const std::uint32_t kind : same_hash) {
    if (matches(kinds_[kind])) return kind;
  }
  const auto kind = static_cast<std::uint32_t>(kinds_.size());
  kinds_.push_back(VertexKind{std::string(spec.type), std::string(spec.basename),
                              std::string(spec.unit), spec.size, spec.rank >= 0});
  same_hash.push_back(kind);
  return kind;
}

std::uint32_t GraphBuilder::name_of(const VertexSpec& spec) {
  if (spec.name.empty() || is_default_name(spec.name, spec.basename, spec.id)) return 0;
  const auto [found, is_new] =
      name_index_.try_emplace(std::string(spec.name), static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.emplace_back(spec.name);
  return found->second;
}

Result<GraphBuilder::Handle> GraphBuilder::add(const VertexSpec& given) {
  VertexSpec spec = given;
  if (spec.type.empty()) return failure(ErrorCode::invalid, "a vertex needs a type");
  if (spec.basename.empty()) spec.basename = spec.type;
  for (const auto& [field, text] : {std::pair{"type", spec.type},
                                    {"basename", spec.basename},
                                    {"name", spec.name},
                                    {"unit", spec.unit}}) {
    if (std::string_view(field) == "unit" && text.find('/') != std::string_view::npos) continue;
    if (const auto checked = check_text(field, text); !checked) return checked.error();
  }
  if (spec.size < 0) {
    return failure(ErrorCode::invalid, "size {} is not a number from 0", spec.size);
  }
  if (spec.rank < -1 || spec.rank > std::int64_t{Idset::kMaxId}) {
    return failure(ErrorCode::invalid, "rank {} is neither -1 nor a number from 0 to {}", spec.rank,
                   Idset::kMaxId);
  }
  if (spec.uniq_id && (*spec.uniq_id < 0 || *spec.uniq_id > kMaxUniqId)) {
    return failure(ErrorCode::invalid, "uniq_id {} is not a number from 0 to {}", *spec.uniq_id,
                   kMaxUniqId);
  }
  if (vertices_.size() >= kMaxVertices) {
    return failure(ErrorCode::limit, "a graph has at most {} vertices", kMaxVertices);
  }
  const Record record{.kind = kind_of(spec),
                      .name = name_of(spec),
                      .id = std::max<std::int64_t>(spec.id, -1),
                      .uniq_id = spec.uniq_id.value_or(kUnset),
                      .rank = spec.rank,
                      .status = spec.status};
  vertices_.push_back(record);
  return static_cast<Handle>(vertices_.size() - 1);
}

void GraphBuilder::set_property(Handle vertex, std::string_view name, std::string_view value) {
  properties_[vertex].insert_or_assign(std::string(name), std::string(value));
}

void GraphBuilder::contain(Handle parent, Handle child) {
  contained_.push_back(Edge{parent, child});
}

void GraphBuilder::relate(std::string_view subsystem, Handle from, Handle to,
                          std::string_view relation) {
  related_.push_back(AuxiliaryEdge{index_in(subsystems_, subsystem), index_in(relations_, relation),
                                   Edge{from, to}});
}

}  // namespace tenure::graph
