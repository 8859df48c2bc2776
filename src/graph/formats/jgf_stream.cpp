#include "graph/formats/jgf_stream.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <array>
#include <charconv>

#include "graph/formats/json_field.hpp"
#include "graph/topology.hpp"

namespace tenure::graph {
namespace {

namespace json = boost::json;

/// The keys that mean something somewhere.
enum class Key {
  other,
  graph,
  scheduling,
  nodes,
  edges,
  id,
  metadata,
  source,
  target,
  type,
  basename,
  name,
  unit,
  uniq_id,
  rank,
  size,
  status,
  exclusive,
  properties,
  paths,
  subsystem,
  relationship,
};
constexpr std::array<std::string_view, 22> kKeys = {
    "",       "graph",     "scheduling", "nodes", "edges",     "id",          "metadata", "source",
    "target", "type",      "basename",   "name",  "unit",      "uniq_id",     "rank",     "size",
    "status", "exclusive", "properties", "paths", "subsystem", "relationship"};

Key key_of(std::string_view text) {
  const auto found = std::find(kKeys.begin() + 1, kKeys.end(), text);
  return found == kKeys.end() ? Key::other : static_cast<Key>(found - kKeys.begin());
}

/// The object or array whose members are being read.
enum class Place {
  document,
  root,
  scheduling,
  graph,
  nodes,
  node,
  metadata,
  properties,
  property_list,
  paths,
  edges,
  edge,
  edge_metadata,
  edge_names,
  skipped,
  kept,
};

}  // namespace

std::string_view JgfVertex::path() const {
  for (const auto& [subsystem, path] : paths) {
    if (subsystem == kContainment) return path;
  }
  return {};
}

void JgfVertex::clear() {
  for (std::string* text : {&id, &type, &basename, &name, &unit}) text->clear();
  number.reset();
  uniq_id.reset();
  rank = -1;
  size = 1;
  status = Status::up;
  exclusive = false;
  properties.clear();
  paths.clear();
}

namespace {

/// The handler of boost::json::basic_parser: events of JSON to vertices and edges.
class Handler {
 public:
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  using Code = json::error_code;
  using View = json::string_view;

  explicit Handler(JgfSink* sink) : sink_(sink) { kept_.reset(); }

  std::optional<Error> error;
  bool has_graph() const { return has_graph_; }
  json::object take_kept() { return std::move(rest_); }

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code& code) { return done(open(true), code); }
  bool on_array_begin(Code& code) { return done(open(false), code); }
  bool on_object_end(std::size_t n, Code& code) { return done(close(n, true), code); }
  bool on_array_end(std::size_t n, Code& code) { return done(close(n, false), code); }

  bool on_key_part(View part, std::size_t, Code&) {
    text_.append(part);
    return true;
  }
  bool on_key(View part, std::size_t, Code&) {
    take_key(whole(part));
    text_.clear();
    return true;
  }
  bool on_string_part(View part, std::size_t, Code&) {
    text_.append(part);
    return true;
  }
  bool on_string(View part, std::size_t, Code& code) {
    const bool good = done(string(whole(part)), code);
    text_.clear();
    return good;
  }
  bool on_number_part(View, Code&) { return true; }
  bool on_int64(std::int64_t number, View, Code& code) { return done(integer(number), code); }
  bool on_uint64(std::uint64_t number, View, Code& code) {
    return done(scalar(json::value(number)), code);
  }
  bool on_double(double number, View, Code& code) {
    return done(scalar(json::value(number)), code);
  }
  bool on_bool(bool value, Code& code) { return done(scalar(json::value(value)), code); }
  bool on_null(Code& code) { return done(scalar(json::value()), code); }
  bool on_comment_part(View, Code&) { return true; }
  bool on_comment(View, Code&) { return true; }

