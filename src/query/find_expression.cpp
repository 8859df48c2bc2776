#include "query/find_expression.hpp"

#include <algorithm>
#include <optional>

#include "base/hostlist.hpp"
#include "base/ids.hpp"

namespace tenure::query {
namespace {

using Kind = Predicate::Kind;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

/// The kinds of predicates whose value is a word.
std::optional<Kind> kind_of_word(std::string_view key, std::string_view value) {
  if (key == "status" && value == "up") return Kind::up;
  if (key == "status" && value == "down") return Kind::down;
  if (key == "sched-now" && value == "allocated") return Kind::allocated;
  if (key == "sched-now" && value == "free") return Kind::free_now;
  if (key == "sched-future" && value == "reserved") return Kind::reserved;
  if (key == "sched-future" && value == "free") return Kind::free_later;
  if (key == "agfilter" && (value == "true" || value == "t")) return Kind::everything;
  if (key == "agfilter" && (value == "false" || value == "f")) return Kind::nothing;
  return std::nullopt;
}

std::optional<Kind> kind_of_job(std::string_view key) {
  if (key == "jobid-alloc") return Kind::job_allocated;
  if (key == "jobid-span") return Kind::job_span;
  if (key == "jobid-tag") return Kind::job_tag;
  if (key == "jobid-reserved") return Kind::job_reserved;
  return std::nullopt;
}

std::optional<Predicate> read_predicate(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view key = word.substr(0, equals);
  const std::string_view value = word.substr(equals + 1);
  if (const auto kind = kind_of_word(key, lower(value))) return Predicate{.kind = *kind};
  if (const auto kind = kind_of_job(key)) {
    const auto job = parse_job_id(value);
    if (!job) return std::nullopt;
    return Predicate{.kind = *kind, .job = static_cast<std::int64_t>(job->value())};
  }
  if (key == "property" && !value.empty()) {
    return Predicate{.kind = Kind::property, .name = lower(value)};
  }
  if (key != "names") return std::nullopt;
  auto names = parse_hostlist(value);
  if (!names || names->empty()) return std::nullopt;
  return Predicate{.kind = Kind::names, .names = {names->begin(), names->end()}};
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t()", i), text.size());
    if (end > i) {
      words.push_back(text.substr(i, end - i));
      i = end;
    } else {
      if (text[i] == '(' || text[i] == ')') words.push_back(text.substr(i, 1));
      ++i;
    }
  }
  return words;
}

}  // namespace

class FindParser {
 public:
  explicit FindParser(std::string_view text) : words_(split(text)) {}

  std::optional<FindExpression> parse() {
    auto expression = read_chain(0);
    if (next_ != words_.size()) return std::nullopt;
    return expression;
  }

 private:
  std::string_view word() const { return next_ < words_.size() ? words_[next_] : ")"; }

  std::optional<FindExpression> read_chain(int depth) {
    auto left = read_term(depth);
    while (left && next_ < words_.size() && word() != ")") {
      const bool either = word() == "or";
      if (either || word() == "and") ++next_;
      auto right = read_term(depth);
      if (!right) return std::nullopt;
      FindExpression joined;
      joined.op_ = either ? FindExpression::Op::either : FindExpression::Op::both;
      joined.operands_ = {*std::move(left), *std::move(right)};
      left = std::move(joined);
    }
    return left;
  }

  std::optional<FindExpression> read_term(int depth) {
    if (depth > kMaxFindDepth) return std::nullopt;
    if (word() == "(") {
      ++next_;
      auto inside = read_chain(depth + 1);
      if (next_ == words_.size()) return std::nullopt;
      ++next_;
      return inside;
    }
    auto predicate = read_predicate(word());
    if (!predicate) return std::nullopt;
    ++next_;
    FindExpression expression;
    expression.predicate_ = *std::move(predicate);
    return expression;
  }

  std::vector<std::string_view> words_;
  std::size_t next_ = 0;
};

Result<FindExpression> FindExpression::parse(std::string_view text) {
  constexpr std::size_t kMaxWords = 10'000;  // a chain nests as deep as it is long
  if (split(text).size() <= kMaxWords) {
    if (auto expression = FindParser(text).parse()) return *std::move(expression);
  }
  return failure(ErrorCode::invalid, "invalid criteria: {}.", text);
}

bool FindExpression::matches(const std::function<bool(const Predicate&)>& holds) const {
  switch (op_) {
    case Op::predicate:
      return holds(predicate_);
    case Op::both:
      return operands_[0].matches(holds) && operands_[1].matches(holds);
    case Op::either:
      return operands_[0].matches(holds) || operands_[1].matches(holds);
  }
  return false;
}

bool FindExpression::shows_filters() const {
  if (op_ == Op::predicate) return predicate_.kind == Kind::everything;
  return std::ranges::any_of(operands_,
                             [](const FindExpression& part) { return part.shows_filters(); });
}

}  // namespace tenure::query
