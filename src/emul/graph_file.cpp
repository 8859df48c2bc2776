#include "emul/graph_file.hpp"

#include "base/file.hpp"

namespace tenure::emul {

Result<graph::ReadGraph> read_graph_file(const std::filesystem::path& path,
                                         const graph::GraphReaderOptions& options) {
  graph::GraphReader reader(options);
  auto read =
      read_file_in_pieces(path, [&](std::string_view piece) { return reader.write(piece); });
  if (!read && read.error().code == ErrorCode::io) return read.error();
  if (!read) return within(path.string(), read.error());
  auto graph = reader.finish();
  if (!graph) return within(path.string(), graph.error());
  return graph;
}

}  // namespace tenure::emul
