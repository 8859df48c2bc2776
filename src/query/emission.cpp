#include "query/emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/hostlist.hpp"
#include "graph/formats/jgf_writer.hpp"

namespace tenure::query {

using graph::Vertex;
using match::Access;
using match::Grant;

namespace {

constexpr std::array<std::pair<std::string_view, Format>, 8> kFormats{{
    {"simple", Format::simple},
    {"pretty_simple", Format::pretty_simple},
    {"jgf", Format::jgf},
    {"jgf_shorthand", Format::jgf_shorthand},
    {"rlite", Format::rlite},
    {"rv1", Format::rv1},
    {"rv1_nosched", Format::rv1_nosched},
    {"rv1_shorthand", Format::rv1_shorthand},
}};

/// The types that R_lite has.
constexpr std::array<std::string_view, 2> kReduced{"core", "gpu"};

/// A granted vertex with its place in the tree.
struct Placed {
  Grant grant;
  std::uint32_t depth = 0;
  std::string path{};
  std::optional<std::int64_t> parent{};  ///< uniq_id
};

/// What was granted, in postorder.
class Tree {
 public:
  Tree(const graph::Vertices& vertices, const std::vector<Grant>& granted) : vertices_(vertices) {
    for (const Grant& grant : granted) add(grant);
    while (!open_.empty()) close();
  }

  std::vector<Placed> take() && { return std::move(done_); }

 private:
  void add(const Grant& grant) {
    const auto parent = vertices_.parent(grant.vertex);
    while (!open_.empty() && (!parent || open_.back().grant.vertex != *parent)) close();
    Placed placed{grant, 0};
    if (!open_.empty()) {
      placed.depth = open_.back().depth + 1;
      placed.parent = vertices_.uniq_id(open_.back().grant.vertex);
      placed.path = open_.back().path;
    }
    placed.path += "/" + vertices_.name(grant.vertex);
    open_.push_back(std::move(placed));
  }
  void close() {
    done_.push_back(std::move(open_.back()));
    open_.pop_back();
  }

  const graph::Vertices& vertices_;
  std::vector<Placed> open_;
  std::vector<Placed> done_;
};

class Writer {
 public:
  explicit Writer(const Emission& emission)
      : emission_(emission),
        vertices_(*emission.graph),
        placed_(Tree(vertices_, *emission.granted).take()) {}

  std::string simple() const {
    std::string text;
    for (const Placed& placed : placed_) {
      text += line(placed, placed.grant.access == Access::exclusive ? "x" : "s");
    }
    return text;
  }

  std::string pretty() const {
    std::string text;
    for (auto placed = placed_.rbegin(); placed != placed_.rend(); ++placed) {
      text += line(*placed, placed->grant.access == Access::exclusive ? "exclusive" : "shared");
    }
    return text;
  }

  std::string jgf(graph::JgfForm form) const {
    const std::vector<bool> shown = shown_in(form);
    std::string text = "{\"graph\": {\"nodes\": [";
    bool is_first = true;
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      if (!shown[i]) continue;
      if (!std::exchange(is_first, false)) text += ", ";
      graph::JgfMarks marks;
      if (placed_[i].grant.access == Access::exclusive) {
        marks.hold = graph::JgfMarks::Hold::exclusive;
      }
      if (emission_.extra) marks.extra = emission_.extra(placed_[i].grant.vertex);
      graph::append_jgf_vertex(text, vertices_, placed_[i].grant.vertex, contained_path(placed_[i]),
                               marks);
    }
    text += "], \"edges\": [";
    is_first = true;
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      if (!shown[i] || !placed_[i].parent) continue;
      if (!std::exchange(is_first, false)) text += ", ";
      graph::append_jgf_edge(text,
                             {*placed_[i].parent, vertices_.uniq_id(placed_[i].grant.vertex)});
    }
    text += "]}";
    if (std::ranges::find(shown, false) != shown.end()) {
      text += ", \"writer\": \"fluxion:jgf_shorthand\"";
    }
    return text + "}";
  }

  /// Empty when no node has a core or a GPU.
  std::string r_lite() const {
    std::vector<std::pair<std::string, std::vector<Idset::Id>>> groups;
    for (const auto& [rank, children] : reduced()) {
      const std::string text = children_text(children);
      auto group = std::ranges::find(groups, text, &decltype(groups)::value_type::first);
      if (group == groups.end()) group = groups.insert(group, {text, {}});
      group->second.push_back(rank);
    }
    if (groups.empty()) return {};
    std::string text = "[";
    for (const auto& [children, ranks] : groups) {
      fmt::format_to(std::back_inserter(text), "{}{{\"rank\": \"{}\", \"children\": {{{}}}}}",
                     text.size() > 1 ? ", " : "", Idset::of(ranks).to_string(), children);
    }
    return text + "]";
  }

  std::string r(std::string_view scheduling) const {
    std::vector<std::string> hosts;
    std::map<std::string, std::vector<Idset::Id>> properties;
    for (const auto& [rank, ignored] : reduced()) {
      const Vertex node = *vertices_.find_rank(Rank(rank));
      hosts.push_back(vertices_.name(node));
      for (const auto& [name, value] : vertices_.properties(node)) {
        properties[value.empty() ? name : name + "=" + value].push_back(rank);
      }
    }
    std::string text =
        fmt::format("{{\"version\": 1, \"execution\": {{\"R_lite\": {}, \"nodelist\": [", r_lite());
    graph::append_json(text, format_hostlist(hosts));
    text += "]";
    append_properties(text, properties);
    fmt::format_to(std::back_inserter(text), ", \"starttime\": {}, \"expiration\": {}}}",
                   whole_seconds(emission_.span.start), whole_seconds(emission_.span.end));
    if (!scheduling.empty()) {
      fmt::format_to(std::back_inserter(text), ", \"scheduling\": {}", scheduling);
      if (!emission_.queue.empty()) {
        text += ", \"attributes\": {\"system\": {\"scheduler\": {\"queue\": ";
        graph::append_json(text, emission_.queue);
        text += "}}}";
      }
    }
    return text + "}";
  }

