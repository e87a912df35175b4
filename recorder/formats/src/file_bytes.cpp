// SPDX-License-Identifier: Apache-2.0
#include "pianola/formats/file_bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

namespace pianola::formats {

namespace {

class open_file {
 public:
  explicit open_file(const std::string& path) noexcept
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int get() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

// How much of it could be read.
std::size_t read_all(int descriptor, unsigned char* to, std::size_t size) noexcept {
  std::size_t done = 0;
  while (done < size) {
    const ::ssize_t n = ::read(descriptor, to + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw model::user_error(model::error_code::invalid,
                          fmt::format("{}: {}", one_line(path), reason));
}

}  // namespace

// Whole large pages lie at their multiples.
constexpr std::size_t large = std::size_t{2} << 20;

static std::size_t mapped(std::size_t size) noexcept {
  return size < large ? size : (size + large - 1) / large * large;
}

file_bytes::file_bytes(std::size_t size) {
  if (size == 0) return;
  void* const at =
      ::mmap(nullptr, mapped(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  want_large_pages(at, mapped(size));
  data_ = static_cast<unsigned char*>(at);
  size_ = size;
}

file_bytes::~file_bytes() {
  if (data_ != nullptr) ::munmap(data_, mapped(size_));
}

file_bytes file_bytes::read(const std::string& path, std::uint64_t maximum, const observer& seen) {
  const open_file file(path);
  if (file.get() < 0) fail(path, std::string("cannot be opened: ") + std::strerror(errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0)
    fail(path, std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail(path, "is no regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > maximum)
    fail(path, fmt::format("is larger than {}, the most that is read", bytes(maximum)));
  file_bytes all{static_cast<std::size_t>(size)};
  for (std::size_t at = 0; at < all.size_;) {
    const std::size_t piece = seen ? std::min(piece_bytes, all.size_ - at) : all.size_;
    if (read_all(file.get(), all.data_ + at, piece) != piece)
      fail(path, "became shorter while it was read");
    if (seen) seen(all.data_ + at, piece);
    at += piece;
  }
  return all;
}

void file_bytes::give_back(std::size_t begin, std::size_t end) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(data_);
  const std::uintptr_t first = (at + begin + large - 1) / large * large;
  const std::uintptr_t last = (at + end) / large * large;
  if (first < last)
    static_cast<void>(::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED));
}

file_bytes file_bytes::copy_of(std::string_view bytes) {
  file_bytes all{bytes.size()};
  if (!bytes.empty()) std::memcpy(all.data_, bytes.data(), bytes.size());
  return all;
}

void want_large_pages(void* begin, std::size_t size) noexcept {
  // Below that the call costs more than it saves.
  constexpr std::size_t worth_it = std::size_t{256} << 10;
  if (size < worth_it) return;
  constexpr std::uintptr_t page = 4096;
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (at + page - 1) / page * page, end = (at + size) / page * page;
  if (first < end)
    static_cast<void>(::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
}

std::string file_head(const std::string& path, std::size_t most) {
  // Whoever opens a pipe and closes it again takes what was in it from the one who reads it next.
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const open_file file(path);
  if (file.get() < 0) return {};
  std::string head(most, '\0');
  head.resize(read_all(file.get(), reinterpret_cast<unsigned char*>(head.data()), most));
  return head;
}

}  // namespace pianola::formats
