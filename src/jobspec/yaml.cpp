#include "jobspec/yaml.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "graph/formats/json_field.hpp"
#include "jobspec/fields.hpp"

namespace tenure::jobspec {
namespace {

namespace json = boost::json;

/// YAML allows a plus sign.
template <class T>
std::optional<T> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_number<T>(text);
}

json::value plain_scalar(const std::string& text) {
  if (text == "null" || text == "~" || text.empty()) return nullptr;
  if (text == "true") return true;
  if (text == "false") return false;
  if (const auto integer = number<std::int64_t>(text)) return *integer;
  if (const auto integer = number<std::uint64_t>(text)) return *integer;
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return std::nan("");
  if (text == ".inf" || text == ".Inf" || text == "+.inf") return HUGE_VAL;
  if (text == "-.inf" || text == "-.Inf") return -HUGE_VAL;
  // from_chars would also take the words inf and nan, which are strings in YAML.
  const bool numeric = text.find_first_not_of("+-.0123456789eE") == std::string::npos;
  if (numeric) {
    if (const auto real = number<double>(text)) return *real;
  }
  return json::string(text);
}

Error at_line(std::string_view file, int line, Error error) {
  return within(fmt::format("{}:{}", file, line), std::move(error));
}

/// Walks what was loaded with a budget, for aliases make a small text a huge tree.
class Walk {
 public:
  explicit Walk(std::string_view file) : file_(file) {}

  Result<void> check(const YAML::Node& node, int depth) {
    const int line = node.Mark().line + 1;
    if (++nodes_ > kMaxYamlNodes) {
      return at_line(file_, line, failure(ErrorCode::limit, "more than {} values", kMaxYamlNodes));
    }
    if (depth > kMaxYamlDepth) {
      return at_line(file_, line,
                     failure(ErrorCode::limit, "is nested deeper than {}", kMaxYamlDepth));
    }
    if (node.IsSequence()) {
      for (const auto& element : node) {
        if (auto ok = check(element, depth + 1); !ok) return ok;
      }
    }
    if (!node.IsMap()) return {};
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) {
        return at_line(file_, line, failure(ErrorCode::invalid, "a key must be a single word"));
      }
      if (auto ok = check(entry.second, depth + 1); !ok) return ok;
    }
    return {};
  }

 private:
  std::string_view file_;
  std::uint64_t nodes_ = 0;
};

/// Notes the line of every field; finds keys given twice.
Result<void> note_lines(const YAML::Node& node, const std::string& path, YamlDocument& document) {
  if (node.IsSequence()) {
    std::size_t index = 0;
    for (const auto& child : node) {
      const std::string place = element(path, index++);
      document.lines.emplace(place, child.Mark().line + 1);
      if (auto ok = note_lines(child, place, document); !ok) return ok;
    }
  }
  if (!node.IsMap()) return {};
  for (const auto& entry : node) {
    const std::string place = member(path, entry.first.Scalar());
    const int line = entry.first.Mark().line + 1;
    if (!document.lines.emplace(place, line).second) {
      return at_line(document.file, line,
                     failure(ErrorCode::invalid, "{}: the key is given twice", place));
    }
    if (auto ok = note_lines(entry.second, place, document); !ok) return ok;
  }
  return {};
}

}  // namespace

Result<YAML::Node> load_yaml(const std::string& text, std::string_view file) {
  // Errors are named in full: a YAML::Node can be made of anything, an Error included.
  using boost::system::in_place_error;
  if (!is_utf8(text)) {
    return {in_place_error, failure(ErrorCode::invalid, "{}: is not UTF-8 text", file)};
  }
  try {  // the one place where exceptions of yaml-cpp are met: loading
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1) {
      return {in_place_error,
              at_line(file, documents[1].Mark().line + 1,
                      failure(ErrorCode::invalid, "a second document begins; one is valid"))};
    }
    if (documents.empty()) return {boost::system::in_place_value, YAML::Node()};
    if (const auto ok = Walk(file).check(documents.front(), 1); !ok) {
      return {in_place_error, ok.error()};
    }
    return {boost::system::in_place_value, documents.front()};
  } catch (const YAML::Exception& error) {
    return {in_place_error,
            at_line(file, error.mark.line + 1, Error{ErrorCode::invalid, error.msg})};
  }
}

json::value to_json(const YAML::Node& node) {
  if (node.IsMap()) {
    json::object object;
    for (const auto& entry : node) object[entry.first.Scalar()] = to_json(entry.second);
    return object;
  }
  if (node.IsSequence()) {
    json::array array;
    for (const auto& child : node) array.push_back(to_json(child));
    return array;
  }
  if (!node.IsScalar()) return nullptr;
  return node.Tag() == "!" ? json::value(json::string(node.Scalar())) : plain_scalar(node.Scalar());
}

Error YamlDocument::locate(Error error) const {
  std::string path = error.message.substr(0, error.message.find(": "));
  while (true) {
    if (const auto line = lines.find(path); line != lines.end()) {
      return at_line(file, line->second, std::move(error));
    }
    const std::size_t cut = path.find_last_of(".[");
    if (cut == std::string::npos) return at_line(file, 1, std::move(error));
    path.resize(cut);
  }
}

Result<YamlDocument> read_yaml(const std::string& text, std::string_view file) {
  const auto node = load_yaml(text, file);
  if (!node) return node.error();
  YamlDocument document;
  document.file = file;
  if (auto ok = note_lines(*node, "", document); !ok) return ok.error();
  document.value = to_json(*node);
  return document;
}

}  // namespace tenure::jobspec
