// SPDX-License-Identifier: Apache-2.0
#include "common/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
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

// Under another name first, so that no half of a file takes the place of a whole one.
void write_file(const std::string& path, const std::string& bytes) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  const bool replace = !error && (std::filesystem::is_regular_file(target, error) ||
                                  !std::filesystem::exists(target, error));
  const std::string other =
      replace ? target.string() + "." + std::to_string(std::random_device()()) + ".part" : path;
  file f(std::fopen(other.c_str(), replace ? "wbx" : "wb"));
  if (!f) throw input_error("cannot write '" + printable(path) + "': " + why());
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), f.get()) == bytes.size();
  const bool good = std::fclose(f.release()) == 0 && written &&
                    (!replace || std::rename(other.c_str(), target.c_str()) == 0);
  if (good) return;
  const std::string reason = why();
  if (replace) std::remove(other.c_str());
  throw input_error("cannot write '" + printable(path) + "': " + reason);
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path, error))
    throw input_error("cannot create the folder '" + printable(path) +
                      "': " + (error ? error.message() : "something else has that name"));
}

}  // namespace samples
