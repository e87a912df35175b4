// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include <pianola/journal/encoder.hpp>
#include <pianola/journal/file.hpp>

#include "recording/record_ring.hpp"

namespace pianola::runtime {

// Writes what comes through its ring to a journal, at most a second after it came.
class journal_thread {
 public:
  // The file is made with the first command, after `make_room`. `nameless`: it is nobody else's, and goes with the process.
  journal_thread(std::string path, bool nameless, std::function<void()> make_room);
  ~journal_thread();

  [[nodiscard]] record_ring& ring() noexcept { return ring_; }
  // Everything is on its way to the disk, nothing more may come. Returns whether there is a file that has all of it.
  bool finish();
  // Of that file.
  [[nodiscard]] int descriptor() const noexcept { return file_.descriptor(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return file_.size(); }
  [[nodiscard]] std::uint64_t words() const noexcept { return encoder_.words(); }

 private:
  static constexpr std::size_t block_bytes = std::size_t{1} << 16;

  void run();
  void flush();
  [[nodiscard]] std::string open();

  const std::string path_;
  const bool nameless_;
  const std::function<void()> make_room_;
  record_ring ring_;
  journal::encoder encoder_;
  journal::file_writer file_;
  bool failed_ = false;
  std::thread thread_;
};

}  // namespace pianola::runtime
