#include "graph/formats/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tenure::graph {
namespace {

using Kind = Outline::Kind;

Result<void> check_size(const Outline& outline) {
  if (outline.kinds().size() <= kMaxDrawnKinds) return {};
  return failure(ErrorCode::limit,
                 "the graph has {} kinds of vertices; a drawing has at most {}: it is irregular",
                 outline.kinds().size(), kMaxDrawnKinds);
}

/// Text for XML; characters that XML cannot have become '?'.
std::string in_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return out;
}

std::string in_dot(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return out;
}

/// Steps from the root, at most.
std::vector<std::uint32_t> levels_of(const Outline& outline) {
  std::vector<std::uint32_t> levels(outline.kinds().size(), 0);
  for (std::uint32_t k = 0; k < levels.size(); ++k) {
    for (const Outline::Below& below : outline.kinds()[k].below) {
      levels[below.kind] = std::max(levels[below.kind], levels[k] + 1);
    }
  }
  return levels;
}

std::string link_text(const Outline::Link& link) {
  return fmt::format("{} {} ({})", link.subsystem, link.relation, link.count);
}

// ---- SVG -------------------------------------------------------------------------------

struct Box {
  double x = 0, y = 0, width = 0;
  double middle() const { return x + width / 2; }
};

constexpr double kBoxHeight = 40, kRow = 96, kGap = 28, kMargin = 20, kCharacter = 7.4;

class SvgDrawing {
 public:
  explicit SvgDrawing(const Outline& outline) : outline_(outline), boxes_(outline.kinds().size()) {
    place();
  }

  std::string draw() {
    std::string lines, boxes;
    for (std::uint32_t k = 0; k < boxes_.size(); ++k) {
      boxes += draw_box(k);
      for (const Outline::Below& below : outline_.kinds()[k].below) {
        lines += draw_line(boxes_[k], boxes_[below.kind], fmt::format("×{}", below.count), "");
      }
    }
    for (const Outline::Link& link : outline_.links()) {
      lines += draw_line(boxes_[link.from], boxes_[link.to], in_xml(link_text(link)),
                         R"( stroke-dasharray="5 4")");
    }
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" )"
        R"(height="{1:.0f}" font-family="sans-serif" font-size="13" text-anchor="middle">)"
        "\n<title>Kinds of vertices and how many are below each</title>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}{3}</svg>\n",
        width_, height_, lines, boxes);
  }

 private:
  static std::string label(const Kind& kind) { return describe_kind(kind); }

  void place() {
    const std::vector<std::uint32_t> levels = levels_of(outline_);
    const std::size_t rows = *std::max_element(levels.begin(), levels.end()) + std::size_t{1};
    std::vector<double> widths(rows, -kGap);
    for (std::uint32_t k = 0; k < boxes_.size(); ++k) {
      boxes_[k].width = std::max(70.0, 24 + kCharacter * double(label(outline_.kinds()[k]).size()));
      widths[levels[k]] += boxes_[k].width + kGap;
    }
    const double widest = *std::max_element(widths.begin(), widths.end());
    std::vector<double> next(rows, kMargin);
    for (std::size_t row = 0; row < rows; ++row) next[row] += (widest - widths[row]) / 2;
    for (std::uint32_t k = 0; k < boxes_.size(); ++k) {
      boxes_[k].x = next[levels[k]];
      boxes_[k].y = kMargin + kRow * levels[k];
      next[levels[k]] += boxes_[k].width + kGap;
    }
    width_ = widest + 2 * kMargin;
    height_ = kRow * double(rows - 1) + kBoxHeight + 2 * kMargin;
  }

  std::string draw_box(std::uint32_t k) const {
    const Box& box = boxes_[k];
    const Kind& kind = outline_.kinds()[k];
    const bool is_node = kind.type == "node" || kind.type == "storage_node";
    return fmt::format(
        R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}" rx="6" fill="{}" stroke="#456"/>)"
        R"(<text x="{:.1f}" y="{:.1f}">{}</text>)"
        R"(<text x="{:.1f}" y="{:.1f}" font-size="11" fill="#567">{}</text>)"
        "\n",
        box.x, box.y, box.width, kBoxHeight, is_node ? "#cfe3f7" : "#eef3f8", box.middle(),
        box.y + 17, in_xml(label(kind)), box.middle(), box.y + 32, kind.total);
  }

  static std::string draw_line(const Box& from, const Box& to, std::string_view text,
                               std::string_view style) {
    const double top = from.y + kBoxHeight;
    return fmt::format(R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="#89a"{}/>)"
                       R"(<text x="{:.1f}" y="{:.1f}" font-size="11" fill="#345">{}</text>)"
                       "\n",
                       from.middle(), top, to.middle(), to.y, style,
                       (from.middle() + to.middle() * 2) / 3 + 14, (top + to.y * 2) / 3, text);
  }

  const Outline& outline_;
  std::vector<Box> boxes_;
  double width_ = 0;
  double height_ = 0;
};

