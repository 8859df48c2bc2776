// tenure graph: what a resource graph is made of; drawings; conversion between formats.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "emul/graph_file.hpp"
#include "graph/formats/graph_writer.hpp"
#include "graph/outline.hpp"
#include "graph/vertices.hpp"

namespace tenure::cli {

namespace {

namespace json = boost::json;
using graph::Outline;

struct GraphArguments {
  std::string file;
  std::string format;
  std::string to;
  std::string output;
  std::vector<std::string> allow;
  std::uint64_t nodes = 1;
  bool as_json = false;
};

/// Vertices of one type.
struct TypeCount {
  std::string type;
  std::uint64_t count = 0;
  std::map<std::string, double> sizes;  ///< by unit; those of size 1 without unit left out
};

/// In the order of the outline.
std::vector<TypeCount> count_types(const Outline& outline) {
  std::vector<TypeCount> types;
  for (const Outline::Kind& kind : outline.kinds()) {
    auto type = std::find_if(types.begin(), types.end(),
                             [&](const TypeCount& t) { return t.type == kind.type; });
    if (type == types.end()) type = types.insert(types.end(), TypeCount{kind.type, 0, {}});
    type->count += kind.total;
    if (kind.size == 1 && kind.unit.empty()) continue;
    type->sizes[kind.unit] += static_cast<double>(kind.size) * static_cast<double>(kind.total);
  }
  return types;
}

std::uint64_t count_vertices(const Outline& outline) {
  std::uint64_t count = 0;
  for (const Outline::Kind& kind : outline.kinds()) count += kind.total;
  return count;
}

/// Nodes that cannot be used as the file has it: down, or below something that is.
std::uint64_t count_down(const graph::ResourceGraph& graph) {
  return graph.target_count() - graph.up().count();
}

// ---- text ------------------------------------------------------------------------------

void print_types(const Outline& outline) {
  std::size_t width = 4;
  const std::vector<TypeCount> types = count_types(outline);
  for (const TypeCount& type : types) width = std::max(width, type.type.size());
  fmt::print("\n{:<{}} {:>10}\n", "type", width, "vertices");
  for (const TypeCount& type : types) {
    std::string sizes;
    for (const auto& [unit, size] : type.sizes) {
      sizes += fmt::format("{}{:.0f}{}{}", sizes.empty() ? "  " : " and ", size,
                           unit.empty() ? "" : " ", unit);
    }
    fmt::print("{:<{}} {:>10}{}\n", type.type, width, type.count, sizes);
  }
}

/// The outline as an indented tree; what would make it too long is said instead.
class Tree {
 public:
  explicit Tree(const Outline& outline) : outline_(outline) {}

  void print() {
    fmt::print("\n");
    print({0, 1}, 0);
    if (left_ < 0) fmt::print("… (more than {} lines)\n", kMostLines);
  }

 private:
  static constexpr int kMostLines = 100;

  void print(const Outline::Below& below, int depth) {
    if (--left_ < 0) return;
    const Outline::Kind& kind = outline_.kinds()[below.kind];
    const std::string count = depth == 0 ? "" : fmt::format("{} ", below.count);
    fmt::print("{:{}}{}{}\n", "", depth * 2, count, graph::describe_kind(kind));
    for (const Outline::Below& next : kind.below) {
      if (left_ < 0) return;
      print(next, depth + 1);
    }
  }

