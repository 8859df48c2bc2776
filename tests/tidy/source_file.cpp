#include "tidy/source_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace tenure::tidy {

namespace {

std::vector<std::string> to_lines(std::string_view content) {
  std::vector<std::string> lines;
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    lines.emplace_back(content.substr(0, end));
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return lines;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Blanks what is not code, keeping line ends.
class Blanker {
 public:
  explicit Blanker(std::string_view content) : code_(content) {}

  std::string run() && {
    while (place_ < code_.size()) {
      if (at("//")) {
        blank_until("\n", 0);
      } else if (at("/*")) {
        blank_until("*/", 2);
      } else if (at("R\"") && (place_ == 0 || !is_word(code_[place_ - 1]))) {
        raw_string();
      } else if (code_[place_] == '"' && !in_include()) {
        literal('"');
      } else if (code_[place_] == '\'' && (place_ == 0 || !is_word(code_[place_ - 1]))) {
        literal('\'');  // behind a digit it separates digits
      } else {
        ++place_;
      }
    }
    return std::move(code_);
  }

 private:
  bool at(std::string_view word) const {
    return std::string_view(code_).substr(place_).starts_with(word);
  }

  bool in_include() const {
    const std::size_t start = place_ == 0 ? std::string::npos : code_.rfind('\n', place_ - 1);
    const std::string_view line =
        std::string_view(code_).substr(start == std::string::npos ? 0 : start + 1);
    return line.starts_with("#include");
  }

  void blank(std::size_t end) {
    for (; place_ < std::min(end, code_.size()); ++place_) {
      if (code_[place_] != '\n') code_[place_] = ' ';
    }
  }

  void blank_until(std::string_view mark, std::size_t keep) {
    const std::size_t found = code_.find(mark, place_ + keep);
    blank(found == std::string::npos ? code_.size() : found + keep);
  }

  void raw_string() {
    const std::size_t open = code_.find('(', place_);
    if (open == std::string::npos) return blank(code_.size());
    const std::string close = ")" + code_.substr(place_ + 2, open - place_ - 2) + "\"";
    const std::size_t found = code_.find(close, open);
    blank(found == std::string::npos ? code_.size() : found + close.size());
  }

  void literal(char quote) {
    std::size_t end = place_ + 1;
    while (end < code_.size() && code_[end] != quote && code_[end] != '\n') {
      end += code_[end] == '\\' ? 2 : 1;
    }
    ++place_;  // the quotes stay: an empty literal is still a word
    blank(end);
    ++place_;
  }

  std::string code_;
  std::size_t place_ = 0;
};

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + word.size();
    if (starts && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

/// What a brace opens, told by the words before it since the last ';', '{' or '}'.
enum class Block { scope, function, initialiser, inside };

/// `head` ends in an open parenthesis (a default argument) or in a member (a constructor's
/// initialiser), and not in what may stand between parameters and body.
bool opens_initialiser(std::string_view head) {
  if (std::ranges::count(head, '(') > std::ranges::count(head, ')')) return true;
  while (head.ends_with(' ')) head.remove_suffix(1);
  std::size_t start = head.size();
  while (start > 0 && is_word(head[start - 1])) --start;
  const std::string_view last = head.substr(start);
  const bool named = !last.empty() || head.ends_with('>');
  constexpr std::array<std::string_view, 6> kBeforeBody{"const", "noexcept", "override",
                                                        "final", "mutable",  "try"};
  return named && head.find(')') != std::string_view::npos && head.find("->") == head.npos &&
         std::ranges::find(kBeforeBody, last) == kBeforeBody.end();
}

Block classify(std::string_view head, Block around) {
  if (around != Block::scope) return Block::inside;
  if (has_word(head, "namespace") || head.find("extern \"") != std::string_view::npos) {
    return Block::scope;
  }
  const bool has_parameters = head.find('(') != std::string_view::npos;
  if (has_parameters) return opens_initialiser(head) ? Block::initialiser : Block::function;
  const bool is_type =
      has_word(head, "class") || has_word(head, "struct") || has_word(head, "union");
  return is_type ? Block::scope : Block::inside;
}

/// Follows the braces of a file through its code, character by character.
class BraceWalk {
 public:
  void walk(char c, std::size_t line) {
    if (head_.empty()) head_line_ = line;
    if (c == '{') {
      open(line);
    } else if (c == '}') {
      close(line);
    } else if (c == ';' && !in_initialiser()) {
      head_.clear();
    } else if (!head_.empty() || std::isspace(static_cast<unsigned char>(c)) == 0) {
      head_ += c;
    }
  }

  std::vector<Function> found() && { return std::move(found_); }

 private:
  struct Open {
    Block block;
    std::size_t first_line;
  };

  bool in_initialiser() const { return !open_.empty() && open_.back().block == Block::initialiser; }

  void open(std::size_t line) {
    const Block around = open_.empty() ? Block::scope : open_.back().block;
    const Block block = around == Block::initialiser ? Block::initialiser : classify(head_, around);
    open_.push_back({block, head_.empty() ? line : head_line_});
    if (block != Block::initialiser) head_.clear();
  }

  void close(std::size_t line) {
    if (open_.empty()) return;
    const Open closed = open_.back();
    open_.pop_back();
    if (closed.block == Block::initialiser) return;  // the declaration goes on
    if (closed.block == Block::function) found_.push_back({closed.first_line, line});
    head_.clear();
  }

  std::vector<Open> open_;
  std::vector<Function> found_;
  std::string head_;
  std::size_t head_line_ = 0;
};

}  // namespace

SourceFile scan(std::string path, std::string_view content) {
  SourceFile file{std::move(path), to_lines(content), {}};
  file.last_line_ends = content.empty() || content.ends_with('\n');
  file.code = to_lines(Blanker(content).run());
  return file;
}

std::vector<Function> functions(const SourceFile& file) {
  BraceWalk walk;
  bool continues = false;  // a preprocessor line that ends with a backslash
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::string& line = file.code[i];
    const bool directive = continues || line.starts_with('#');
    continues = directive && line.ends_with('\\');
    if (directive) continue;
    for (const char c : line) walk.walk(c, i + 1);
    walk.walk(' ', i + 1);
  }
  return std::move(walk).found();
}

}  // namespace tenure::tidy
