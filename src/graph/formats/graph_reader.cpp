#include "graph/formats/graph_reader.hpp"

#include <array>
#include <utility>

#include "graph/formats/grug.hpp"
#include "graph/formats/scheduling.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;

constexpr std::array<std::pair<GraphFormat, std::string_view>, 7> kNames{{
    {GraphFormat::r, "r"},
    {GraphFormat::rv1exec, "rv1exec"},
    {GraphFormat::jgf, "jgf"},
    {GraphFormat::jgf_shorthand, "jgf_shorthand"},
    {GraphFormat::treepool, "treepool"},
    {GraphFormat::grug, "grug"},
    {GraphFormat::hwloc, "hwloc"},
}};

bool is_xml(GraphFormat format) {
  return format == GraphFormat::grug || format == GraphFormat::hwloc;
}

/// The root element decides; a document type names it as well.
GraphFormat xml_format(std::string_view text) {
  constexpr std::size_t kProlog = 4096;
  const std::string_view prolog = text.substr(0, kProlog);
  return prolog.find("<topology") != std::string_view::npos ? GraphFormat::hwloc
                                                            : GraphFormat::grug;
}

Result<ReadGraph> from_inventory(const json::object& rest, GraphFormat format) {
  auto inventory = read_inventory(rest);
  if (!inventory) return inventory.error();
  return ReadGraph{std::move(inventory->graph), format, inventory->times};
}

}  // namespace

std::string_view to_string(GraphFormat format) {
  return kNames[static_cast<std::size_t>(format)].second;
}

Result<GraphFormat> parse_graph_format(std::string_view name) {
  if (name == "rv1exec_force") return GraphFormat::rv1exec;
  for (const auto& [format, known] : kNames) {
    if (known == name) return format;
  }
  return failure(ErrorCode::invalid,
                 "{} is no format of graphs: r, rv1exec, jgf, jgf_shorthand, treepool, grug, hwloc",
                 in_quotes(name));
}

GraphReader::GraphReader(GraphReaderOptions options) : options_(std::move(options)) {
  if (!options_.format) return;
  is_xml_ = is_xml(*options_.format);
  if (is_xml_) return;
  const bool has_graph = *options_.format != GraphFormat::rv1exec;
  json_ = std::make_unique<JgfGraphReader>(has_graph ? JgfGraphReader::Graphs::read
                                                     : JgfGraphReader::Graphs::skipped);
}

Result<void> GraphReader::write(std::string_view piece) {
  if (json_) return json_->write(piece);
  text_ += piece;
  if (is_xml_) return {};
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string_view text = text_;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  is_xml_ = text[first] == '<';
  if (is_xml_) return {};
  json_ = std::make_unique<JgfGraphReader>(JgfGraphReader::Graphs::read);
  const std::string held = std::exchange(text_, {});
  return json_->write(std::string_view(held).substr(first + (held.size() - text.size())));
}

Result<ReadGraph> GraphReader::finish_json() {
  auto parts = json_->finish_any();
  if (!parts) return parts.error();
  const bool has_execution = parts->rest.contains("execution");
  const GraphFormat format =
      options_.format.value_or(parts->graph && !has_execution ? GraphFormat::jgf : GraphFormat::r);
  if (format == GraphFormat::jgf || format == GraphFormat::jgf_shorthand) {
    if (!parts->graph) return failure(ErrorCode::invalid, "graph: is missing");
    return ReadGraph{*std::move(parts->graph), format};
  }
  if (format == GraphFormat::rv1exec) parts->rest.erase("scheduling");
  auto read = from_inventory(parts->rest, format);
  if (!read || !parts->graph) return read;
  auto graph = fit_to_execution(*parts->graph, read->graph);
  if (!graph) return within("scheduling", graph.error());
  read->graph = *std::move(graph);
  return read;
}

Result<ReadGraph> GraphReader::finish() {
  if (json_) return finish_json();
  if (text_.find_first_not_of(" \t\r\n") == std::string::npos) {
    return failure(ErrorCode::invalid, "is empty: a graph is JSON or XML");
  }
  const GraphFormat format = options_.format.value_or(xml_format(text_));
  auto graph = format == GraphFormat::hwloc ? read_hwloc(text_, options_.hwloc) : read_grug(text_);
  if (!graph) return graph.error();
  return ReadGraph{*std::move(graph), format};
}

Result<ReadGraph> read_graph(std::string_view text, const GraphReaderOptions& options) {
  GraphReader reader(options);
  if (auto written = reader.write(text); !written) return written.error();
  return reader.finish();
}

}  // namespace tenure::graph