  const Outline& outline_;
  int left_ = kMostLines;
};

void print_text(const std::string& file, const graph::ReadGraph& read) {
  const graph::ResourceGraph& graph = read.graph;
  const Outline outline(graph);
  fmt::print("{}: {}, {}, {}", file, graph::to_string(read.format),
             count_vertices(outline) == 1 ? "1 vertex"
                                          : fmt::format("{} vertices", count_vertices(outline)),
             plural(graph.target_count(), "node"));
  if (graph.target_count() > 0) {
    fmt::print(" (ranks {})", graph.ranks_of(graph.present()).to_string());
  }
  fmt::print(", {} of {} levels\n", plural(outline.kinds().size(), "kind"), outline.depth());
  if (const std::uint64_t down = count_down(graph); down > 0) {
    fmt::print("{} down\n", plural(down, "node"));
  }
  print_types(outline);
  Tree(outline).print();
  if (!outline.links().empty()) fmt::print("\n");
  for (const Outline::Link& link : outline.links()) {
    fmt::print("{}: {} {} {}, {}\n", link.subsystem, outline.kinds()[link.from].type, link.relation,
               outline.kinds()[link.to].type, plural(link.count, "edge"));
  }
}

// ---- JSON ------------------------------------------------------------------------------

json::object json_of(const Outline::Kind& kind) {
  json::array below;
  for (const Outline::Below& b : kind.below) {
    below.push_back(json::object{{"kind", b.kind}, {"count", b.count}});
  }
  return {{"type", kind.type}, {"basename", kind.basename}, {"size", kind.size},
          {"unit", kind.unit}, {"total", kind.total},       {"below", std::move(below)}};
}

void print_json(const std::string& file, const graph::ReadGraph& read) {
  const graph::ResourceGraph& graph = read.graph;
  const Outline outline(graph);
  json::object types;
  for (const TypeCount& type : count_types(outline)) types[type.type] = type.count;
  json::array kinds, links;
  for (const Outline::Kind& kind : outline.kinds()) kinds.push_back(json_of(kind));
  for (const Outline::Link& link : outline.links()) {
    links.push_back(json::object{{"subsystem", link.subsystem},
                                 {"relation", link.relation},
                                 {"from", link.from},
                                 {"to", link.to},
                                 {"count", link.count}});
  }
  const json::object object{{"file", file},
                            {"format", graph::to_string(read.format)},
                            {"vertices", count_vertices(outline)},
                            {"nodes", graph.target_count()},
                            {"ranks", graph.ranks_of(graph.present()).to_string()},
                            {"down", graph.ranks_of(graph.present()).size() - graph.up().count()},
                            {"types", std::move(types)},
                            {"kinds", std::move(kinds)},
                            {"relations", std::move(links)}};
  fmt::print("{}\n", json::serialize(object));
}

// ---- conversion ------------------------------------------------------------------------

/// The format of --to, or the one that the end of the file's name says.
graph::GraphOutput output_of(const GraphArguments& arguments) {
  std::string name = arguments.to;
  if (name.empty()) {
    name = std::filesystem::path(arguments.output).extension().string();
    if (!name.empty()) name.erase(0, 1);
    if (name != "dot" && name != "svg" && name != "graphml") {
      fail(failure(ErrorCode::invalid,
                   "--output: {} does not say in which format; use --to, or a name that ends in "
                   ".dot, .svg or .graphml",
                   in_quotes(arguments.output)));
    }
  }
  const auto output = graph::parse_graph_output(name);
  if (!output) fail(within("--to", output.error()));
  return *output;
}

void convert(const GraphArguments& arguments, const graph::ReadGraph& read) {
  const graph::GraphOutput output = output_of(arguments);
  if (arguments.output.empty()) {
    const auto written = graph::write_graph(
        read.graph, output, read.times,
        [](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); });
    if (!written) fail(within(arguments.file, written.error()));
    return;
  }
  auto file = FileReplacement::open(arguments.output);
  if (!file) fail(file.error());
  const auto written = graph::write_graph(read.graph, output, read.times,
                                          [&](std::string_view piece) { file->write(piece); });
  if (!written) fail(within(arguments.file, written.error()));
  if (auto stored = file->commit(); !stored) fail(stored.error());
}

void show_graph(const GraphArguments& arguments) {
  graph::GraphReaderOptions options;
  if (!arguments.format.empty()) {
    const auto format = graph::parse_graph_format(arguments.format);
    if (!format) fail(within("--format", format.error()));
    options.format = *format;
  }
  options.hwloc = {.allow = arguments.allow, .nodes = arguments.nodes};
  auto read = emul::read_graph_file(arguments.file, options);
  if (!read) fail(read.error());
  read->graph.mark_up_all();
  if (!arguments.to.empty() || !arguments.output.empty()) {
    convert(arguments, *read);
  } else if (arguments.as_json) {
    print_json(arguments.file, *read);
  } else {
    print_text(arguments.file, *read);
  }
}

}  // namespace

void add_graph(CLI::App& app) {
  auto arguments = std::make_shared<GraphArguments>();
  CLI::App* command = app.add_subcommand(
      "graph", "What a resource graph is made of; drawings; conversion between formats");
  command->add_option("FILE", arguments->file, "a graph in any of the formats below")->required();
  command->add_option("--format", arguments->format, "of FILE; found by itself otherwise");
  command->add_option("--to", arguments->to, "write the graph in another format");
  command->add_option("-o,--output", arguments->output,
                      "the file to write; without it --to goes to standard output");
  command
      ->add_option("--allow", arguments->allow,
                   "of an hwloc file load only these types, beside cluster and node:\n"
                   "socket,core,gpu")
      ->delimiter(',');
  command->add_option("--nodes", arguments->nodes,
                      "make so many nodes of an hwloc file, node0, node1, …");
  command->add_flag("--json", arguments->as_json, "one JSON object");
  command->footer(R"(Examples:
  tenure graph cluster.graphml
  tenure graph R.json --to svg -o cluster.svg
  tenure graph node.xml --nodes 16 --allow socket,core,gpu --to jgf -o cluster.json

Prints how many vertices there are of each type, and the outline: which kinds of vertices
are below which, and how many (of 16384 equal nodes one is shown).

FORMAT of --format: r (RFC 20, with the tree of its `scheduling`), rv1exec (R, from
`execution` alone), jgf (RFC 40), jgf_shorthand, treepool (RFC 49), grug (GraphML recipes),
hwloc (XML of lstopo). Of --to: r, rv1exec, treepool, jgf, jgf_shorthand; dot, svg: drawings
of the outline; graphml: the outline as a recipe. docs/graph.md has more.
Exit status: 0; 2 the input is wrong.)");
  command->callback([arguments] { show_graph(*arguments); });
}

}  // namespace tenure::cli