// ---- GraphML ---------------------------------------------------------------------------

class RecipeWriter {
 public:
  explicit RecipeWriter(const Outline& outline)
      : outline_(outline), levels_(levels_of(outline)), made_(outline.kinds().size(), false) {}

  std::string write() {
    std::string text = head();
    std::string edges;
    for (std::uint32_t k = 0; k < levels_.size(); ++k) {
      for (const Outline::Below& below : outline_.kinds()[k].below) edges += multiply(k, below);
    }
    for (const Outline::Link& link : outline_.links()) edges += associate(link);
    for (std::uint32_t k = 0; k < levels_.size(); ++k) {
      const Kind& kind = outline_.kinds()[k];
      if (kind.subsystem.empty() || kind.total == 1 || made_[k]) text += node(k);
    }
    return text + edges + "</graph>\n</graphml>\n";
  }

 private:
  static std::string head() {
    struct Key {
      const char* name;
      const char* owner;
      const char* type;
      const char* unset;
    };
    constexpr Key kKeys[] = {{"root", "node", "int", "0"},
                             {"type", "node", "string", ""},
                             {"basename", "node", "string", ""},
                             {"unit", "node", "string", ""},
                             {"size", "node", "long", "1"},
                             {"subsystem", "node", "string", "containment"},
                             {"e_subsystem", "edge", "string", "containment"},
                             {"relation", "edge", "string", "contains"},
                             {"rrelation", "edge", "string", "in"},
                             {"id_scope", "edge", "int", "0"},
                             {"id_start", "edge", "int", "0"},
                             {"id_stride", "edge", "int", "1"},
                             {"gen_method", "edge", "string", "MULTIPLY"},
                             {"multi_scale", "edge", "int", "1"},
                             {"as_tgt_subsystem", "edge", "string", "containment"},
                             {"as_tgt_uplvl", "edge", "int", "1"},
                             {"as_src_uplvl", "edge", "int", "1"}};
    std::string text = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
)";
    for (const Key& key : kKeys) {
      text += fmt::format(R"(<key id="{0}" for="{1}" attr.name="{0}" attr.type="{2}">)", key.name,
                          key.owner, key.type);
      if (*key.unset != '\0') text += fmt::format("<default>{}</default>", key.unset);
      text += "</key>\n";
    }
    return text + "<graph id=\"recipe\" edgedefault=\"directed\">\n";
  }

  static std::string data(std::string_view key, std::string_view value) {
    return fmt::format(R"(<data key="{}">{}</data>)", key, in_xml(value));
  }

  std::string node(std::uint32_t k) const {
    const Kind& kind = outline_.kinds()[k];
    std::string text = fmt::format(R"(<node id="k{}">)", k);
    text += data("type", kind.type) + data("basename", kind.basename);
    if (kind.size != 1) text += data("size", std::to_string(kind.size));
    if (!kind.unit.empty()) text += data("unit", kind.unit);
    const bool is_root = k == 0 || (!kind.subsystem.empty() && !made_[k]);
    if (is_root) text += data("root", "1");
    if (!kind.subsystem.empty()) text += data("subsystem", kind.subsystem);
    return text + "</node>\n";
  }

  std::string edge(std::uint32_t from, std::uint32_t to, std::string_view data) {
    return fmt::format(R"(<edge id="e{}" source="k{}" target="k{}">{}</edge>)"
                       "\n",
                       edges_++, from, to, data);
  }

  static bool is_node(const Kind& kind) {
    return kind.type == "node" || kind.type == "storage_node";
  }

  /// How far up ids count: nodes through the whole cluster, what is inside a node through it.
  std::uint32_t scope(std::uint32_t from, std::uint32_t to) const {
    if (is_node(outline_.kinds()[to])) return levels_[from];
    std::uint32_t node = levels_[from] + 1;
    for (std::uint32_t k = 0; k < levels_.size(); ++k) {
      if (is_node(outline_.kinds()[k]) && levels_[k] <= levels_[from] && is_below(k, from)) {
        node = std::min(node, levels_[k]);
      }
    }
    return node > levels_[from] ? 0 : levels_[from] - node;
  }

  bool is_below(std::uint32_t above, std::uint32_t kind) const {
    std::vector<bool> seen(levels_.size(), false);
    seen[above] = true;
    for (std::uint32_t k = above; k <= kind; ++k) {  // what is below has a greater number
      if (!seen[k]) continue;
      for (const Outline::Below& below : outline_.kinds()[k].below) seen[below.kind] = true;
    }
    return seen[kind];
  }

  std::string multiply(std::uint32_t from, const Outline::Below& below) {
    std::string text = data("multi_scale", std::to_string(below.count));
    if (const std::uint32_t up = scope(from, below.kind); up > 0) {
      text += data("id_scope", std::to_string(up));
    }
    return edge(from, below.kind, text);
  }

  std::string associate(const Outline::Link& link) {
    const Kind& from = outline_.kinds()[link.from];
    const Kind& to = outline_.kinds()[link.to];
    const std::string words = data("e_subsystem", link.subsystem) + data("relation", link.relation);
    const bool is_made_here = !to.subsystem.empty() && link.count == to.total && !made_[link.to];
    if (is_made_here && !from.subsystem.empty() && to.total % from.total == 0) {
      made_[link.to] = true;
      const std::string scale = std::to_string(to.total / from.total);
      return edge(link.from, link.to, words + data("multi_scale", scale));
    }
    const bool is_there = from.subsystem.empty() || from.total == 1 || made_[link.from];
    if (!is_there || link.count != from.total * to.total) return {};
    return edge(link.from, link.to, words + data("gen_method", "ASSOCIATE_IN"));
  }

  const Outline& outline_;
  const std::vector<std::uint32_t> levels_;
  std::vector<bool> made_;  ///< of an auxiliary subsystem, by an edge
  std::uint32_t edges_ = 0;
};

}  // namespace

