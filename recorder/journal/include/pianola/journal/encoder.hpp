// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <pianola/journal/shape_table.hpp>
#include <pianola/model/array_view.hpp>

namespace pianola::journal {

// Records of a program as the bytes of a journal: numbers in as few bytes as they need, what is done again by its number,
// pointers by the allocation that they point into. Its memory is bounded, but for what the program has at a time of
// allocations and of graphs that it replays.
class encoder {
 public:
  // The record with its head. Appends to bytes().
  void take(model::array_view<const std::uint64_t> record);

  [[nodiscard]] std::string& bytes() noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t commands() const noexcept { return commands_; }
  // What commands are apart from their order, in words, over all commands.
  [[nodiscard]] std::uint64_t words() const noexcept { return words_; }

 private:
  // More are forgotten.
  static constexpr std::size_t most_freed = 1U << 14;

  struct place {
    std::uint64_t bytes;
    std::uint64_t number;
    bool freed;
  };

  void byte(unsigned value) { bytes_.push_back(static_cast<char>(value)); }
  void number(std::uint64_t value);
  void text(const std::uint64_t* words, std::uint64_t bytes);
  void buffer(const std::uint64_t* at);
  void allocation(const std::uint64_t* at);
  void freed(std::uint64_t which);
  [[nodiscard]] std::uint32_t shape_of_replay(std::uint64_t number);
  void command(const std::uint64_t* at, const std::uint64_t* end, std::uint64_t flags);
  std::uint32_t shape_of(const std::uint64_t* pointers, std::size_t count, std::size_t accesses,
                         const std::uint64_t* words, const std::uint64_t* end);
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> find(std::uint64_t address) const;

  std::string bytes_;
  std::uint64_t commands_ = 0;
  std::uint64_t retired_ = 0, first_step_ = 0;
  std::map<std::uint64_t, place> places_;                       // by address
  std::unordered_map<std::uint64_t, std::uint64_t> addresses_;  // by number of what is not freed
  std::deque<std::uint64_t> freed_;                             // addresses, oldest first
  shape_table shapes_;
  std::uint64_t times_forgotten_ = 0;
  struct replay {
    std::vector<std::uint64_t> command;
    // Its shape, as long as none was forgotten since.
    std::uint32_t shape = shape_table::none;
    std::uint64_t times_forgotten = 0;
    std::size_t words = 0;
  };
  std::unordered_map<std::uint64_t, replay> replays_;
  std::uint64_t words_ = 0;
  std::vector<std::uint64_t> key_;  // scratch storage
};

}  // namespace pianola::journal
