#include "jobspec/query.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tenure::jobspec {
namespace {

namespace json = boost::json;

constexpr std::string_view kSpace = " \t\n\r";

json::value operation(std::string_view name, json::array operands) {
  json::object object;
  object[name] = std::move(operands);
  return object;
}

/// Recursive descent; nesting is counted, so no text recurses further than the bound.
class Parser {
 public:
  Parser(std::string_view text, const QuerySyntax& syntax) : text_(text), syntax_(syntax) {}

  Result<json::value> parse() {
    skip_space();
    if (at_end()) return json::value(json::object());
    auto result = read_or(1);
    if (!result) return result;
    if (!at_end()) return fail("')' without '('");
    return result;
  }

 private:
  bool at_end() const { return place_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[place_]; }
  void skip_space() {
    while (!at_end() && kSpace.find(peek()) != std::string_view::npos) ++place_;
  }
  Error fail(std::string_view what) const {
    return failure(ErrorCode::invalid, "query {} at byte {}: {}", in_quotes(text_), place_ + 1,
                   what);
  }

  /// Consumes an operator written as a sign (once or twice) or as a word.
  bool accept(char sign, std::string_view word) {
    if (sign != '\0' && peek() == sign) {
      place_ += text_.substr(place_, 2) == std::string(2, sign) ? 2 : 1;
      skip_space();
      return true;
    }
    if (!is_word(word)) return false;
    place_ += word.size();
    skip_space();
    return true;
  }
  bool is_word(std::string_view word) const {
    if (text_.substr(place_, word.size()) != word) return false;
    const std::size_t behind = place_ + word.size();
    return behind == text_.size() || ends_string(text_[behind]);
  }
  static bool ends_string(char c) {
    return kSpace.find(c) != std::string_view::npos || c == '&' || c == '|' || c == '(' || c == ')';
  }

  Result<json::value> read_or(int depth) {
    json::array operands;
    do {
      auto operand = read_and(depth);
      if (!operand) return operand;
      operands.push_back(*std::move(operand));
    } while (accept('|', "or"));
    return operands.size() == 1 ? operands.front() : operation("or", std::move(operands));
  }

  Result<json::value> read_and(int depth) {
    json::array operands;
    while (true) {
      auto operand = read_factor(depth);
      if (!operand) return operand;
      operands.push_back(*std::move(operand));
      if (accept('&', "and")) continue;
      if (at_end() || peek() == ')' || peek() == '|' || is_word("or")) break;
    }
    return operands.size() == 1 ? operands.front() : operation("and", std::move(operands));
  }

  Result<json::value> read_factor(int depth) {
    if (depth > kMaxConstraintDepth) {
      return failure(ErrorCode::limit, "query {}: is nested deeper than {}", in_quotes(text_),
                     kMaxConstraintDepth);
    }
    if (accept('\0', "not")) {
      auto operand = read_factor(depth + 1);
      if (!operand) return operand;
      return operation("not", json::array{*std::move(operand)});
    }
    if (peek() == '(') {
      ++place_;
      skip_space();
      auto inner = read_or(depth + 1);
      if (!inner) return inner;
      if (peek() != ')') return fail("expected ')'");
      ++place_;
      skip_space();
      return inner;
    }
    const bool negated = peek() == '-';
    if (negated) ++place_;
    if (negated && (peek() == '(' || peek() == '-' || at_end() || ends_string(peek()))) {
      return fail("'-' stands before a term only; use 'not' before an expression");
    }
    auto term = read_term();
    if (!term || !negated) return term;
    return operation("not", json::array{*std::move(term)});
  }

  Result<json::value> read_term() {
    if (at_end()) return fail("expected a term");
    if (is_word("and") || is_word("or")) return fail("expected a term before the operator");
    auto word = read_string(StopAt::colon);
    if (!word) return word.error();
    std::string name = syntax_.default_operator;
    std::string operand = *std::move(word);
    if (peek() == ':') {
      ++place_;
      name = std::move(operand);
      auto rest = read_string(StopAt::end_of_term);
      if (!rest) return rest.error();
      operand = *std::move(rest);
    }
    if (name.empty()) return fail("expected 'operator:' before a term");
    for (const auto& [alias, full] : syntax_.aliases) {
      if (name == alias) name = full;
    }
    skip_space();
    return operation(name, json::array{json::string(operand)});
  }

  enum class StopAt { colon, end_of_term };

  Result<std::string> read_string(StopAt stop) {
    std::string string;
    const std::size_t start = place_;
    while (!at_end() && !ends_string(peek())) {
      const char c = peek();
      if (stop == StopAt::colon && c == ':') break;
      if (c != '\'' && c != '"') {
        string += c;
        ++place_;
        continue;
      }
      const std::size_t end = text_.find(c, place_ + 1);
      if (end == std::string_view::npos) return fail("a quote is not closed");
      string += text_.substr(place_ + 1, end - place_ - 1);
      place_ = end + 1;
    }
    if (place_ == start) return fail("expected a term");
    return string;
  }

  std::string_view text_;
  const QuerySyntax& syntax_;
  std::size_t place_ = 0;
};

}  // namespace

Result<json::value> parse_query(std::string_view text, const QuerySyntax& syntax) {
  if (text.size() > kMaxQueryBytes) {
    return failure(ErrorCode::limit, "query: more than {} bytes", kMaxQueryBytes);
  }
  if (!is_utf8(text)) return failure(ErrorCode::invalid, "query: is not UTF-8 text");
  return Parser(text, syntax).parse();
}

}  // namespace tenure::jobspec