Result<std::string> draw_dot(const Outline& outline) {
  if (auto checked = check_size(outline); !checked) return checked.error();
  std::string text =
      "digraph outline {\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
      "  edge [fontname=\"sans-serif\"];\n";
  for (std::uint32_t k = 0; k < outline.kinds().size(); ++k) {
    const Kind& kind = outline.kinds()[k];
    text += fmt::format("  k{} [label=\"{}\\n{}\"];\n", k, in_dot(describe_kind(kind)), kind.total);
    for (const Outline::Below& below : kind.below) {
      text += fmt::format("  k{} -> k{} [label=\"×{}\"];\n", k, below.kind, below.count);
    }
  }
  for (const Outline::Link& link : outline.links()) {
    text += fmt::format("  k{} -> k{} [style=dashed, label=\"{}\"];\n", link.from, link.to,
                        in_dot(link_text(link)));
  }
  return text + "}\n";
}

Result<std::string> draw_svg(const Outline& outline) {
  if (auto checked = check_size(outline); !checked) return checked.error();
  return SvgDrawing(outline).draw();
}

Result<std::string> write_recipe(const Outline& outline) {
  if (auto checked = check_size(outline); !checked) return checked.error();
  return RecipeWriter(outline).write();
}

}  // namespace tenure::graph
