// Whole sessions of the query shell, byte for byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "query/sessions.hpp"

namespace tenure::query {
namespace {

const std::filesystem::path kOwn =
    std::filesystem::path(TENURE_SOURCE_DIR) / "tests/query/sessions";
/// Sessions of the tool that the shell replaces. They are not part of this repository: looked
/// for as shared/spec/query-examples in all folders above it.
std::filesystem::path examples() {
  std::filesystem::path folder = TENURE_SOURCE_DIR;
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    const auto found = folder / "shared/spec/query-examples";
    if (std::filesystem::is_directory(found)) return found;
  }
  return {};
}

void expect_as_recorded(const std::filesystem::path& folder, const std::string& name) {
  SCOPED_TRACE(name);
  const Session session = play(folder, name);
  EXPECT_EQ(session.result, text_of(folder / (name + ".out")));
  EXPECT_EQ(session.error, text_of(folder / (name + ".stderr")));
  EXPECT_EQ(without_times(session.info), without_times(text_of(folder / (name + ".stdout"))));
}

/// With TENURE_RECORD set the own sessions are written anew, to be read before a commit.
void record(const std::string& name) {
  const Session session = play(kOwn, name);
  const auto write = [&](const char* ending, const std::string& text) {
    if (!text.empty()) std::ofstream(kOwn / (name + ending)) << text;
  };
  write(".out", session.result);
  write(".stderr", session.error);
  write(".stdout", session.info);
}

TEST(Sessions, OwnOnesAreAsRecorded) {
  const auto names = sessions_in(kOwn);
  ASSERT_FALSE(names.empty());
  if (std::getenv("TENURE_RECORD") != nullptr) {
    for (const std::string& name : names) record(name);
  }
  for (const std::string& name : names) expect_as_recorded(kOwn, name);
}

TEST(Sessions, ThoseOfTheReplacedToolAreTheSameByteForByte) {
  const auto folder = examples();
  if (folder.empty()) GTEST_SKIP() << "no shared/spec/query-examples above the source tree";
  const auto names = sessions_in(folder);
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) expect_as_recorded(folder, name);
}

}  // namespace
}  // namespace tenure::query
