// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace pianola::formats {

inline constexpr std::uint64_t maximum_file_bytes = std::uint64_t{1} << 30;

// The whole file. Throws model::user_error (invalid) with path and reason if it cannot be read, is a
// directory, or holds more than `maximum` bytes.
[[nodiscard]] std::string read_file(const std::string& path,
                                    std::uint64_t maximum = maximum_file_bytes);

// A file that is written in pieces and appears as a whole: until commit() it has no name, or where the file system
// cannot do that a name of its own (".pianola-..."), which goes away with this object. So whoever reads the path finds
// the old contents or the new ones, even if the process is killed, the disk is full or another process writes the same
// file. What is no regular file (a pipe, a terminal) is written directly; a symbolic link is followed. Functions throw
// model::user_error (invalid) with path and reason.
class output_file {
 public:
  explicit output_file(std::string path);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();

  void write(std::string_view piece);
  // Everything is on the disk, then has its name. Nothing may be written after it.
  void commit();

 private:
  template <class F>
  bool with_new_name(F&& make);
  void give_up() noexcept;

  std::string path_;       // as the user calls it
  std::string target_;     // without symbolic links
  std::string folder_;     // that it is in, with the slash; empty: the current one
  std::string temporary_;  // empty: written directly, nameless, or done
  bool nameless_ = false;  // until commit()
  int descriptor_ = -1;
};

// Replaces the file's contents, all or nothing: see output_file.
void write_file(const std::string& path, std::string_view contents);

}  // namespace pianola::formats
