#include "base/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

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

/// 0, or the errno of what failed.
int write_and_store(const std::filesystem::path& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.ok()) return errno;
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file.get()) == 0 ? 0 : errno;
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

Result<void> replace_file(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path unfinished = path;
  unfinished += ".part";
  std::error_code error(write_and_store(unfinished, text), std::generic_category());
  if (!error) std::filesystem::rename(unfinished, path, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    return failure(ErrorCode::io, "{}: cannot be written: {}", path.string(), error.message());
  }
  store_folder(path);
  return {};
}

}  // namespace tenure
