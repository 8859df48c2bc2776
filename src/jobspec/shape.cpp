#include "jobspec/shape.hpp"

#include <string>

#include "base/range.hpp"
#include "base/text.hpp"
#include "jobspec/canonical.hpp"

namespace tenure::jobspec {
namespace {

namespace json = boost::json;

/// A count as RFC 14 has it: integer, dictionary of a range, idset string.
Result<json::value> count_value(std::string_view text) {
  const auto set = CountSet::parse(text);
  if (!set) return set.error();
  const auto range = CountRange::parse(text);
  if (!range) return set->is_fixed() ? json::value(set->min()) : json::value(json::string(text));
  const CountRange::Members& members = range->members();
  json::object object;
  object["min"] = members.min;
  const bool plain = members.op == CountRange::Operator::add && members.operand == 1;
  if (members.max) object["max"] = *members.max;
  if (members.max || !plain) {
    object["operator"] = members.op == CountRange::Operator::add        ? "+"
                         : members.op == CountRange::Operator::multiply ? "*"
                                                                        : "^";
    object["operand"] = members.operand;
  }
  return object;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<json::array> parse() {
    auto list = read_list(1);
    if (!list) return list;
    if (!at_end()) return fail("expected ';', '/' or the end");
    if (unlabeled_ > 0 && slots_ > 1) {
      return failure(ErrorCode::invalid,
                     "shape {}: a slot without a label; of several slots each needs one: "
                     "slot{{LABEL}}",
                     in_quotes(text_));
    }
    return list;
  }

 private:
  bool at_end() const { return place_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[place_]; }
  void skip_space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n') ++place_;
  }
  bool accept(char c) {
    skip_space();
    if (peek() != c || at_end()) return false;
    ++place_;
    skip_space();
    return true;
  }
  Error fail(std::string_view what) const {
    return failure(ErrorCode::invalid, "shape {} at byte {}: {}", in_quotes(text_), place_ + 1,
                   what);
  }

  Result<json::array> read_list(int depth) {
    if (depth > kMaxResourceDepth) {
      return failure(ErrorCode::limit, "shape {}: is nested deeper than {}", in_quotes(text_),
                     kMaxResourceDepth);
    }
    json::array list;
    const bool bracket = accept('[');
    do {
      auto vertex = read_vertex(depth);
      if (!vertex) return vertex.error();
      list.push_back(*std::move(vertex));
    } while (bracket && accept(';'));
    if (bracket && !accept(']')) return fail("expected ';' or ']'");
    return list;
  }

  Result<json::value> read_vertex(int depth) {
    json::object vertex;
    auto type = read_word("=/{}[];,");
    if (!type) return type.error();
    const bool is_slot = *type == "slot";
    vertex["type"] = *type;
    vertex["count"] = 1;
    if (accept('=')) {
      auto count = read_count();
      if (!count) return count.error();
      vertex["count"] = *std::move(count);
    }
    slots_ += is_slot ? 1 : 0;
    if (accept('{')) {
      if (auto ok = read_items(vertex, is_slot, depth); !ok) return ok.error();
    } else if (is_slot) {
      vertex["label"] = "default";
      ++unlabeled_;
    }
    if (accept('/')) {
      auto with = read_list(depth + 1);
      if (!with) return with.error();
      vertex["with"] = *std::move(with);
    } else if (is_slot) {
      return fail("expected '/' and what the slot holds");
    }
    return vertex;
  }

  Result<json::value> read_count() {
    const bool bracket = accept('[');
    const std::size_t start = place_;
    const std::size_t end =
        std::min(text_.find_first_of(bracket ? "]" : "{/;]", start), text_.size());
    std::string_view text = text_.substr(start, end - start);
    while (text.ends_with(' ')) text.remove_suffix(1);
    auto count = count_value(text);
    if (!count) return fail(count.error().message);
    place_ = end;
    if (bracket && !accept(']')) return fail("expected ']' behind a count");
    return count;
  }

