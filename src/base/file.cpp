#include "base/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

namespace tenure {

namespace {

/// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// Bytes that are gathered before they are written.
constexpr std::size_t kBuffer = 1U << 16U;

std::filesystem::path unfinished(std::filesystem::path path) { return path += ".part"; }

/// 0, or the errno of what failed.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// The new name is in the folder for good. Some file systems cannot; the rename holds then.
void store_folder(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path().empty() ? "." : path.parent_path();
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.ok()) ::fsync(descriptor.get());
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  std::error_code unknown;  // an empty file puts nothing into the stream, which is no failure
  if (std::filesystem::file_size(path, unknown) == 0 && !unknown) return std::string();
  if (!stream || !text) return failure(ErrorCode::io, "{}: cannot be read", path.string());
  return std::move(text).str();
}

Result<void> read_file_in_pieces(const std::filesystem::path& path,
                                 const std::function<Result<void>(std::string_view)>& use) {
  constexpr std::size_t kPiece = 1 << 18;
  std::ifstream stream(path, std::ios::binary);
  std::vector<char> piece(kPiece);
  while (stream.read(piece.data(), kPiece) || stream.gcount() > 0) {
    const auto size = static_cast<std::size_t>(stream.gcount());
    if (auto used = use(std::string_view(piece.data(), size)); !used) return used;
  }
  if (!stream.eof()) return failure(ErrorCode::io, "{}: cannot be read", path.string());
  return {};
}

FileReplacement::FileReplacement(std::filesystem::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

FileReplacement::FileReplacement(FileReplacement&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      failed_(other.failed_),
      buffer_(std::move(other.buffer_)) {}

FileReplacement::~FileReplacement() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  std::error_code ignored;
  std::filesystem::remove(unfinished(path_), ignored);
}

Error FileReplacement::error(int number) const {
  const std::error_code code(number, std::generic_category());
  return failure(ErrorCode::io, "{}: cannot be written: {}", path_.string(), code.message());
}

Result<FileReplacement> FileReplacement::open(std::filesystem::path path) {
  const int descriptor =
      ::open(unfinished(path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const int number = errno;
  FileReplacement file(std::move(path), descriptor);
  if (descriptor < 0) return file.error(number);
  return file;
}

void FileReplacement::flush() {
  if (failed_ == 0) failed_ = write_all(descriptor_, buffer_);
  buffer_.clear();
}

void FileReplacement::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBuffer) flush();
}

Result<void> FileReplacement::commit() {
  flush();
  if (failed_ == 0 && ::fsync(descriptor_) != 0) failed_ = errno;
  if (failed_ != 0) return error(failed_);
  ::close(std::exchange(descriptor_, -1));
  std::error_code failed;
  std::filesystem::rename(unfinished(path_), path_, failed);
  if (failed) {
    std::error_code ignored;
    std::filesystem::remove(unfinished(path_), ignored);
    return error(failed.value());
  }
  store_folder(path_);
  return {};
}

Result<void> replace_file(const std::filesystem::path& path, std::string_view text) {
  auto file = FileReplacement::open(path);
  if (!file) return file.error();
  file->write(text);
  return file->commit();
}

}  // namespace tenure
