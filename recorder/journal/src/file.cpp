// SPDX-License-Identifier: Apache-2.0
#include "pianola/journal/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <pianola/formats/checksum.hpp>
#include <pianola/formats/file_bytes.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

namespace pianola::journal {

namespace {

struct block_head {
  std::uint64_t bytes;
  std::uint64_t checksum;
};

std::uint64_t checksum_of(std::string_view block) {
  return formats::checksum(reinterpret_cast<const unsigned char*>(block.data()), block.size());
}

std::string reason() { return std::strerror(errno); }

}  // namespace

std::string file_writer::open(const std::string& path, bool nameless) {
  close();
  size_ = 0;
  if (nameless) {
    std::string name = path + ".XXXXXX";
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ >= 0) ::unlink(name.c_str());
  } else {
    // Who still reads the old one keeps it.
    ::unlink(path.c_str());
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) return reason();
  // Until the process ends, however that is.
  static_cast<void>(::flock(descriptor_, LOCK_EX | LOCK_NB));
  std::string error = write_all(file_head.data(), file_head.size());
  if (!error.empty()) {
    close();
    if (!nameless) ::unlink(path.c_str());
    return error;
  }
  size_ = file_head.size();
  return {};
}

std::string file_writer::write_all(const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size != 0) {
    const ::ssize_t n = ::write(descriptor_, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return reason();
    if (n == 0) return "nothing more can be written";
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return {};
}

std::string file_writer::append(std::string_view block) {
  if (block.empty()) return {};
  const block_head head{block.size(), checksum_of(block)};
  std::string error = write_all(&head, sizeof head);
  if (error.empty()) error = write_all(block.data(), block.size());
  if (error.empty()) {
    size_ += sizeof head + block.size();
    return {};
  }
  // Readers would find the end themselves; so nobody has to.
  static_cast<void>(!::ftruncate(descriptor_, static_cast<::off_t>(size_)));
  return error;
}

void file_writer::close() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

file_reader::file_reader(const std::string& path)
    : path_(formats::one_line(path)),
      descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      owned_(true) {
  const auto fail = [&](const std::string& why) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw model::user_error(model::error_code::invalid, fmt::format("{}: {}", path_, why));
  };
  if (descriptor_ < 0) fail("cannot be opened: " + reason());
  struct ::stat status{};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) fail("is no file");
  char head[file_head.size()];
  if (read(head, sizeof head) != sizeof head || std::string_view(head, sizeof head) != file_head)
    fail("is no journal of this version");
}

file_reader::file_reader(int descriptor)
    : path_("journal"), descriptor_(descriptor), at_(file_head.size()) {}

file_reader::~file_reader() {
  if (owned_) ::close(descriptor_);
}

std::size_t file_reader::read(void* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ::ssize_t n = ::pread(descriptor_, static_cast<char*>(to) + done, size - done,
                                static_cast<::off_t>(at_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      throw model::user_error(model::error_code::invalid,
                              fmt::format("{}: cannot be read: {}", path_, reason()));
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  at_ += done;
  return done;
}

std::uint64_t file_reader::size() const noexcept {
  struct ::stat status{};
  return ::fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : at_;
}

bool file_reader::next(std::string& block) {
  block_head head{};
  const std::uint64_t begin = at_;
  const std::size_t n = read(&head, sizeof head);
  if (n == 0) return false;
  cut_off_ = true;
  if (n != sizeof head) return false;
  if (head.bytes > most_block_bytes) {
    damaged_at_ = begin;
    return false;
  }
  if (size() - at_ < head.bytes) return false;
  block.resize(head.bytes);
  if (read(block.data(), block.size()) != block.size()) return false;
  if (checksum_of(block) != head.checksum) {
    damaged_at_ = begin;
    return false;
  }
  cut_off_ = false;
  return true;
}

bool is_written(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool busy = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return busy;
}

bool is_journal(const std::string& path) {
  return formats::file_head(path, file_head.size()) == file_head;
}

}  // namespace pianola::journal
