// SPDX-License-Identifier: Apache-2.0
// The file of a journal: a head, and blocks that are appended. Whatever happens to the process that writes it, the blocks
// that are there as a whole are right: each says how long it is and has a checksum.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pianola::journal {

inline constexpr std::string_view file_head = "pianola.journal/2\n";
inline constexpr std::size_t most_block_bytes = std::size_t{64} << 20;

// A journal of no more becomes files of text as soon as the program ends: some hundred commands, for which that is not
// noticed. A longer one stays what it is, as text takes far longer to write than the commands took to record.
inline constexpr std::uint64_t most_bytes_of_short_run = std::uint64_t{1} << 14;

// Appends. After an error the file ends with the last block that is there as a whole, and nothing more is written.
class file_writer {
 public:
  file_writer() = default;
  file_writer(const file_writer&) = delete;
  file_writer& operator=(const file_writer&) = delete;
  ~file_writer() { close(); }

  // A new file; what is there under the name is replaced. `nameless`: a file in that folder that goes away with the
  // process. Returns what is wrong; empty: nothing.
  [[nodiscard]] std::string open(const std::string& path, bool nameless);
  [[nodiscard]] std::string append(std::string_view block);
  void close() noexcept;
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  [[nodiscard]] std::string write_all(const void* bytes, std::size_t size);

  int descriptor_ = -1;
  std::uint64_t size_ = 0;  // up to the last whole block
};

// Reads block after block.
class file_reader {
 public:
  // Throws model::user_error (invalid) with the path if it cannot be read or is no journal.
  explicit file_reader(const std::string& path);
  // Of an open file, which stays open; from its start.
  explicit file_reader(int descriptor);
  file_reader(const file_reader&) = delete;
  file_reader& operator=(const file_reader&) = delete;
  ~file_reader();

  // False at the end, and where what follows is no whole block.
  [[nodiscard]] bool next(std::string& block);
  // Bytes of the whole file.
  [[nodiscard]] std::uint64_t size() const noexcept;
  // Whether something follows the last whole block.
  [[nodiscard]] bool cut_off() const noexcept { return cut_off_; }
  // Where that begins, if it is no beginning of a block either, as whoever is killed leaves it; 0: it is.
  [[nodiscard]] std::uint64_t damaged_at() const noexcept { return damaged_at_; }

 private:
  [[nodiscard]] std::size_t read(void* to, std::size_t size);

  std::string path_;
  int descriptor_ = -1;
  bool owned_ = false;
  std::uint64_t at_ = 0;
  bool cut_off_ = false;
  std::uint64_t damaged_at_ = 0;
};

[[nodiscard]] bool is_journal(const std::string& path);
// A process has it open, and will add to it.
[[nodiscard]] bool is_written(const std::string& path);

}  // namespace pianola::journal
