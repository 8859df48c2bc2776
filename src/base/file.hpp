// Whole files: read at once, replaced at once.
//
// Invariant: after replace_file(), and after FileReplacement::commit(), the file holds the old
// text or the new one, whole, even when the machine stops in the middle; an error leaves the old
// one.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tenure {

/// The text of a file. Errors: `io`, "FILE: cannot be read".
Result<std::string> read_file(const std::filesystem::path& path);

/// Calls use(piece) for the text of a file in pieces of a fixed size, until it returns an error.
/// Errors: `io` as read_file(); the caller's as they are.
Result<void> read_file_in_pieces(const std::filesystem::path& path,
                                 const std::function<Result<void>(std::string_view)>& use);

/// Writes to FILE.part in the same folder, has it stored, and renames. Errors: `io`,
/// "FILE: cannot be written: …".
Result<void> replace_file(const std::filesystem::path& path, std::string_view text);

/// A text that is written piece by piece and takes the place of a file as a whole.
class FileReplacement {
 public:
  /// Opens FILE.part. Errors: `io`, "FILE: cannot be written: …".
  static Result<FileReplacement> open(std::filesystem::path path);
  FileReplacement(FileReplacement&& other) noexcept;
  FileReplacement& operator=(FileReplacement&&) = delete;
  ~FileReplacement();  ///< without a commit nothing is left

  /// Buffered; what goes wrong is told by commit().
  void write(std::string_view text);
  /// Stores and renames. Errors: as open().
  Result<void> commit();

 private:
  FileReplacement(std::filesystem::path path, int descriptor);
  void flush();
  Error error(int number) const;

  std::filesystem::path path_;
  int descriptor_;  ///< below 0: closed
  int failed_ = 0;  ///< the errno of what failed first
  std::string buffer_;
};

}  // namespace tenure
