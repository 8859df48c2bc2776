#include "jobspec/constraint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tenure::jobspec {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Ranks 0 to 7 on host0 to host7; ssd on 0-3, huge on 2-5, slowgpu on 1 and 7.
graph::ResourceGraph machine() {
  graph::ResourceGraph::Builder builder;
  const ShapeId shape = builder.add_shape({graph::Pool{"core", {0, 1}, 0}});
  for (std::uint32_t i = 0; i < 8; ++i) {
    builder.add_node(Rank(i), "host" + std::to_string(i), shape);
  }
  builder.add_property("ssd", *Idset::parse("0-3"));
  builder.add_property("huge", *Idset::parse("2-5"));
  builder.add_property("slowgpu", *Idset::parse("1,7"));
  builder.add_property("amd@gpu", *Idset::parse("6"));
  builder.add_property("+batch", *Idset::parse("0-1"));
  return *std::move(builder).build();
}

std::string matching(std::string_view text) {
  const auto constraint = Constraint::parse(json::parse(text));
  if (!constraint) return constraint.error().message;
  const graph::ResourceGraph graph = machine();
  return graph.ranks_of(constraint->evaluate(graph)).to_string();
}

Error error_of(const json::value& value) {
  const auto constraint = Constraint::parse(value);
  return constraint ? Error{ErrorCode::io, "no error"} : constraint.error();
}

TEST(Constraint, ExamplesOfTheRfc) {
  EXPECT_EQ(matching(R"({"properties": ["ssd"]})"), "0-3");
  EXPECT_EQ(matching(R"({"properties": ["^slowgpu"]})"), "0,2-6");
  EXPECT_EQ(matching(R"({"not": [{"properties": ["slowgpu"]}]})"), "0,2-6");
  EXPECT_EQ(matching(R"({"or": [{"properties": ["ssd"]}, {"properties": ["huge"]}]})"), "0-5");
  EXPECT_EQ(matching(R"({"hostlist": ["host[0-1]"]})"), "0-1");
  EXPECT_EQ(matching(R"({"not": [{"hostlist": ["host[0-1]"]}]})"), "2-7");
  EXPECT_EQ(matching(R"({"and": [{"hostlist": ["host[0-1]"]}, {"properties": ["ssd"]}]})"), "0-1");
  EXPECT_EQ(matching(R"({"ranks": ["0"]})"), "0");
  EXPECT_EQ(matching(R"({"not": [{"properties": ["ssd", "huge"]}]})"), "0-1,4-7");
}

TEST(Constraint, EmptyOnesMatchAllOrNothingAsTheRfcSays) {
  for (const auto* text : {"{}", R"({"and": []})", R"({"or": []})", R"({"properties": []})",
                           R"({"hostlist": []})", R"({"ranks": []})"}) {
    EXPECT_EQ(matching(text), "0-7") << text;
    EXPECT_TRUE(Constraint::parse(json::parse(text))->always()) << text;
  }
  EXPECT_EQ(matching(R"({"not": []})"), "");
  EXPECT_TRUE(Constraint::parse(json::parse(R"({"not": []})"))->never());
  EXPECT_EQ(matching(R"({"not": [{"not": []}]})"), "0-7");
  EXPECT_EQ(matching(R"({"not": [{}]})"), "");
  EXPECT_EQ(matching(R"({"or": [{"not": []}]})"), "");  // false alone, not the empty `or`
}

TEST(Constraint, NamesThatNoNodeHasMatchNothing) {
  EXPECT_EQ(matching(R"({"properties": ["none"]})"), "");
  EXPECT_EQ(matching(R"({"properties": ["^none"]})"), "0-7");
  EXPECT_EQ(matching(R"({"hostlist": ["other[1-3]", "host7"]})"), "7");
  EXPECT_EQ(matching(R"({"ranks": ["6-4294967294"]})"), "6-7");
}

TEST(Constraint, SuffixAndPlusArePartOfTheName) {
  EXPECT_EQ(matching(R"({"properties": ["amd@gpu"]})"), "6");
  EXPECT_EQ(matching(R"({"properties": ["amd"]})"), "");
  EXPECT_EQ(matching(R"({"properties": ["+batch"]})"), "0-1");
  EXPECT_EQ(matching(R"({"properties": ["batch"]})"), "");
}

