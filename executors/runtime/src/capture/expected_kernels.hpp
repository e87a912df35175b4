// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/model/kernel.hpp>
#include <pianola/runtime/submission.hpp>

namespace pianola::runtime {

class captured_command;

// The kernels of a sequence, as words that lie one behind the other in the order in which they are compared: most submissions are
// the same in all, and to find that out is most of what holding one back takes.
class expected_kernels {
 public:
  void assign(const std::vector<std::unique_ptr<captured_command>>& commands);
  // The command has other values or buffers now, as many of them as before.
  void change(std::size_t i, const captured_command& c) noexcept;
  // Whether the submission asks for a kernel that is the same in all, its values and buffers too, and nothing else: what
  // captured_command::compare then says, without its questions. False says nothing.
  [[nodiscard]] bool is_repeated_by(std::size_t i, const submission& s,
                                    model::device_id of_queue) const noexcept;

 private:
  struct slot {
    std::uint32_t offset, accessor;
  };
  struct expected {
    const model::kernel_descriptor* kernel = nullptr;  // null: no kernel, or not compared here
    std::uint32_t first_word = 0, first_slot = 0;
    std::uint32_t argument_bytes = 0, argument_alignment = 0;
    std::uint32_t local_memory_bytes = 0;
    std::uint16_t accessors = 0, slots = 0;
    std::uint8_t dimensions = 0;
    bool grouped = false;
  };

  void write(const expected& e, const captured_command& c) noexcept;

  std::vector<expected> commands_;
  // Of each: the index spaces, the accessors, the arguments, and where these are compared.
  std::vector<std::uint64_t> words_;
  std::vector<slot> slots_;
};

}  // namespace pianola::runtime
