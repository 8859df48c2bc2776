// Writing JGF (RFC 40): single vertices and edges, and whole graphs.
//
// The text of a vertex is that of Fluxion's tools: basename, name, unit and size are left out
// when they say nothing new, `exclusive` when it is false. A vertex that is down has
// "status": 1 in a whole graph. Edges of subsystems other than containment name the subsystem,
// in a whole graph the relation as well, so that reading gives the same graph again.
//
// Shorthand is the same without what is below vertices that are held exclusively; a whole
// graph in shorthand holds every node and every pool.
//
// O(text); a whole graph is written in pieces of about 64 KiB.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "graph/resource_set.hpp"
#include "graph/vertices.hpp"

namespace tenure::graph {

/// Takes the next piece of a text.
using TextSink = std::function<void(std::string_view)>;

/// Appends `text` as a JSON string.
void append_json(std::string& out, std::string_view text);

/// What a document says of a vertex beside what the graph does.
struct JgfMarks {
  Status status = Status::up;
  enum class Hold { shared, exclusive } hold = Hold::shared;
  boost::json::object extra = {};  ///< further members of `metadata`: ephemeral, agfilter
};

/// Appends {"id": …, "metadata": {…}}. `path` is that of the vertex in containment, "" when it
/// has none.
void append_jgf_vertex(std::string& out, const Vertices& vertices, Vertex v, std::string_view path,
                       const JgfMarks& marks = {});

struct JgfLink {
  std::int64_t source;  ///< uniq_ids
  std::int64_t target;
  std::string_view subsystem = kContainment;
  std::string_view relation = {};  ///< left out when empty
};

/// Appends {"source": …, "target": …}.
void append_jgf_edge(std::string& out, const JgfLink& edge);

enum class JgfForm { whole, shorthand };

/// Writes {"graph": …} without a line end: present vertices in preorder, each with its status
/// (a graph just read has every node down: mark_up_all() first), then the edges.
void write_jgf(const ResourceGraph& graph, JgfForm form, const TextSink& sink);

/// The same of a part: what is in the set, marked exclusive, and all above it.
void write_jgf(const ResourceGraph& graph, const ResourceSet& set, const TextSink& sink);

}  // namespace tenure::graph