TEST(Constraint, SeveralValuesOfPropertiesAllHoldOfHostsAndRanksAny) {
  EXPECT_EQ(matching(R"({"properties": ["ssd", "huge"]})"), "2-3");
  EXPECT_EQ(matching(R"({"properties": ["ssd", "^huge"]})"), "0-1");
  EXPECT_EQ(matching(R"({"hostlist": ["host1", "host[3,5]"]})"), "1,3,5");
  EXPECT_EQ(matching(R"({"ranks": ["0-1", "[5,7]"]})"), "0-1,5,7");
}

TEST(Constraint, ErrorsNameOperatorAndValue) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "an array of 0 is not a constraint object"},
      {R"("ssd")", "'ssd' is not a constraint object"},
      {R"({"xor": []})", "constraint: 'xor' is not an operator (properties, hostlist,"},
      {R"({"properties": "ssd"})", "properties: 'ssd' is not an array of values"},
      {R"({"properties": [1]})", "properties: 1 is not a property name"},
      {R"({"properties": ["^"]})", "properties: '^' is not a property name"},
      {R"({"properties": [""]})", "properties: '' is not a property name"},
      {R"({"properties": ["a^b"]})", "properties: 'a^b' is not a property name"},
      {R"({"hostlist": [7]})", "hostlist: 7 is not a string with a hostlist"},
      {R"({"hostlist": ["h[0-"]})", "hostlist: "},
      {R"({"ranks": [7]})", "ranks: 7 is not a string with an idset"},
      {R"({"ranks": ["7-1"]})", "ranks: "},
      {R"({"and": [7]})", "and: 7 is not a constraint object"},
      {R"({"or": [{"and": {}}]})", "or: and: an object is not an array of values"},
      {R"({"not": [{}, {}]})", "not: has 2 values, one is valid"},
      {R"({"and": [], "or": []})", "has 2 operators in one object, one is valid"},
  };
  for (const auto& [text, message] : cases) {
    const Error error = error_of(json::parse(text));
    EXPECT_EQ(error.code, ErrorCode::invalid) << text;
    EXPECT_THAT(error.message, StartsWith(message)) << text;
  }
}

TEST(Constraint, EachIllegalCharacterIsRefused) {
  for (const char c : std::string_view("!&'\"^`|()")) {
    json::array values;
    values.emplace_back(std::string("a") + c);
    json::object object;
    object["properties"] = std::move(values);
    EXPECT_EQ(error_of(object).code, ErrorCode::invalid) << c;
  }
}

json::value nested(std::string_view op, int levels) {
  json::value value = json::object();
  for (int i = 1; i < levels; ++i) {
    json::array values;
    values.push_back(std::move(value));
    json::object object;
    object[op] = std::move(values);
    value = std::move(object);
  }
  return value;
}

