// RFC 31 constraints: the nodes that satisfy one are those that a reading word by word of
// the RFC finds; the canonical form means the same.
#include "jobspec/constraint.hpp"

#include <algorithm>

#include "base/hostlist.hpp"
#include "fuzz/target.hpp"
#include "graph/formats/r.hpp"

namespace tenure::fuzz {
namespace {

namespace json = boost::json;

const graph::ResourceGraph& machine() {
  static const graph::Inventory read = *graph::read_inventory(json::parse(
      R"({"version":1,"execution":{"R_lite":[{"rank":"0-5","children":{"core":"0-1"}},
          {"rank":"9","children":{"core":"0"}}],"nodelist":["a[0-2],b,c[07,8],a1"],
          "properties":{"fast":"0-2","ssd":"2,4,9","amd@gpu":"5","+q":"0,9"}}})"));
  return read.graph;
}

bool has_property(NodeIndex node, std::string_view name) {
  if (name.starts_with('^')) return !has_property(node, name.substr(1));
  const graph::NodeSet* having = machine().find_property(name);
  return having != nullptr && having->test(node);
}

bool satisfies(NodeIndex node, const json::value& constraint);

/// Whether a node satisfies {op: values}; the constraint was accepted, so that values are
/// of the right kind.
bool satisfies(NodeIndex node, std::string_view op, const json::array& values) {
  const auto holds = [&](const json::value& operand) { return satisfies(node, operand); };
  if (op == "and") return std::ranges::all_of(values, holds);
  if (op == "or") return values.empty() || std::ranges::any_of(values, holds);
  if (op == "not") return !std::ranges::all_of(values, holds);
  if (op == "properties") {
    return std::ranges::all_of(values, [&](const json::value& value) {
      return has_property(node, std::string_view(value.as_string()));
    });
  }
  if (values.empty()) return true;
  return std::ranges::any_of(values, [&](const json::value& value) {
    const std::string_view text = value.as_string();
    if (op == "ranks") return Idset::parse(text)->contains(machine().node(node).rank.value());
    const auto hosts = parse_hostlist(text);
    return std::ranges::find(*hosts, machine().node(node).host) != hosts->end();
  });
}

bool satisfies(NodeIndex node, const json::value& constraint) {
  return std::ranges::all_of(constraint.as_object(), [&](const auto& member) {
    return satisfies(node, member.key(), member.value().as_array());
  });
}

}  // namespace
}  // namespace tenure::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace tenure;        // NOLINT: the entry point alone stands outside
  using namespace tenure::fuzz;  // NOLINT
  using jobspec::Constraint;
  const auto text = as_json(as_text(bytes, size));
  if (!text) return 0;
  const auto parsed = Constraint::parse(*text);
  if (!parsed) {
    check_error(parsed.error());
    return 0;
  }
  const graph::NodeSet nodes = parsed->evaluate(machine());
  for (std::uint32_t i = 0; i < machine().node_count(); ++i) {
    const NodeIndex node(i);
    const bool expected = satisfies(node, *text);
    require(nodes.test(node) == expected, "node {}: {}, word by word {}", i, nodes.test(node),
            expected);
  }
  require(!parsed->always() || nodes.count() == machine().node_count(), "always, but not all");
  require(!parsed->never() || nodes.count() == 0, "never, but some");
  const auto again = Constraint::parse(boost::json::parse(parsed->to_string()));
  require(again.has_value(), "the canonical form is refused: {}", parsed->to_string());
  require(*again == *parsed, "the canonical form is another: {}", parsed->to_string());
  require(Constraint::both(*parsed, *parsed).evaluate(machine()) == nodes, "twice is not once");
  return 0;
}
