#include "jobspec/constraint.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/hostlist.hpp"
#include "graph/formats/json_field.hpp"

namespace tenure::jobspec {
namespace {

namespace json = boost::json;
using graph::show_text;

/// Orders names so that equal prefixes stand together with their numbers ascending, which
/// is what makes hostlists short: by name without its last digits, length, name.
bool host_order(const std::string& a, const std::string& b) {
  const auto prefix = [](const std::string& name) {
    return std::string_view(name).substr(0, name.find_last_not_of("0123456789") + 1);
  };
  if (const int order = prefix(a).compare(prefix(b)); order != 0) return order < 0;
  if (a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

}  // namespace

/// Recursive descent with counters, so that no input costs more than the limits.
class Constraint::Parser {
 public:
  Result<Constraint> parse(const json::value& value, int depth) {
    if (depth > kMaxConstraintDepth) {
      return failure(ErrorCode::limit, "is nested deeper than {}", kMaxConstraintDepth);
    }
    const json::object* object = value.if_object();
    if (object == nullptr) {
      return failure(ErrorCode::invalid, "{} is not a constraint object", graph::show(value));
    }
    if (object->empty()) return Constraint();
    if (object->size() > 1) {
      return failure(ErrorCode::invalid,
                     "has {} operators in one object, one is valid (join them with 'and')",
                     object->size());
    }
    const auto& [key, operand] = *object->begin();
    const std::string_view op = key;
    Result<Constraint> parsed = apply(op, operand, depth);
    if (!parsed) return within(is_known(op) ? op : "constraint", parsed.error());
    return parsed;
  }

 private:
  static bool is_known(std::string_view op) {
    constexpr std::string_view kOperators[] = {"properties", "hostlist", "ranks",
                                               "not",        "or",       "and"};
    return std::find(std::begin(kOperators), std::end(kOperators), op) != std::end(kOperators);
  }

  Result<Constraint> apply(std::string_view op, const json::value& operand, int depth) {
    if (!is_known(op)) {
      return failure(ErrorCode::invalid,
                     "{} is not an operator (properties, hostlist, ranks, not, or, and)",
                     show_text(op));
    }
    const json::array* values = operand.if_array();
    if (values == nullptr) {
      return failure(ErrorCode::invalid, "{} is not an array of values", graph::show(operand));
    }
    values_ += values->size();
    if (values_ > kMaxConstraintValues) {
      return failure(ErrorCode::limit, "a constraint has more than {} values",
                     kMaxConstraintValues);
    }
    if (op == "properties") return properties(*values);
    if (op == "hostlist") return hostlist(*values);
    if (op == "ranks") return ranks(*values);
    if (op == "not") return negation(*values, depth);
    if (op == "or" && values->empty()) return Constraint();  // RFC 31: always true

    Result<std::vector<Constraint>> parsed = operands(*values, depth);
    if (!parsed) return parsed.error();
    return op == "or" ? any_of(*std::move(parsed)) : all_of(*std::move(parsed));
  }

  Result<Constraint> properties(const json::array& values) {
    std::vector<Constraint> all;
    for (const json::value& value : values) {
      const json::string* text = value.if_string();
      std::string_view name = text == nullptr ? std::string_view() : std::string_view(*text);
      const bool negated = name.starts_with('^');
      if (negated) name.remove_prefix(1);
      if (!graph::is_property_name(name)) {
        return failure(ErrorCode::invalid, "{} is not {}", graph::show(value),
                       graph::kPropertyNameRule);
      }
      Constraint property(Op::property);
      property.property_ = name;
      all.push_back(negated ? none_of(std::move(property)) : std::move(property));
    }
    return all_of(std::move(all));
  }

  Result<Constraint> hostlist(const json::array& values) {
    if (values.empty()) return Constraint();
    Constraint hosts(Op::hosts);
    for (const json::value& value : values) {
      const json::string* text = value.if_string();
      if (text == nullptr) {
        return failure(ErrorCode::invalid, "{} is not a string with a hostlist",
                       graph::show(value));
      }
      Result<std::vector<std::string>> names = parse_hostlist(*text);
      if (!names) return names.error();
      hosts_ += names->size();
      if (hosts_ > kMaxConstraintHosts) {
        return failure(ErrorCode::limit, "a constraint has more than {} host names",
                       kMaxConstraintHosts);
      }
      std::move(names->begin(), names->end(), std::back_inserter(hosts.hosts_));
    }
    std::sort(hosts.hosts_.begin(), hosts.hosts_.end(), host_order);
    hosts.hosts_.erase(std::unique(hosts.hosts_.begin(), hosts.hosts_.end()), hosts.hosts_.end());
    return hosts;
  }

  Result<Constraint> ranks(const json::array& values) {
    if (values.empty()) return Constraint();
    Constraint ranks(Op::ranks);
    for (const json::value& value : values) {
      const json::string* text = value.if_string();
      if (text == nullptr) {
        return failure(ErrorCode::invalid, "{} is not a string with an idset", graph::show(value));
      }
      const Result<Idset> ids = Idset::parse(*text);
      if (!ids) return ids.error();
      ranks.ranks_ = ranks.ranks_ | *ids;
    }
    return ranks;
  }

  Result<Constraint> negation(const json::array& values, int depth) {
    if (values.empty()) return Constraint(Op::never);
    if (values.size() > 1) {
      return failure(ErrorCode::invalid, "has {} values, one is valid", values.size());
    }
    Result<Constraint> operand = parse(values.front(), depth + 1);
    if (!operand) return operand.error();
    return none_of(*std::move(operand));
  }

  Result<std::vector<Constraint>> operands(const json::array& values, int depth) {
    std::vector<Constraint> operands;
    for (const json::value& value : values) {
      Result<Constraint> operand = parse(value, depth + 1);
      if (!operand) return operand.error();
      operands.push_back(*std::move(operand));
    }
    return operands;
  }

  std::size_t values_ = 0;
  std::size_t hosts_ = 0;
};

Result<Constraint> Constraint::parse(const json::value& json) { return Parser().parse(json, 1); }

Constraint Constraint::all_of(std::vector<Constraint> operands) {
  Constraint result(Op::all_of);
  for (Constraint& operand : operands) {
    if (operand.op_ == Op::never) return operand;
    if (operand.op_ == Op::always) continue;
    if (operand.op_ == Op::all_of) {
      std::move(operand.operands_.begin(), operand.operands_.end(),
                std::back_inserter(result.operands_));
    } else {
      result.operands_.push_back(std::move(operand));
    }
  }
  if (result.operands_.empty()) return Constraint();
  if (result.operands_.size() > 1) return result;
  Constraint only = std::move(result.operands_.front());
  return only;
}

Constraint Constraint::any_of(std::vector<Constraint> operands) {
  Constraint result(Op::any_of);
  for (Constraint& operand : operands) {
    if (operand.op_ == Op::always) return operand;
    if (operand.op_ == Op::never) continue;
    if (operand.op_ == Op::any_of) {
      std::move(operand.operands_.begin(), operand.operands_.end(),
                std::back_inserter(result.operands_));
    } else {
      result.operands_.push_back(std::move(operand));
    }
  }
  if (result.operands_.empty()) return Constraint(Op::never);
  if (result.operands_.size() > 1) return result;
  Constraint only = std::move(result.operands_.front());
  return only;
}

Constraint Constraint::none_of(Constraint operand) {
  if (operand.op_ == Op::always) return Constraint(Op::never);
  if (operand.op_ == Op::never) return Constraint();
  if (operand.op_ == Op::none_of) {
    Constraint inner = std::move(operand.operands_.front());
    return inner;
  }
  Constraint result(Op::none_of);
  result.operands_.push_back(std::move(operand));
  return result;
}

Constraint Constraint::both(Constraint a, Constraint b) {
  std::vector<Constraint> operands;
  operands.push_back(std::move(a));
  operands.push_back(std::move(b));
  return all_of(std::move(operands));
}

graph::NodeSet Constraint::evaluate(const graph::ResourceGraph& graph) const {
  graph::NodeSet nodes(graph.node_count());
  switch (op_) {
    case Op::always:
      nodes.complement();
      break;
    case Op::never:
      break;
    case Op::property:
      if (const graph::NodeSet* having = graph.find_property(property_)) nodes = *having;
      break;
    case Op::hosts:
      for (const std::string& host : hosts_) {
        for (const NodeIndex node : graph.find_host(host)) nodes.set(node);
      }
      break;
    case Op::ranks:
      nodes = graph.nodes_with_ranks(ranks_);
      break;
    case Op::all_of:
      nodes.complement();
      for (const Constraint& operand : operands_) nodes &= operand.evaluate(graph);
      break;
    case Op::any_of:
      for (const Constraint& operand : operands_) nodes |= operand.evaluate(graph);
      break;
    case Op::none_of:
      nodes = operands_.front().evaluate(graph);
      nodes.complement();
      break;
  }
  return nodes;
}

bool Constraint::is_property_literal() const {
  return op_ == Op::property || (op_ == Op::none_of && operands_.front().op_ == Op::property);
}

json::value Constraint::to_json() const {
  json::array values;
  const auto add_operands = [&] {
    for (const Constraint& operand : operands_) values.push_back(operand.to_json());
  };
  std::string_view op = "and";
  switch (op_) {
    case Op::always:
      return json::object();
    case Op::never:
      op = "not";
      break;
    case Op::property:
      op = "properties";
      values.emplace_back(property_);
      break;
    case Op::hosts:
      op = "hostlist";
      values.emplace_back(format_hostlist(hosts_));
      break;
    case Op::ranks:
      op = "ranks";
      values.emplace_back(ranks_.to_string());
      break;
    case Op::all_of:
      values = conjunction_to_json();
      if (values.size() == 1) return values.front();
      break;
    case Op::any_of:
      op = "or";
      add_operands();
      break;
    case Op::none_of:
      if (is_property_literal()) {
        op = "properties";
        values.emplace_back("^" + operands_.front().property_);
      } else {
        op = "not";
        add_operands();
      }
      break;
  }
  json::object object;
  object[op] = std::move(values);
  return object;
}

json::array Constraint::conjunction_to_json() const {
  json::array values;
  json::array names;  // of property literals that follow one another
  const auto flush = [&] {
    if (names.empty()) return;
    json::object object;
    object["properties"] = std::move(names);
    names = json::array();
    values.push_back(std::move(object));
  };
  for (const Constraint& operand : operands_) {
    if (operand.op_ == Op::property) {
      names.emplace_back(operand.property_);
    } else if (operand.is_property_literal()) {
      names.emplace_back("^" + operand.operands_.front().property_);
    } else {
      flush();
      values.push_back(operand.to_json());
    }
  }
  flush();
  return values;
}

std::string Constraint::to_string() const { return json::serialize(to_json()); }

}  // namespace tenure::jobspec
