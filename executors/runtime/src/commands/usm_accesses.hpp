// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pianola/model/command.hpp>

namespace pianola::runtime {

// What a kernel does through a pointer of its arguments, by what pianolacc has found out.
struct pointer_access {
  std::uint64_t pointer = 0;  // an address in the allocation
  std::uint64_t begin = 0;    // addresses; [0, 0): anywhere in the allocation
  std::uint64_t end = 0;
  bool read = false;
  bool written = false;
  bool exact = false;  // to every byte, for certain
};

// Through all pointers to memory that no slot stands for. Nothing if nothing is known of the kernel: it may do anything
// then. `arguments`: the bytes of the function object.
[[nodiscard]] std::vector<pointer_access> pointer_accesses(const model::kernel_command& kernel,
                                                           const model::argument_block& arguments,
                                                           std::size_t requirements);

// Bytes [begin, end) of a requirement's buffer that a kernel reads for certain; of very many pieces the first ones.
struct certain_read {
  std::uint32_t requirement = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// `slots`: of the buffers among the arguments.
[[nodiscard]] std::vector<certain_read> certain_reads(
    const model::kernel_command& kernel, const model::argument_block& arguments,
    model::array_view<const model::argument_slot> slots, std::size_t requirements);

}  // namespace pianola::runtime