 private:
  bool done(Result<void> result, Code& code) {
    if (result) return true;
    error = result.error();
    code = json::make_error_code(json::error::syntax);
    return false;
  }
  std::string_view whole(View part) {
    if (text_.empty()) return part;
    text_.append(part);
    return text_;
  }
  Place place() const { return places_.empty() ? Place::document : places_.back(); }
  bool is_kept() const { return place() == Place::kept; }

  void take_key(std::string_view text);
  Result<void> open(bool is_object);
  Place place_below(bool is_object) const;
  Result<void> close(std::size_t size, bool is_object);
  Result<void> string(std::string_view text);
  Result<void> integer(std::int64_t number);
  Result<void> scalar(const json::value& value);
  Result<void> string_of_vertex(std::string_view text);
  Result<void> integer_of_vertex(std::int64_t number);
  Result<void> status(std::string_view word);
  Result<void> refuse(const json::value& value, std::string_view expected) const;
  void keep(const json::value& value);
  Result<void> end_vertex();
  Result<void> end_edge();
  std::string where() const;

  JgfSink* sink_;  ///< nullptr: graphs are skipped
  std::vector<Place> places_;
  std::string text_;      ///< parts of the string or key under way
  std::string key_text_;  ///< the last key, where it is data
  Key key_ = Key::other;
  json::value_stack kept_;
  json::object rest_;
  JgfVertex vertex_;
  JgfEdge edge_;
  bool has_graph_ = false;
  bool has_source_ = false;
  bool has_target_ = false;
  std::size_t index_ = 0;  ///< in nodes or edges
};

std::string Handler::where() const {
  const std::string_view key =
      key_ == Key::other ? std::string_view(key_text_) : kKeys[static_cast<std::size_t>(key_)];
  switch (place()) {
    case Place::nodes:
      return fmt::format("graph.nodes[{}]", index_);
    case Place::node:
      return fmt::format("graph.nodes[{}].{}", index_, key);
    case Place::metadata:
      return fmt::format("graph.nodes[{}].metadata.{}", index_, key);
    case Place::properties:
    case Place::property_list:
      return fmt::format("graph.nodes[{}].metadata.properties", index_);
    case Place::paths:
      return fmt::format("graph.nodes[{}].metadata.paths", index_);
    case Place::edges:
      return fmt::format("graph.edges[{}]", index_);
    case Place::edge:
      return fmt::format("graph.edges[{}].{}", index_, key);
    case Place::edge_metadata:
      return fmt::format("graph.edges[{}].metadata.{}", index_, key);
    case Place::edge_names:
      return fmt::format("graph.edges[{}].metadata.name", index_);
    case Place::graph:
      return fmt::format("graph.{}", key);
    case Place::document:
      return "the document";
    default:
      return std::string(key);
  }
}

/// A member of the outermost object or of `scheduling`, which is complete.
void Handler::keep(const json::value& value) {
  if (place() == Place::root) {
    rest_.insert_or_assign(key_text_, value);
    return;
  }
  json::value& scheduling = rest_[kKeys[static_cast<std::size_t>(Key::scheduling)]];
  if (!scheduling.is_object()) scheduling.emplace_object();
  scheduling.get_object().insert_or_assign(key_text_, value);
}

Result<void> Handler::refuse(const json::value& value, std::string_view expected) const {
  return wrong_value(where(), value, expected);
}

void Handler::take_key(std::string_view text) {
  switch (place()) {
    case Place::skipped:
      return;
    case Place::kept:
      kept_.push_key(text);
      return;
    case Place::properties:
    case Place::paths:
    case Place::edge_names:
      key_text_ = text;
      key_ = Key::other;
      return;
    default:
      key_ = key_of(text);
      if (place() == Place::root || place() == Place::scheduling) key_text_ = text;
  }
}

Place Handler::place_below(bool is_object) const {
  switch (place()) {
    case Place::document:
      return Place::root;
    case Place::root:
      if (key_ == Key::graph) return sink_ == nullptr ? Place::skipped : Place::graph;
      return key_ == Key::scheduling && is_object ? Place::scheduling : Place::kept;
    case Place::scheduling:
      if (key_ != Key::graph || !is_object) return Place::kept;
      return sink_ == nullptr ? Place::skipped : Place::graph;
    case Place::graph:
      if (key_ == Key::nodes) return Place::nodes;
      return key_ == Key::edges ? Place::edges : Place::skipped;
    case Place::nodes:
      return Place::node;
    case Place::node:
      return key_ == Key::metadata ? Place::metadata : Place::skipped;
    case Place::metadata:
      if (key_ == Key::paths) return Place::paths;
      if (key_ != Key::properties) return Place::skipped;
      return is_object ? Place::properties : Place::property_list;
    case Place::edges:
      return Place::edge;
    case Place::edge:
      return key_ == Key::metadata ? Place::edge_metadata : Place::skipped;
    case Place::edge_metadata:
      return key_ == Key::name ? Place::edge_names : Place::skipped;
    case Place::kept:
      return Place::kept;
    default:
      return Place::skipped;
  }
}

/// Places that must be arrays; the others with a meaning must be objects.
bool is_array(Place place) {
  return place == Place::nodes || place == Place::edges || place == Place::property_list;
}

Result<void> Handler::open(bool is_object) {
  if (places_.size() >= kMaxJsonDepth) {
    return failure(ErrorCode::limit, "{}: JSON is nested deeper than {} levels", where(),
                   kMaxJsonDepth);
  }
  const Place below = place_below(is_object);
  const bool is_free = below == Place::kept || below == Place::skipped;
  if (!is_free && is_array(below) == is_object) {
    return failure(ErrorCode::invalid, "{}: is {}, not {}", where(),
                   is_object ? "an object" : "an array", is_object ? "an array" : "an object");
  }
  const bool is_scalar_key = place() == Place::node || place() == Place::edge ||
                             place() == Place::metadata || place() == Place::edge_metadata;
  if (below == Place::skipped && is_scalar_key && key_ != Key::other && key_ != Key::status &&
      key_ != Key::graph) {
    return failure(ErrorCode::invalid, "{}: is {}, not a plain value", where(),
                   is_object ? "an object" : "an array");
  }
  places_.push_back(below);
  switch (below) {
    case Place::graph:
      if (has_graph_) return failure(ErrorCode::invalid, "graph: is given twice");
      has_graph_ = true;
      break;
    case Place::nodes:
    case Place::edges:
      index_ = 0;
      break;
    case Place::node:
      vertex_.clear();
      break;
    case Place::edge:
      for (std::string* text : {&edge_.source, &edge_.target, &edge_.subsystem, &edge_.relation}) {
        text->clear();
      }
      has_source_ = has_target_ = false;
      break;
    default:
      break;
  }
  return {};
}

Result<void> Handler::close(std::size_t size, bool is_object) {
  const Place closed = place();
  places_.pop_back();
  if (closed == Place::kept) {
    is_object ? kept_.push_object(size) : kept_.push_array(size);
    if (!is_kept()) {
      keep(kept_.release());
      kept_.reset();
    }
    return {};
  }
  if (closed == Place::node) return end_vertex();
  if (closed == Place::edge) return end_edge();
  return {};
}

Result<void> Handler::end_vertex() {
  for (const auto& [key, text] : {std::pair{"id", &vertex_.id}, {"metadata.type", &vertex_.type}}) {
    if (!text->empty()) continue;
    return failure(ErrorCode::invalid, "graph.nodes[{}].{}: is missing", index_, key);
  }
  if (auto added = sink_->add(vertex_); !added) {
    return within(fmt::format("graph.nodes[{}]", index_), added.error());
  }
  ++index_;
  return {};
}

Result<void> Handler::end_edge() {
  if (!has_source_ || !has_target_) {
    return failure(ErrorCode::invalid, "graph.edges[{}].{}: is missing", index_,
                   has_source_ ? "target" : "source");
  }
  if (edge_.subsystem.empty()) edge_.subsystem = kContainment;
  const bool is_backwards = edge_.subsystem == kContainment && edge_.relation == "in";
  if (!is_backwards) {
    if (auto added = sink_->add(edge_); !added) {
      return within(fmt::format("graph.edges[{}]", index_), added.error());
    }
  }
  ++index_;
  return {};
}

Result<void> Handler::status(std::string_view word) {
  if (word != "up" && word != "down") return refuse(json::value(word), "0, 1, 'up' or 'down'");
  vertex_.status = word == "up" ? Status::up : Status::down;
  return {};
}

Result<void> Handler::string_of_vertex(std::string_view text) {
  switch (key_) {
    case Key::type:
      vertex_.type = text;
      return {};
    case Key::basename:
      vertex_.basename = text;
      return {};
    case Key::name:
      vertex_.name = text;
      return {};
    case Key::unit:
      vertex_.unit = text;
      return {};
    case Key::status:
      return status(text);
    case Key::uniq_id: {
      std::int64_t number = 0;
      const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (code != std::errc() || end != text.data() + text.size() || number < 0) {
        return refuse(json::value(text), "a number from 0");
      }
      vertex_.uniq_id = number;
      return {};
    }
    case Key::id:
    case Key::rank:
    case Key::size:
      return refuse(json::value(text), "a whole number");
    case Key::exclusive:
      return refuse(json::value(text), "true or false");
    default:
      return {};
  }
}

Result<void> Handler::string(std::string_view text) {
  switch (place()) {
    case Place::kept:
      kept_.push_string(text);
      return {};
    case Place::node:
      if (key_ == Key::id) vertex_.id = text;
      return {};
    case Place::metadata:
      return string_of_vertex(text);
    case Place::properties:
      vertex_.properties.emplace_back(key_text_, text);
      return {};
    case Place::property_list:
      vertex_.properties.emplace_back(text, "");
      return {};
    case Place::paths:
      vertex_.paths.emplace_back(key_text_, text);
      return {};
    case Place::edge:
      if (key_ == Key::source) edge_.source = text, has_source_ = true;
      if (key_ == Key::target) edge_.target = text, has_target_ = true;
      return {};
    case Place::edge_metadata:
      if (key_ == Key::subsystem) edge_.subsystem = text;
      if (key_ == Key::relationship) edge_.relation = text;
      return {};
    case Place::edge_names:
      edge_.subsystem = key_text_;
      edge_.relation = text;
      return {};
    default:
      return scalar(json::value(text));
  }
}

Result<void> Handler::integer_of_vertex(std::int64_t number) {
  switch (key_) {
    case Key::id:
      vertex_.number = number;
      return {};
    case Key::rank:
      vertex_.rank = number;
      return {};
    case Key::size:
      vertex_.size = number;
      return {};
    case Key::uniq_id:
      if (number < 0) return refuse(json::value(number), "a number from 0");
      vertex_.uniq_id = number;
      return {};
    case Key::status:
      if (number != 0 && number != 1) return refuse(json::value(number), "0 (up) or 1 (down)");
      vertex_.status = number == 0 ? Status::up : Status::down;
      return {};
    default:
      return scalar(json::value(number));
  }
}

Result<void> Handler::integer(std::int64_t number) {
  if (place() == Place::metadata) return integer_of_vertex(number);
  return scalar(json::value(number));
}

/// Anything that is where it need not be a string or a number, or must not be.
Result<void> Handler::scalar(const json::value& value) {
  switch (place()) {
    case Place::kept:
      value.is_string()   ? kept_.push_string(value.get_string())
      : value.is_int64()  ? kept_.push_int64(value.get_int64())
      : value.is_uint64() ? kept_.push_uint64(value.get_uint64())
      : value.is_double() ? kept_.push_double(value.get_double())
      : value.is_bool()   ? kept_.push_bool(value.get_bool())
                          : kept_.push_null();
      return {};
    case Place::skipped:
      return {};
    case Place::document:
      return refuse(value, "an object");
    case Place::root:
      if (key_ == Key::graph && sink_ != nullptr) return refuse(value, "an object");
      keep(value);
      return {};
    case Place::scheduling:
      keep(value);
      return {};
    case Place::graph:
      return key_ == Key::nodes || key_ == Key::edges ? refuse(value, "an array") : Result<void>();
    case Place::nodes:
    case Place::edges:
      return refuse(value, "an object");
    case Place::node:
      if (key_ == Key::id) return refuse(value, "a string");
      return key_ == Key::metadata ? refuse(value, "an object") : Result<void>();
    case Place::metadata:
      if (key_ == Key::other || value.is_null()) return {};
      if (key_ == Key::exclusive && value.is_bool()) {
        vertex_.exclusive = value.get_bool();
        return {};
      }
      return refuse(value, key_ == Key::exclusive ? "true or false"
                           : key_ == Key::id || key_ == Key::rank || key_ == Key::size ||
                                   key_ == Key::uniq_id || key_ == Key::status
                               ? "a whole number"
                           : key_ == Key::properties || key_ == Key::paths ? "an object"
                                                                           : "a string");
    case Place::properties:
      if (!value.is_null()) return refuse(value, "a string");
      vertex_.properties.emplace_back(key_text_, "");
      return {};
    case Place::edge:
      if (key_ == Key::source || key_ == Key::target) return refuse(value, "a string");
      return {};
    default:
      if (value.is_null() || (place() == Place::edge_metadata && key_ == Key::other)) return {};
      return refuse(value, "a string");
  }
}

}  // namespace