  /// What is between braces, the closing one included.
  Result<void> read_items(json::object& object, bool is_slot, int depth) {
    if (is_slot) {
      auto label = read_word(",}:=;/[]{");
      if (!label) return label.error();
      object["label"] = *std::move(label);
      if (accept('}')) return {};
      if (!accept(',')) return fail("expected ',' or '}' behind the label of a slot");
    } else if (accept('}')) {
      return {};
    }
    do {
      if (auto ok = read_item(object, depth); !ok) return ok;
    } while (accept(','));
    if (!accept('}')) return fail("expected ',' or '}'");
    return {};
  }

  Result<void> read_item(json::object& object, int depth) {
    const char sign = peek() == '+' || peek() == '-' ? text_[place_++] : '\0';
    auto key = read_word(",}:=;/[]{");
    if (!key) return key.error();
    if (*key == "x") key = std::string("exclusive");
    if (object.contains(*key)) return fail(fmt::format("the key {} is given twice", *key));
    if (sign == '\0' && accept(':')) {
      auto value = read_value(depth);
      if (!value) return value.error();
      object[*key] = *std::move(value);
      return {};
    }
    object[*key] = sign != '-';
    return {};
  }

  Result<json::value> read_value(int depth) {
    if (depth > kMaxResourceDepth) return fail("a value is nested too deeply");
    if (accept('{')) {
      json::object object;
      if (auto ok = read_items(object, false, depth + 1); !ok) return ok.error();
      return object;
    }
    if (peek() == '"') {
      auto word = read_word(",}");
      if (!word) return word.error();
      return json::value(json::string(*word));
    }
    // An array may hold commas and braces; everything else ends at one.
    const std::size_t start = place_;
    int open = 0;
    bool quoted = false;
    for (; !at_end(); ++place_) {
      const char c = peek();
      if (quoted && c == '\\') {
        ++place_;
        if (at_end()) break;
        continue;
      }
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (open == 0 && (c == ',' || c == '}')) break;
      open += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    }
    const std::string_view text = text_.substr(start, place_ - start);
    boost::system::error_code error;
    json::parse_options options;
    options.max_depth = kMaxResourceDepth;
    json::value value = json::parse(text, error, {}, options);
    if (!error) return value;
    if (text.empty() || text.find_first_of("[]{};/=\"") != std::string_view::npos) {
      return fail("expected a JSON value or a plain word");
    }
    return json::value(json::string(text));
  }

  /// A plain word up to one of `stops`, or a JSON string.
  Result<std::string> read_word(std::string_view stops) {
    skip_space();
    const std::size_t start = place_;
    if (peek() != '"') {
      place_ = std::min(text_.find_first_of(stops, start), text_.size());
      std::string_view word = text_.substr(start, place_ - start);
      while (word.ends_with(' ')) word.remove_suffix(1);
      if (word.empty()) return fail("expected a word");
      return std::string(word);
    }
    for (++place_; !at_end() && peek() != '"'; ++place_) place_ += peek() == '\\' ? 1 : 0;
    if (place_ >= text_.size()) {
      place_ = text_.size();
      return fail("a quote is not closed");
    }
    ++place_;
    boost::system::error_code error;
    const json::value value = json::parse(text_.substr(start, place_ - start), error);
    if (error || !value.is_string() || value.get_string().empty()) {
      return fail("the quotes hold no JSON string");
    }
    return std::string(value.get_string());
  }

  std::string_view text_;
  std::size_t place_ = 0;
  int slots_ = 0;
  int unlabeled_ = 0;
};

}  // namespace

Result<json::array> parse_shape(std::string_view text) {
  if (text.size() > kMaxShapeBytes) {
    return failure(ErrorCode::limit, "shape: more than {} bytes", kMaxShapeBytes);
  }
  if (!is_utf8(text)) return failure(ErrorCode::invalid, "shape: is not UTF-8 text");
  return Parser(text).parse();
}

}  // namespace tenure::jobspec
