#include "cli/graph_input.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/file.hpp"
#include "graph/formats/grug.hpp"
#include "graph/formats/jgf.hpp"
#include "graph/formats/r.hpp"
#include "graph/vertices.hpp"

namespace tenure::cli {

namespace {

Result<graph::ResourceGraph> read_r(const std::string& text) {
  boost::system::error_code code;
  const boost::json::value document = boost::json::parse(text, code);
  if (code) return failure(ErrorCode::invalid, "not JSON: {}", code.message());
  auto inventory = graph::read_inventory(document);
  if (!inventory) return inventory.error();
  return std::move(inventory->graph);
}

Result<graph::ResourceGraph> read(const std::string& text, GraphFormat format) {
  switch (format) {
    case GraphFormat::grug:
      return graph::read_grug(text);
    case GraphFormat::jgf: {
      auto document = graph::read_jgf_graph(text);
      if (!document) return document.error();
      return std::move(document->graph);
    }
    case GraphFormat::rv1exec:
      return read_r(text);
    case GraphFormat::hwloc:
      break;
  }
  return failure(ErrorCode::unsupported, "hwloc graphs cannot be read yet");
}

}  // namespace

std::optional<GraphFormat> parse_graph_format(std::string_view name) {
  static const std::map<std::string_view, GraphFormat> kFormats{
      {"grug", GraphFormat::grug},       {"hwloc", GraphFormat::hwloc},
      {"jgf", GraphFormat::jgf},         {"jgf_shorthand", GraphFormat::jgf},
      {"rv1exec", GraphFormat::rv1exec}, {"rv1exec_force", GraphFormat::rv1exec},
  };
  const auto found = kFormats.find(name);
  if (found == kFormats.end()) return std::nullopt;
  return found->second;
}

Result<graph::ResourceGraph> load_graph(const std::string& file, GraphFormat format) {
  const auto text = read_file(file);
  if (!text) return text.error();
  auto graph = read(*text, format);
  if (!graph) return within(file, graph.error());
  return graph;
}

void show_load_figures(const graph::ResourceGraph& graph, double seconds) {
  const graph::Vertices vertices(graph);
  std::uint64_t count = 0;
  std::set<std::string> types;
  std::set<std::string> names;
  std::map<std::int64_t, std::uint64_t> ranks;
  vertices.for_each_in_preorder(vertices.root(), [&](graph::Vertex v) {
    ++count;
    types.insert(vertices.type(v));
    names.insert(vertices.name(v));
    ++ranks[vertices.rank(v)];
    return true;
  });
  fmt::print("INFO: Graph Load Time: {:g}\nINFO: Vertex Count: {}\nINFO: Edge Count: {}\n", seconds,
             count, count == 0 ? 0 : count - 1);
  fmt::print("INFO: by_type Key-Value Pairs: {}\nINFO: by_name Key-Value Pairs: {}\n", types.size(),
             names.size());
  fmt::print("INFO: by_path Key-Value Pairs: {}\n", count);
  for (const auto& [rank, number] : ranks) {
    fmt::print("INFO: number of vertices with rank {}: {}\n", rank, number);
  }
}

}  // namespace tenure::cli
