// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/page_file.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include <pianola/host/host_backend.hpp>

namespace pianola::host {

using executors::status;
using model::error_code;

namespace {

// What tells a file from others, whatever its descriptor stands for by now; 0: nothing.
std::pair<std::uint64_t, std::uint64_t> identity_of(int file) noexcept {
  struct stat s{};
  return ::fstat(file, &s) == 0 ? std::pair<std::uint64_t, std::uint64_t>{s.st_dev, s.st_ino}
                                : std::pair<std::uint64_t, std::uint64_t>{0, 0};
}

template <class... Arguments>
status no_memory(fmt::format_string<Arguments...> text, Arguments&&... arguments) noexcept {
  try {
    return {error_code::memory_allocation,
            fmt::format(text, std::forward<Arguments>(arguments)...)};
  } catch (...) {
    return current_exception_status();
  }
}

status not_ours() noexcept {
  return no_memory(
      "the program has closed a file that it has not opened, from which pages are taken");
}

}  // namespace

std::unique_ptr<page_file> page_file::open() noexcept {
  // Such a limit holds for the file of the pages too, and ends the program that exceeds it.
  rlimit most{};
  if (::getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur != RLIM_INFINITY) return nullptr;
  const int file = ::memfd_create("pianola pages", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  std::unique_ptr<page_file> made(new (std::nothrow) page_file(file));
  if (made == nullptr) ::close(file);
  return made;
}

page_file::page_file(int file) noexcept
    : file_(file),
      identity_(identity_of(file)),
      page_bytes_(static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))),
      most_bytes_(static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * page_bytes_) {}

page_file::~page_file() {
  for (const auto& [address, bytes] : reservations_) ::munmap(address, bytes);
  if (is_ours()) ::close(file_);
}

bool page_file::is_ours() const noexcept { return identity_of(file_) == identity_; }

status page_file::reserve(std::uint64_t bytes, void*& address) noexcept {
  if (bytes > most_bytes_) return no_memory("the machine has less memory");
  void* const made =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) return no_memory("{}", std::strerror(errno));
  try {
    reservations_.emplace_back(made, bytes);
  } catch (...) {
    ::munmap(made, bytes);
    return current_exception_status();
  }
  address = made;
  return {};
}

status page_file::grow(std::uint64_t bytes) noexcept {
  if (bytes <= bytes_) return {};
  if (!is_ours()) return not_ours();
  if (bytes > most_bytes_) return no_memory("the machine has {} bytes", most_bytes_);
  if (::ftruncate(file_, static_cast<::off_t>(bytes)) != 0)
    return no_memory("{}", std::strerror(errno));
  bytes_ = bytes;
  return {};
}

status page_file::map(void* address, std::uint64_t bytes, std::uint64_t offset) noexcept {
  if (!is_ours()) return not_ours();
  if (::mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_,
             static_cast<::off_t>(offset)) == MAP_FAILED)
    return no_memory("{}{}", std::strerror(errno),
                     errno == ENOMEM ? "; vm.max_map_count may be too small" : "");
  return {};
}

status page_file::fill(std::uint64_t offset, std::uint64_t bytes, int value) const noexcept {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_,
                          static_cast<::off_t>(offset));
  if (at == MAP_FAILED) return no_memory("{}", std::strerror(errno));
  std::memset(at, value, bytes);
  ::munmap(at, bytes);
  return {};
}

}  // namespace pianola::host
