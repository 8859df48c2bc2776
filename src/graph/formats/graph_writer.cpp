#include "graph/formats/graph_writer.hpp"

#include <array>
#include <string>
#include <utility>

#include "graph/formats/drawing.hpp"
#include "graph/formats/treepool.hpp"
#include "graph/outline.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;

constexpr std::array<std::pair<GraphOutput, std::string_view>, 8> kNames{{
    {GraphOutput::r, "r"},
    {GraphOutput::rv1exec, "rv1exec"},
    {GraphOutput::treepool, "treepool"},
    {GraphOutput::jgf, "jgf"},
    {GraphOutput::jgf_shorthand, "jgf_shorthand"},
    {GraphOutput::dot, "dot"},
    {GraphOutput::svg, "svg"},
    {GraphOutput::graphml, "graphml"},
}};

Result<void> write_r_text(const ResourceGraph& graph, GraphOutput output, const RTimes& times,
                          const TextSink& sink) {
  if (graph.present().none()) {
    return failure(ErrorCode::unsupported, "the graph has no nodes with a rank: no R can tell it");
  }
  json::object r = write_inventory(graph, graph.present(), {.times = times});
  r["execution"].as_object().erase("nslots");  // of a job, not of a machine
  if (output == GraphOutput::treepool) {
    r["scheduling"] = write_treepool(graph, graph.present());
  }
  std::string text = json::serialize(r);
  const bool has_tree = output == GraphOutput::r && !graph.topology().is_flat();
  if (!has_tree) {
    sink(text + "\n");
    return {};
  }
  text.pop_back();  // the last brace
  sink(text + ", \"scheduling\": ");
  write_jgf(graph, JgfForm::whole, sink);
  sink("}\n");
  return {};
}

Result<void> write_jgf_text(const ResourceGraph& graph, JgfForm form, const TextSink& sink) {
  write_jgf(graph, form, sink);
  sink("\n");
  return {};
}

Result<void> write_text(const Result<std::string>& text, const TextSink& sink) {
  if (!text) return text.error();
  sink(*text);
  return {};
}

}  // namespace

Result<GraphOutput> parse_graph_output(std::string_view name) {
  for (const auto& [output, known] : kNames) {
    if (known == name) return output;
  }
  return failure(ErrorCode::invalid,
                 "{} is no format that graphs are written in: r, rv1exec, treepool, jgf, "
                 "jgf_shorthand, dot, svg, graphml",
                 in_quotes(name));
}

Result<void> write_graph(const ResourceGraph& graph, GraphOutput output, const RTimes& times,
                         const TextSink& sink) {
  switch (output) {
    case GraphOutput::r:
    case GraphOutput::rv1exec:
    case GraphOutput::treepool:
      return write_r_text(graph, output, times, sink);
    case GraphOutput::jgf:
      return write_jgf_text(graph, JgfForm::whole, sink);
    case GraphOutput::jgf_shorthand:
      return write_jgf_text(graph, JgfForm::shorthand, sink);
    case GraphOutput::dot:
      return write_text(draw_dot(Outline(graph)), sink);
    case GraphOutput::svg:
      return write_text(draw_svg(Outline(graph)), sink);
    case GraphOutput::graphml:
      return write_text(write_recipe(Outline(graph)), sink);
  }
  CHECK(false, "no such output");
}

}  // namespace tenure::graph
