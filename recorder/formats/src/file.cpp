// SPDX-License-Identifier: Apache-2.0
#include "pianola/formats/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

namespace pianola::formats {

namespace {

class descriptor {
 public:
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] int release() noexcept {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  throw model::user_error(model::error_code::invalid,
                          one_line(path) + ": " + what + ": " + std::strerror(error));
}

}  // namespace

std::string read_file(const std::string& path, std::uint64_t maximum) {
  descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(path, "cannot be opened", errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) fail(path, "cannot be read", errno);
  if (S_ISDIR(status.st_mode)) fail(path, "cannot be read", EISDIR);

  const auto too_large = [&] {
    throw model::user_error(
        model::error_code::invalid,
        one_line(path) + ": is larger than " + bytes(maximum) + ", the most that is read");
  };
  std::string contents;
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    if (static_cast<std::uint64_t>(status.st_size) > maximum) too_large();
    contents.reserve(static_cast<std::size_t>(status.st_size) + 1);
  }
  std::string block(std::size_t{1} << 18, '\0');
  for (;;) {
    const ::ssize_t n = ::read(file.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "cannot be read", errno);
    if (n == 0) return contents;
    contents.append(block, 0, static_cast<std::size_t>(n));
    if (contents.size() > maximum) too_large();
  }
}

void write_file(const std::string& path, std::string_view contents) {
  descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) fail(path, "cannot be written", errno);
  while (!contents.empty()) {
    const ::ssize_t n = ::write(file.get(), contents.data(), contents.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "cannot be written", errno);
    contents.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::close(file.release()) != 0 && errno != EINTR) fail(path, "cannot be written", errno);
}

}  // namespace pianola::formats