TEST(Constraint, NestingIsLimited) {
  for (const char* op : {"not", "and", "or"}) {
    EXPECT_TRUE(Constraint::parse(nested(op, kMaxConstraintDepth))) << op;
    EXPECT_EQ(error_of(nested(op, kMaxConstraintDepth + 1)).code, ErrorCode::limit) << op;
    EXPECT_EQ(error_of(nested(op, 10'000)).code, ErrorCode::limit) << op;
  }
}

TEST(Constraint, ValuesAndHostsAreLimitedInAll) {
  json::array ranks;
  for (std::size_t i = 0; i < kMaxConstraintValues / 2; ++i) ranks.emplace_back("1");
  json::object one;
  one["ranks"] = ranks;
  EXPECT_TRUE(Constraint::parse(one));
  json::array both;
  both.push_back(one);
  both.push_back(one);
  json::object object;
  object["or"] = std::move(both);
  EXPECT_EQ(error_of(object).code, ErrorCode::limit);

  const Error hosts = error_of(json::parse(R"({"hostlist": ["h[0-999999]", "g[0-999999]"]})"));
  EXPECT_EQ(hosts.code, ErrorCode::limit);
}

TEST(Constraint, TextsAreCanonical) {
  const auto text = [](std::string_view value) {
    return Constraint::parse(json::parse(value))->to_string();
  };
  EXPECT_EQ(text("{}"), "{}");
  EXPECT_EQ(text(R"({"and": [{"properties": ["a"]}, {"and": [{"properties": ["^b"]}, {}]}]})"),
            R"({"properties":["a","^b"]})");
  EXPECT_EQ(text(R"({"hostlist": ["h10", "h9", "h9", "h11"]})"), R"({"hostlist":["h[9-11]"]})");
  EXPECT_EQ(text(R"({"ranks": ["1", "0,2"]})"), R"({"ranks":["0-2"]})");
  EXPECT_EQ(text(R"({"not": [{"not": [{"ranks": ["1"]}]}]})"), R"({"ranks":["1"]})");
  EXPECT_EQ(text(R"({"or": [{"ranks": ["1"]}, {"not": []}]})"), R"({"ranks":["1"]})");
  EXPECT_EQ(text(R"({"and": [{"ranks": ["1"]}, {"not": []}]})"), R"({"not":[]})");
  EXPECT_EQ(text(R"({"not": [{}]})"), R"({"not":[]})");
  EXPECT_EQ(text(R"({"not": [{"not": []}]})"), "{}");
}

/// A constraint as random JSON over the names of machine().
rc::Gen<json::value> constraints(int depth) {
  return rc::gen::exec([depth]() -> json::value {
    json::array values;
    const auto some = [&](std::initializer_list<const char*> choices) {
      const int count = *rc::gen::inRange(0, 3);
      for (int i = 0; i < count; ++i) {
        values.emplace_back(*rc::gen::elementOf(std::vector<const char*>(choices)));
      }
    };
    const int kind = *rc::gen::inRange(0, depth > 0 ? 8 : 5);
    json::object object;
    switch (kind) {
      case 0:
        return object;
      case 1:
      case 2:
        some({"ssd", "huge", "^slowgpu", "^ssd", "none", "amd@gpu"});
        object["properties"] = std::move(values);
        return object;
      case 3:
        some({"host[0-3]", "host7,host[1-2]", "x"});
        object["hostlist"] = std::move(values);
        return object;
      case 4:
        some({"0-2", "5", "[6-9]"});
        object["ranks"] = std::move(values);
        return object;
      case 5:
        if (*rc::gen::inRange(0, 4) > 0) values.push_back(*constraints(depth - 1));
        object["not"] = std::move(values);
        return object;
      default:
        break;
    }
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) values.push_back(*constraints(depth - 1));
    object[kind == 6 ? "and" : "or"] = std::move(values);
    return object;
  });
}

/// The meaning of RFC 31 for one node, straight from the JSON.
bool naive_match(const json::value& value, const graph::ResourceGraph& graph, NodeIndex node) {
  if (value.get_object().empty()) return true;
  const std::string_view op = value.get_object().begin()->key();
  const json::array& values = value.get_object().begin()->value().get_array();
  if (op == "not") return !values.empty() && !naive_match(values.front(), graph, node);
  if (values.empty()) return true;
  bool all = true;
  bool any = false;
  for (const json::value& operand : values) {
    bool holds = false;
    if (op == "and" || op == "or") {
      holds = naive_match(operand, graph, node);
    } else if (op == "properties") {
      const std::string name(operand.get_string());
      const bool negated = name.front() == '^';
      const graph::NodeSet* having = graph.find_property(negated ? name.substr(1) : name);
      holds = (having != nullptr && having->test(node)) != negated;
    } else if (op == "ranks") {
      holds = Idset::parse(operand.get_string())->contains(graph.node(node).rank.value());
    } else if (operand.get_string() == "host[0-3]") {
      holds = graph.node(node).rank.value() <= 3;
    } else if (operand.get_string() != "x") {
      const std::uint32_t rank = graph.node(node).rank.value();
      holds = rank == 7 || rank == 1 || rank == 2;
    }
    all = all && holds;
    any = any || holds;
  }
  return op == "and" || op == "properties" ? all : any;
}

RC_GTEST_PROP(ConstraintProperty, EvaluatesLikeTheNaiveMeaningNodeByNode, ()) {
  const graph::ResourceGraph graph = machine();
  const json::value value = *constraints(4);
  const auto constraint = Constraint::parse(value);
  RC_ASSERT(constraint.has_value());
  const graph::NodeSet nodes = constraint->evaluate(graph);
  for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
    RC_ASSERT(nodes.test(NodeIndex(i)) == naive_match(value, graph, NodeIndex(i)));
  }
}

RC_GTEST_PROP(ConstraintProperty, TextsReadBackEqual, ()) {
  const auto a = Constraint::parse(*constraints(4));
  const auto b = Constraint::parse(*constraints(3));
  RC_ASSERT(*Constraint::parse(json::parse(a->to_string())) == *a);
  RC_ASSERT((a->to_string() == b->to_string()) == (*a == *b));
  const Constraint both = Constraint::both(*a, *b);
  const graph::ResourceGraph graph = machine();
  graph::NodeSet expected = a->evaluate(graph);
  expected &= b->evaluate(graph);
  RC_ASSERT(both.evaluate(graph) == expected);
  RC_ASSERT(*Constraint::parse(both.to_json()) == both);
}

}  // namespace
}  // namespace tenure::jobspec
