// JgfStream: a JSON Graph Format document (RFC 40) taken apart as it is read.
//
// Vertices and edges go to a sink one by one, in the order of the document, so that a graph
// of a million vertices never stands in memory as JSON. The graph is found at `graph` (a
// document of its own) or at `scheduling.graph` (an R); the other members of the outermost
// object, such as `execution`, and of `scheduling` are kept as a small JSON object.
//
// Both forms of edge metadata are read: {"subsystem": S, "relationship": R} of the RFC and
// {"name": {S: R}} of older files, which list each containment edge backwards as well ("in");
// those are left out, being implied. Unknown metadata is skipped.
//
// Errors: `invalid` with the place ("graph.nodes[7].metadata.size: …") or, for text that is
// no JSON, the byte; `limit` beyond kMaxJsonDepth levels.
// O(length) time, O(1) memory beside the sink's and the kept members.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "graph/vertex.hpp"

namespace tenure::graph {

/// Deepest nesting of JSON objects and arrays that is read.
inline constexpr std::size_t kMaxJsonDepth = 64;

struct JgfVertex {
  std::string id;  ///< of the document, unique in it
  std::string type;
  std::string basename;  ///< may be empty
  std::string name;      ///< may be empty
  std::string unit;
  std::optional<std::int64_t> number;  ///< metadata.id
  std::optional<std::int64_t> uniq_id;
  std::int64_t rank = -1;
  std::int64_t size = 1;
  Status status = Status::up;
  bool exclusive = false;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<std::pair<std::string, std::string>> paths;  ///< by subsystem

  /// The path in containment, "" when there is none.
  std::string_view path() const;
  void clear();
};

struct JgfEdge {
  std::string source;
  std::string target;
  std::string subsystem;  ///< "containment" when the document says nothing
  std::string relation;   ///< may be empty
};

/// Where vertices and edges go. An error ends the reading.
class JgfSink {
 public:
  virtual ~JgfSink() = default;
  virtual Result<void> add(const JgfVertex& vertex) = 0;
  virtual Result<void> add(const JgfEdge& edge) = 0;
};

class JgfStream {
 public:
  /// The sink must outlive the stream; without one (nullptr) graphs are skipped.
  explicit JgfStream(JgfSink* sink);
  ~JgfStream();
  JgfStream(JgfStream&&) noexcept;
  JgfStream& operator=(JgfStream&&) noexcept;

  /// The next piece of the text. After an error nothing more may be written.
  Result<void> write(std::string_view text);
  /// Ends the document; returns the outermost members besides the graph.
  Result<boost::json::object> finish();
  /// True when a graph was read.
  bool has_graph();

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

/// Calls write(piece) for the text of a document, piece by piece, until it returns an error.
template <class Write>
Result<void> write_pieces(const boost::json::value& document, Write&& write) {
  boost::json::serializer serializer;
  serializer.reset(&document);
  std::vector<char> buffer(65536);
  while (!serializer.done()) {
    const std::string_view piece = serializer.read(buffer.data(), buffer.size());
    if (auto done = write(piece); !done) return done.error();
  }
  return {};
}

/// A whole document at once, which must have a graph. Returns the members besides it.
Result<boost::json::object> read_jgf(std::string_view text, JgfSink& sink);

}  // namespace tenure::graph
