// Reading YAML with places: every item knows its line and the path of keys to it.
//
// A Document keeps the first error and goes on with harmless values, so that readers need
// no error handling between fields; whoever reads asks error() at the end. yaml-cpp takes
// YAML 1.2 as far as scenarios need it, and JSON.
//
// Invariants
//  1. An error reads "FILE:LINE: path: what is wrong; what would be valid".
//  2. Nothing is read twice or silently skipped: only_keys() names unknown and repeated
//     keys.
#pragma once

#include <yaml-cpp/yaml.h>

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/idset.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "jobspec/yaml.hpp"

namespace tenure::emul {

using jobspec::load_yaml;
using jobspec::to_json;

struct Item {
  YAML::Node node;
  std::string path;  ///< "events[3].submit.duration"; empty for the document
  int line = 1;
};

class Document {
 public:
  explicit Document(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  bool ok() const { return !error_; }
  /// Requires !ok().
  const Error& error() const { return *error_; }

  template <class... Args>
  void fail(const Item& at, fmt::format_string<Args...> format, Args&&... args) {
    record(at, Error{ErrorCode::invalid, fmt::format(format, std::forward<Args>(args)...)});
  }
  /// Keeps the error if it is the first.
  void record(const Item& at, Error error);

  // ---- mappings and sequences --------------------------------------------------------
  /// Requires nothing: what is no mapping, or has other keys, is an error.
  void only_keys(const Item& map, std::initializer_list<std::string_view> keys);
  std::optional<Item> find(const Item& map, std::string_view key);
  /// The key must be there.
  std::optional<Item> need(const Item& map, std::string_view key);
  /// Pairs of a mapping in file order; repeated keys are an error.
  std::vector<std::pair<std::string, Item>> entries(const Item& map);
  std::vector<Item> elements(const Item& sequence);

  // ---- scalars -----------------------------------------------------------------------
  std::string text(const Item& item);
  std::uint64_t integer(const Item& item, std::uint64_t min,
                        std::uint64_t max = std::numeric_limits<std::uint64_t>::max());
  bool boolean(const Item& item);
  /// Seconds or FSD, not negative.
  Duration duration(const Item& item);
  Idset idset(const Item& item);
  std::vector<std::string> texts(const Item& sequence);

 private:
  std::string file_;
  std::optional<Error> error_;
};

}  // namespace tenure::emul
