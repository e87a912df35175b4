// SPDX-License-Identifier: Apache-2.0
#include "pianola/formats/file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>

#include <fmt/format.h>

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

 private:
  int fd_;
};

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  throw model::user_error(model::error_code::invalid,
                          fmt::format("{}: {}: {}", one_line(path), what, std::strerror(error)));
}

}  // namespace

std::string read_file(const std::string& path, std::uint64_t maximum) {
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(path, "cannot be opened", errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) fail(path, "cannot be read", errno);
  if (S_ISDIR(status.st_mode)) fail(path, "cannot be read", EISDIR);

  const auto too_large = [&] {
    throw model::user_error(model::error_code::invalid,
                            fmt::format("{}: is larger than {}, the most that is read",
                                        one_line(path), bytes(maximum)));
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

// Sets temporary_ to a name that `make` could use; if there is none, it is empty and errno tells why.
template <class F>
bool output_file::with_new_name(F&& make) {
  // Processes of several machines may share the folder, so the name does not rest on the process alone.
  std::random_device random;
  for (int tries = 0; tries < 100; ++tries) {
    temporary_ = fmt::format("{}.pianola-{}-{}", folder_, ::getpid(), random());
    if (make(temporary_.c_str())) return true;
    if (errno != EEXIST) break;
  }
  temporary_.clear();
  return false;
}

output_file::output_file(std::string path) : path_(std::move(path)), target_(path_) {
  struct stat status{};
  const bool there = ::stat(path_.c_str(), &status) == 0;
  // Files under these are those that somebody has open: /dev/stdout.
  const bool opened = path_.rfind("/dev/", 0) == 0 || path_.rfind("/proc/", 0) == 0;
  if (there && (opened || !S_ISREG(status.st_mode))) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (descriptor_ < 0) fail(path_, "cannot be written", errno);
    return;
  }
  if (there) {
    if (::access(path_.c_str(), W_OK) != 0) fail(path_, "cannot be written", errno);
    if (char* real = ::realpath(path_.c_str(), nullptr)) {
      target_ = real;
      std::free(real);
    }
  } else if (const int last = errno;
             last == ENOENT && ::lstat(path_.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
    fail(path_, "is a symbolic link that leads nowhere", last);
  }
  const std::size_t slash = target_.rfind('/');
  folder_ = slash == std::string::npos ? "" : target_.substr(0, slash + 1);
  // Without a name it is gone when the process is, however that ends; the name is given through /proc.
  if (::access("/proc/self/fd", X_OK) == 0)
    descriptor_ =
        ::open(folder_.empty() ? "." : folder_.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  nameless_ = descriptor_ >= 0;
  if (!nameless_)
    with_new_name([this](const char* name) {
      descriptor_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      return descriptor_ >= 0;
    });
  if (descriptor_ < 0) fail(path_, "cannot be written", errno);
  if (there) static_cast<void>(::fchmod(descriptor_, status.st_mode & 0777));
}

output_file::~output_file() { give_up(); }

void output_file::give_up() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

namespace {

// While it lives, a file that reaches the limit of the process is an error of the write; by default it ends the program.
class limit_is_an_error {
 public:
  limit_is_an_error() noexcept {
    sigemptyset(&limit_);
    sigaddset(&limit_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    // Whose it is that waits already nobody can tell.
    active_ =
        sigismember(&pending, SIGXFSZ) == 0 && pthread_sigmask(SIG_BLOCK, &limit_, &before_) == 0;
  }
  ~limit_is_an_error() {
    if (!active_) return;
    const timespec at_once{};
    while (sigtimedwait(&limit_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  limit_is_an_error(const limit_is_an_error&) = delete;
  limit_is_an_error& operator=(const limit_is_an_error&) = delete;

 private:
  sigset_t limit_, before_;
  bool active_;
};

}  // namespace

void output_file::write(std::string_view piece) {
  const limit_is_an_error guard;
  while (!piece.empty()) {
    const ::ssize_t n = ::write(descriptor_, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path_, "cannot be written", errno);
    piece.remove_prefix(static_cast<std::size_t>(n));
  }
}

void output_file::commit() {
  const auto failed = [this] {
    const int error = errno;
    give_up();
    fail(path_, "cannot be written", error);
  };
  // EINVAL: what is written directly may have nothing to be synchronised.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) failed();
  if (nameless_) {
    const std::string open_file = fmt::format("/proc/self/fd/{}", descriptor_);
    const auto named = [&](const char* name) {
      return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    };
    // A link replaces nothing; a rename does.
    if (!named(target_.c_str()) && (errno != EEXIST || !with_new_name(named))) failed();
  }
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0 && errno != EINTR) failed();
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) failed();
  temporary_.clear();
}

void write_file(const std::string& path, std::string_view contents) {
  output_file file(path);
  file.write(contents);
  file.commit();
}

}  // namespace pianola::formats
