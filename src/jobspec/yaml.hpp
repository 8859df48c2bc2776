// YAML as JSON, the one converter of the project: jobspecs and scenarios.
//
// yaml-cpp takes YAML 1.2 as far as either needs it, and JSON. A text is one document; a
// second one is an error and not silently lost.
//
// Invariants
//  1. What load_yaml() accepts has at most kMaxYamlNodes nodes with every alias written
//     out, and at most kMaxYamlDepth levels: walking it is bounded whatever the input.
//  2. Keys are scalars.
//  3. An error reads "FILE:LINE: what is wrong".
//
// Linear in the number of nodes.
#pragma once

#include <yaml-cpp/yaml.h>

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tenure::jobspec {

inline constexpr std::uint64_t kMaxYamlNodes = 16'000'000;
inline constexpr int kMaxYamlDepth = 200;

/// Errors: `invalid` for a text that is no YAML or no UTF-8, a second document, keys that
/// are no scalars; `limit` for the bounds above.
Result<YAML::Node> load_yaml(const std::string& text, std::string_view file);

/// Plain scalars by their type, quoted ones as strings. Of a key given twice the last
/// counts. Requires a node that load_yaml() accepted.
boost::json::value to_json(const YAML::Node& node);

/// A document as JSON whose fields know their lines.
struct YamlDocument {
  std::string file;
  boost::json::value value;
  std::map<std::string, int, std::less<>> lines;  ///< by path: "resources[0].with[1].count"

  /// Puts "FILE:LINE: " before an error whose message begins with a path ("PATH: …"); the
  /// line is that of the field, or of the nearest one around it.
  Error locate(Error error) const;
};

/// Reads a document. Errors: those of load_yaml(); `invalid` for a key given twice.
Result<YamlDocument> read_yaml(const std::string& text, std::string_view file);

}  // namespace tenure::jobspec