 private:
  using Children = std::array<std::vector<Idset::Id>, kReduced.size()>;

  std::string line(const Placed& placed, std::string_view access) const {
    return fmt::format("      {:-<{}}{}[{}:{}]\n", "", 3 * (placed.depth + 1),
                       vertices_.name(placed.grant.vertex), vertices_.size(placed.grant.vertex),
                       access);
  }

  /// Vertices outside of containment have no path there.
  std::string_view contained_path(const Placed& placed) const {
    const Vertex v = placed.grant.vertex;
    return placed.parent || v == vertices_.root() ? std::string_view(placed.path)
                                                  : std::string_view();
  }

  std::vector<bool> shown_in(graph::JgfForm form) const {
    std::vector<bool> shown(placed_.size(), true);
    if (form == graph::JgfForm::whole) return shown;
    // From the root down: what is below an exclusive vertex stands before it.
    std::optional<std::uint32_t> closed;  // depth of the exclusive vertex we are below
    for (std::size_t i = placed_.size(); i-- > 0;) {
      if (closed && placed_[i].depth > *closed) {
        shown[i] = false;
        continue;
      }
      closed.reset();
      if (placed_[i].grant.access == Access::exclusive) closed = placed_[i].depth;
    }
    return shown;
  }

  /// Cores and GPUs by the rank of their node, in ascending order of ranks.
  std::map<Idset::Id, Children> reduced() const {
    std::map<Idset::Id, Children> nodes;
    for (const Placed& placed : placed_) {
      const Vertex v = placed.grant.vertex;
      const auto target = vertices_.target_of(v);
      const auto type = std::ranges::find(kReduced, vertices_.type(v));
      const std::int64_t id = vertices_.id(v);
      if (!target || type == kReduced.end() || id < 0 || id > Idset::kMaxId) continue;
      nodes[emission_.graph->node(*target).rank.value()]
           [static_cast<std::size_t>(type - kReduced.begin())]
               .push_back(static_cast<Idset::Id>(id));
    }
    return nodes;
  }

  static std::string children_text(const Children& children) {
    std::string text;
    for (std::size_t t = 0; t < kReduced.size(); ++t) {
      if (children[t].empty()) continue;
      fmt::format_to(std::back_inserter(text), "{}\"{}\": \"{}\"", text.empty() ? "" : ", ",
                     kReduced[t], Idset::of(children[t]).to_string());
    }
    return text;
  }

  static void append_properties(std::string& text,
                                const std::map<std::string, std::vector<Idset::Id>>& properties) {
    if (properties.empty()) return;
    text += ", \"properties\": {";
    bool is_first = true;
    for (const auto& [name, ranks] : properties) {
      if (!std::exchange(is_first, false)) text += ", ";
      graph::append_json(text, name);
      text += ": ";
      graph::append_json(text, Idset::of(ranks).to_string());
    }
    text += "}";
  }

  const Emission& emission_;
  graph::Vertices vertices_;
  std::vector<Placed> placed_;
};

}  // namespace

Result<Format> parse_format(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &decltype(kFormats)::value_type::first);
  if (found != kFormats.end()) return found->second;
  return failure(ErrorCode::invalid,
                 "{} is not a format: simple, pretty_simple, jgf, jgf_shorthand, rlite, rv1, "
                 "rv1_nosched, rv1_shorthand",
                 in_quotes(name));
}

std::int64_t whole_seconds(Time time) {
  constexpr std::int64_t kMicroseconds = 1'000'000;
  const std::int64_t us = time.count();
  return us / kMicroseconds + (us % kMicroseconds > 0 ? 1 : 0);
}

Result<std::string> emit(Format format, const Emission& emission) {
  const bool is_r_lite = format == Format::rlite;
  if (emission.granted->empty()) {
    if (!is_r_lite) return std::string();
    return failure(ErrorCode::invalid, "nothing was found that R_lite could hold");
  }
  const Writer writer(emission);
  switch (format) {
    case Format::simple:
      return writer.simple();
    case Format::pretty_simple:
      return writer.pretty();
    case Format::jgf:
      return writer.jgf(graph::JgfForm::whole) + "\n";
    case Format::jgf_shorthand:
      return writer.jgf(graph::JgfForm::shorthand) + "\n";
    case Format::rlite:
    case Format::rv1:
    case Format::rv1_nosched:
    case Format::rv1_shorthand:
      break;
  }
  const std::string r_lite = writer.r_lite();
  if (r_lite.empty()) {
    return failure(ErrorCode::invalid, "no node with cores or GPUs: R_lite has nothing else");
  }
  if (is_r_lite) return r_lite + "\n";
  if (format == Format::rv1_nosched) return writer.r({}) + "\n";
  const auto form = format == Format::rv1 ? graph::JgfForm::whole : graph::JgfForm::shorthand;
  return writer.r(writer.jgf(form)) + "\n";
}

}  // namespace tenure::query
