// R (RFC 20): what is read is written and read again as the same; what a job holds is found
// again by rank; errors are short.
#include <set>

#include "fuzz/target.hpp"
#include "graph/formats/r.hpp"

namespace tenure::fuzz {
namespace {

namespace json = boost::json;

constexpr std::uint32_t kMaxChecked = 2048;  ///< nodes; larger machines are only read

void check_same_machine(const graph::ResourceGraph& a, const graph::ResourceGraph& b) {
  require(a.node_count() == b.node_count(), "{} nodes, read again {}", a.node_count(),
          b.node_count());
  for (std::uint32_t i = 0; i < a.node_count(); ++i) {
    const NodeIndex node(i);
    require(a.node(node).rank == b.node(node).rank, "node {}: another rank", i);
    require(a.node(node).host == b.node(node).host, "node {}: host {} is read again as {}", i,
            a.node(node).host, b.node(node).host);
    require(a.shape_of(node) == b.shape_of(node), "node {}: another shape", i);
  }
  for (const auto& [name, nodes] : a.properties()) {
    if (name.front() == '+' || nodes.none()) continue;
    const graph::NodeSet* again = b.find_property(name);
    require(again != nullptr && *again == nodes, "property {}: on other nodes", name);
  }
}

/// The whole machine as a job's R and back.
void check_allocation(const graph::ResourceGraph& graph, const json::value& written) {
  const auto whole = graph.whole_nodes(graph.present());
  const auto read = graph::read_allocation(written, graph);
  require(read.has_value(), "our own R is refused");
  require(read->unknown_ranks == 0 && read->unknown_units == 0, "ranks of our own R are unknown");
  require(read->resources == whole, "the whole machine is not read back");
  const auto ranks = graph::read_ranks(written);
  require(ranks.has_value() && *ranks == graph.ranks_of(whole), "the ranks are not read back");
}

void check_inventory(const json::value& r) {
  const auto read = graph::read_inventory(r);
  if (!read) return check_error(read.error());
  const graph::ResourceGraph& graph = read->graph;
  if (graph.node_count() > kMaxChecked || graph.node_count() == 0) return;
  const json::value* scheduling = read->scheduling ? &*read->scheduling : nullptr;
  const graph::RHeader header{.times = read->times, .scheduling = scheduling};
  const json::value written = graph::write_r(graph.whole_nodes(graph.present()), graph, header);
  const auto again = graph::read_inventory(json::parse(json::serialize(written)));
  require(again.has_value(), "our own R is refused: {}",
          again ? std::string() : again.error().message);
  require(graph.target_count() == again->graph.target_count(), "{} nodes, read again {}",
          graph.target_count(), again->graph.target_count());
  if (graph.topology().is_flat()) {
    check_same_machine(graph, again->graph);
    require(again->scheduling == read->scheduling, "the scheduling key changed on the way");
  }
  check_allocation(graph, written);
}

/// The R of a job on a machine that it may not know.
void check_job(const json::value& r) {
  static const graph::Inventory machine = *graph::read_inventory(json::parse(
      R"({"version":1,"execution":{"R_lite":[{"rank":"0-7","children":{"core":"0-3","gpu":"0"}},
          {"rank":"8-9","children":{}}],"nodelist":["n[0-9]"]}})"));
  const auto ranks = graph::read_ranks(r);
  if (!ranks) check_error(ranks.error());
  const auto read = graph::read_allocation(r, machine.graph);
  if (!read) return check_error(read.error());
  require(ranks.has_value(), "an R is read as an allocation, its ranks are not");
  require(read->unknown_ranks <= ranks->size(), "more unknown ranks than ranks");
  const auto written = graph::write_r(read->resources, machine.graph, {.times = read->times});
  const auto again = graph::read_allocation(written, machine.graph);
  require(again.has_value(), "our own R is refused");
  require(again->resources == read->resources, "an allocation is not read back");
  require(again->unknown_ranks == 0 && again->unknown_units == 0, "our own R has unknown parts");
}

}  // namespace
}  // namespace tenure::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tenure::fuzz;  // NOLINT: the entry point alone stands outside
  const auto r = as_json(as_text(bytes, size));
  if (!r) return 0;
  check_inventory(*r);
  check_job(*r);
  return 0;
}
