// JGF (RFC 40): resource graphs as nodes and edges in JSON.
//
// The reader takes what Fluxion and its tools write: a document of its own ({"graph": …}) or
// the `scheduling` key of an R. Vertices of equal nodes share one shape as they do in every
// other format. A name that is not given is the last component of the vertex's path; an id that
// is not given is the number at the end of a node's name, or uniq_id; uniq_id is the
// document's id when that is a number. A path that does not end in the vertex's name is an error.
// Exclusive marks mean nothing in an inventory.
//
// Cost: one pass over the text; memory is that of GraphBuilder and 16 bytes a vertex for its id.
#pragma once

#include <boost/json.hpp>

#include <memory>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "graph/formats/jgf_stream.hpp"
#include "graph/resource_graph.hpp"

namespace tenure::graph {

/// A graph and what else the document's outermost object has (`version`, `execution`, …).
struct JgfDocument {
  ResourceGraph graph;
  boost::json::object rest;
};

/// Errors: those of JgfStream and of GraphBuilder, each with the vertex or edge; `invalid` for
/// an id given twice or an edge to a vertex that is not there.
Result<JgfDocument> read_jgf_graph(std::string_view text);
Result<JgfDocument> read_jgf_graph(const boost::json::value& document);

/// The same for a text that comes in pieces, such as a file too large to hold.
class JgfGraphReader {
 public:
  /// Whether graphs in the document are wanted, or only what else it has.
  enum class Graphs { read, skipped };
  explicit JgfGraphReader(Graphs graphs = Graphs::read);
  ~JgfGraphReader();
  JgfGraphReader(const JgfGraphReader&) = delete;
  JgfGraphReader& operator=(const JgfGraphReader&) = delete;

  /// After an error nothing more may be written.
  Result<void> write(std::string_view piece);
  /// Ends the document; to be called once. Without `graph` that is an error of `invalid`.
  Result<JgfDocument> finish();
  /// The same for a document that may have no graph.
  struct Parts {
    std::optional<ResourceGraph> graph;
    boost::json::object rest;
  };
  Result<Parts> finish_any();

 private:
  class Collector;
  std::unique_ptr<Collector> collector_;
  JgfStream stream_;
};

}  // namespace tenure::graph