class JgfStream::Parser {
 public:
  explicit Parser(JgfSink* sink) : parser_(options(), sink) {}

  Result<void> write(std::string_view text, bool more) {
    json::error_code code;
    const std::size_t used = parser_.write_some(more, text.data(), text.size(), code);
    if (parser_.handler().error) return *parser_.handler().error;
    if (code) {
      return failure(ErrorCode::invalid, "byte {}: {}", read_ + used, code.message());
    }
    if (used < text.size()) {
      const auto rest = text.substr(used).find_first_not_of(" \t\r\n");
      if (rest != std::string_view::npos) {
        return failure(ErrorCode::invalid, "byte {}: text behind the document",
                       read_ + used + rest);
      }
    }
    read_ += text.size();
    return {};
  }
  Handler& handler() { return parser_.handler(); }

 private:
  static json::parse_options options() {
    json::parse_options options;
    options.max_depth = kMaxJsonDepth + 2;
    return options;
  }
  json::basic_parser<Handler> parser_;
  std::size_t read_ = 0;
};

JgfStream::JgfStream(JgfSink* sink) : parser_(std::make_unique<Parser>(sink)) {}
JgfStream::~JgfStream() = default;
JgfStream::JgfStream(JgfStream&&) noexcept = default;
JgfStream& JgfStream::operator=(JgfStream&&) noexcept = default;

Result<void> JgfStream::write(std::string_view text) { return parser_->write(text, true); }

Result<json::object> JgfStream::finish() {
  if (auto done = parser_->write({}, false); !done) return done.error();
  return parser_->handler().take_kept();
}

Result<json::object> read_jgf(std::string_view text, JgfSink& sink) {
  JgfStream stream(&sink);
  if (auto done = stream.write(text); !done) return done.error();
  auto rest = stream.finish();
  if (rest && !stream.has_graph()) return failure(ErrorCode::invalid, "graph: is missing");
  return rest;
}

bool JgfStream::has_graph() { return parser_->handler().has_graph(); }

}  // namespace tenure::graph
