// SPDX-License-Identifier: Apache-2.0
// What a program that is recorded says of itself, as plain words: cheap to write for the thread that submits. A record
// is a word with its length and kind, and what the kind says.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>

namespace pianola::journal {

enum class record_kind : std::uint8_t {
  skip,        // nothing
  elsewhere,   // address of the record, which its reader deletes
  text,        // number; bytes; the text
  buffer,      // key; shape; bytes; label
  allocation,  // number; address; bytes; kind and memory
  freed,       // number
  // queue; retired; first step; numbers of the following: what it comes after; steps; pointers; command_words, or the
  // number by which they are known
  command,
  host_waited,   // step; number of the text that says how it waited
  queue_waited,  // queue; number of commands that it waited for; text
  buffer_ended,  // key; text
  measured,      // command; nanoseconds; nanoseconds after the recording began
  replays,       // number; command_words of each replay that names it
  replays_end,   // number: nothing names it any more
  machine        // device of the host; bytes; the text of a topology file
};

constexpr std::uint64_t head_of(record_kind kind, std::uint64_t words,
                                std::uint64_t flags = 0) noexcept {
  return words | std::uint64_t{static_cast<std::uint8_t>(kind)} << 32 | flags << 40;
}
constexpr std::size_t words_of(std::uint64_t head) noexcept { return head & 0xffffffffU; }
constexpr record_kind kind_of(std::uint64_t head) noexcept {
  return static_cast<record_kind>(head >> 32 & 0xff);
}
constexpr std::uint64_t flags_of(std::uint64_t head) noexcept { return head >> 40; }

// Of a record of a command.
inline constexpr std::uint64_t from_queue = 1;  // it was submitted to a queue
inline constexpr std::uint64_t in_order = 2;    // to one in order
inline constexpr std::uint64_t closes = 4;      // a barrier behind everything of its queue
inline constexpr std::uint64_t settlement =
    8;  // no command: its step stands for the last on its lane
inline constexpr std::uint64_t by_number = 16;  // a replay, whose command_words were told before

// Of a step of a command: lane, device and what it waits for; a transfer has a buffer, memories and a box as well.
inline constexpr std::uint64_t transfer_words = 8;
constexpr std::uint64_t step_head(std::uint32_t lane, std::uint16_t device, std::size_t waits,
                                  bool transfer) noexcept {
  return lane | std::uint64_t{device} << 32 | std::uint64_t{transfer ? 1U : 0U} << 48 | waits << 49;
}

// What a command does to the bytes [begin, end) from an address on: three words behind the pointers. `pointer` is in the
// allocation; [0, 0) means all of that.
inline constexpr std::uint64_t access_words = 3;
// access_of_buffer: bytes of the buffer that a requirement names, whose number stands in the place of the pointer.
inline constexpr std::uint64_t access_reads = 1, access_writes = 2, access_is_exact = 4,
                               access_of_buffer = 8;
constexpr std::uint64_t access_head(std::uint64_t pointer, std::uint64_t how) noexcept {
  return pointer | how << 56;
}

// In the word with a buffer's dimensions: nothing had been written to it when it was made.
inline constexpr std::uint64_t unwritten_buffer = 0x80;

// A requirement's buffer, for files: a name that no other buffer of the program has, and whether all of it is meant.
struct named_buffer {
  std::uint64_t key = 0;
  bool whole = false;
};

// A requirement and a payload have at most so many words.
inline constexpr std::size_t most_requirement_words = 8;
inline constexpr std::size_t most_payload_words = 24;

// What a command is apart from its order and its pointers. `label`: number of a text. `names`: as many as requirements.
// Returns where the next word goes.
std::uint64_t* write_command(std::uint64_t* to, const model::command& command, std::uint32_t label,
                             model::array_view<const model::requirement> requirements,
                             const named_buffer* names) noexcept;

// Reads it.
class command_reader {
 public:
  struct found_buffer {
    model::buffer_id id;
    model::extent3 range;
  };
  using find_buffer = std::function<found_buffer(std::uint64_t key)>;

  // Throws model::user_error (invalid) if these are no words of a command. The result is the reader's.
  model::command& read(model::array_view<const std::uint64_t> words, const find_buffer& find);
  [[nodiscard]] std::uint32_t label() const noexcept { return label_; }

 private:
  std::vector<model::requirement> requirements_;
  model::command command_;
  std::uint32_t label_ = 0;
};

}  // namespace pianola::journal
