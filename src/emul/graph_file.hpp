// Resource graphs in files, for the tools: any format that graph/formats/graph_reader.hpp has.
#pragma once

#include <filesystem>

#include "graph/formats/graph_reader.hpp"

namespace tenure::emul {

/// Errors: `io` when the file cannot be read; those of the format with the file before them.
Result<graph::ReadGraph> read_graph_file(const std::filesystem::path& path,
                                         const graph::GraphReaderOptions& options = {});

}  // namespace tenure::emul
