// SPDX-License-Identifier: Apache-2.0
#include "common/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "common/input_error.hpp"

namespace samples {
namespace {

struct closer {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using file = std::unique_ptr<std::FILE, closer>;

constexpr std::size_t largest_file = std::size_t{512} << 20;

std::string why() { return std::strerror(errno); }

}  // namespace

std::string read_file(const std::string& path) {
  const file f(std::fopen(path.c_str(), "rb"));
  if (!f) throw input_error("cannot open '" + printable(path) + "': " + why());
  std::string bytes;
  char chunk[1 << 16];
  for (;;) {
    const std::size_t n = std::fread(chunk, 1, sizeof chunk, f.get());
    bytes.append(chunk, n);
    if (bytes.size() > largest_file)
      throw input_error("'" + printable(path) + "' is larger than 512 MiB");
    if (n < sizeof chunk) break;
  }
  if (std::ferror(f.get())) throw input_error("cannot read '" + printable(path) + "': " + why());
  return bytes;
}

void write_file(const std::string& path, const std::string& bytes) {
  file f(std::fopen(path.c_str(), "wb"));
  if (!f) throw input_error("cannot write '" + printable(path) + "': " + why());
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), f.get()) == bytes.size();
  if (std::fclose(f.release()) != 0 || !written)
    throw input_error("cannot write '" + printable(path) + "': " + why());
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path, error))
    throw input_error("cannot create the folder '" + printable(path) +
                      "': " + (error ? error.message() : "something else has that name"));
}

}  // namespace samples
