// The tidy rules on the source tree itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tidy/rules.hpp"

namespace tenure::tidy {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TENURE_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// All C++ files of the project in the order of their paths.
std::vector<SourceFile> source_files() {
  std::vector<fs::path> paths;
  for (const auto* folder : {"src", "tests", "bench", "tools", "include"}) {
    if (!fs::exists(kRoot / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const auto extension = entry.path().extension();
      if (extension == ".cpp" || extension == ".hpp") paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  std::vector<SourceFile> files;
  for (const fs::path& path : paths) {
    files.push_back(scan(fs::relative(path, kRoot).generic_string(), read(path)));
  }
  return files;
}

/// The sources that this build compiles.
std::set<std::string> compiled_files() {
  const auto database =
      boost::json::parse(read(fs::path(TENURE_BINARY_DIR) / "compile_commands.json"));
  std::set<std::string> compiled;
  for (const auto& entry : database.as_array()) {
    const fs::path file(std::string(entry.at("file").as_string()));
    compiled.insert(fs::relative(file, kRoot).generic_string());
  }
  return compiled;
}

std::string to_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("\n{}:{}: {}", finding.path, finding.line, finding.message);
  }
  return text;
}

TEST(Tree, KeepsTheRulesOfEachFile) {
  const auto files = source_files();
  ASSERT_GT(files.size(), 50U);  // it is this tree that was read
  std::vector<Finding> findings;
  for (const SourceFile& file : files) {
    const auto found = check_file(file);
    findings.insert(findings.end(), found.begin(), found.end());
  }
  EXPECT_TRUE(findings.empty()) << to_text(findings);
}

TEST(Tree, HasNoDeadFiles) {
  const auto findings = check_dead_files(source_files(), compiled_files());
  EXPECT_TRUE(findings.empty()) << to_text(findings);
}

TEST(Tree, HasAReadmeOfAtMost120Lines) {
  const std::string readme = read(kRoot / "README.md");
  EXPECT_FALSE(readme.empty());
  EXPECT_LE(std::ranges::count(readme, '\n'), 120);
}

}  // namespace
}  // namespace tenure::tidy
