#include "base/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure {
namespace {

namespace fs = std::filesystem;

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("tenure-file-" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

TEST(File, WhatIsReplacedIsReadBackAndNothingElseIsLeft) {
  const fs::path folder = fresh_folder("replace");
  const fs::path path = folder / "state.json";
  ASSERT_TRUE(replace_file(path, "first, and longer"));
  ASSERT_TRUE(replace_file(path, "second"));
  EXPECT_EQ(*read_file(path), "second");
  ASSERT_TRUE(replace_file(path, ""));
  EXPECT_EQ(*read_file(path), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST(File, WhatIsWrittenInPiecesTakesThePlaceAsAWhole) {
  const fs::path folder = fresh_folder("pieces");
  const fs::path path = folder / "result.json";
  ASSERT_TRUE(replace_file(path, "old"));
  const std::string piece(50'000, 'x');
  {
    auto file = FileReplacement::open(path);
    ASSERT_TRUE(file);
    for (int i = 0; i < 5; ++i) file->write(piece);
    EXPECT_EQ(*read_file(path), "old");
  }
  EXPECT_EQ(*read_file(path), "old");  // not committed: as if nothing had been
  EXPECT_FALSE(fs::exists(folder / "result.json.part"));
  auto file = FileReplacement::open(path);
  ASSERT_TRUE(file);
  for (int i = 0; i < 5; ++i) file->write(piece);
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read_file(path)->size(), 250'000U);
  EXPECT_FALSE(fs::exists(folder / "result.json.part"));
}

TEST(File, IsReadInPiecesUntilTheReaderHasEnough) {
  const fs::path path = fresh_folder("read-pieces") / "graph.json";
  std::string text(600'000, 'x');
  text += "end";
  ASSERT_TRUE(replace_file(path, text));
  std::string read;
  const auto append = [&](std::string_view piece) {
    read += piece;
    return Result<void>();
  };
  ASSERT_TRUE(read_file_in_pieces(path, append));
  EXPECT_EQ(read, text);
  int pieces = 0;
  const auto stop = [&](std::string_view) -> Result<void> {
    ++pieces;
    return failure(ErrorCode::invalid, "enough");
  };
  EXPECT_EQ(read_file_in_pieces(path, stop).error().message, "enough");
  EXPECT_EQ(pieces, 1);
  ASSERT_TRUE(replace_file(path, ""));
  EXPECT_TRUE(read_file_in_pieces(path, stop));
  EXPECT_FALSE(read_file_in_pieces(path.parent_path() / "missing", append));
  EXPECT_FALSE(read_file_in_pieces(path.parent_path(), append));
}

TEST(File, AFailureNamesTheFileAndLeavesNothing) {
  const fs::path folder = fresh_folder("failure");
  const auto no_folder = replace_file(folder / "missing" / "state.json", "x");
  ASSERT_FALSE(no_folder);
  EXPECT_EQ(no_folder.error().code, ErrorCode::io);
  EXPECT_THAT(no_folder.error().message, ::testing::HasSubstr("state.json: cannot be written"));
  // A folder cannot be replaced by a file.
  fs::create_directories(folder / "taken" / "inside");
  const auto taken = replace_file(folder / "taken", "x");
  ASSERT_FALSE(taken);
  EXPECT_TRUE(fs::is_directory(folder / "taken" / "inside"));
  EXPECT_FALSE(fs::exists(folder / "taken.part"));
  EXPECT_FALSE(read_file(folder / "nothing"));
}

}  // namespace
}  // namespace tenure
