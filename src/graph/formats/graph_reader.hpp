// GraphReader: a resource graph from a text in any of the formats, which comes in pieces.
//
// Names of the formats, as --load-format of the query shell and `tenure graph` have them:
//   r              R (RFC 20); the tree of its `scheduling` (JGF, TreePool) when it has one
//   rv1exec        R, from `execution` alone (rv1exec_force is another name)
//   jgf            JGF (RFC 40), a document of its own or in an R
//   jgf_shorthand  the same where exclusive vertices stand for all that is in them
//   treepool       R with a TreePool topology (RFC 49)
//   grug           recipes in GraphML
//   hwloc          the topology of one node
// Without a name the format is found from the text: XML by its root element, JSON by its keys.
//
// JSON is read as it comes (a graph never stands in memory as text), XML is kept first.
// Errors: those of the format.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "graph/formats/hwloc.hpp"
#include "graph/formats/jgf.hpp"
#include "graph/formats/r.hpp"

namespace tenure::graph {

enum class GraphFormat { r, rv1exec, jgf, jgf_shorthand, treepool, grug, hwloc };

std::string_view to_string(GraphFormat format);
/// Errors: `invalid` with the names that there are.
Result<GraphFormat> parse_graph_format(std::string_view name);

struct GraphReaderOptions {
  std::optional<GraphFormat> format = std::nullopt;  ///< unset: found from the text
  HwlocOptions hwloc = {};
};

struct ReadGraph {
  ResourceGraph graph;
  GraphFormat format;
  RTimes times = {};  ///< of an R
};

class GraphReader {
 public:
  explicit GraphReader(GraphReaderOptions options = {});

  /// After an error nothing more may be written.
  Result<void> write(std::string_view piece);
  /// Ends the text; to be called once.
  Result<ReadGraph> finish();

 private:
  Result<ReadGraph> finish_json();

  GraphReaderOptions options_;
  std::string text_;  ///< XML, and what comes before the format is known
  bool is_xml_ = false;
  std::unique_ptr<JgfGraphReader> json_;
};

/// A whole text at once.
Result<ReadGraph> read_graph(std::string_view text, const GraphReaderOptions& options = {});

}  // namespace tenure::graph
