// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <pianola/model/array_view.hpp>
#include <pianola/model/kernel.hpp>
#include <pianola/runtime/submission.hpp>

namespace pianola::runtime {

// Where addresses have to be filled in among the arguments of a command.
struct found_slots {
  model::array_view<const model::argument_slot> buffers;
  model::array_view<const model::argument_slot> local;
  model::array_view<const model::argument_slot> textures;
  bool dynamic_memory = false;  // there is local memory that only a graph can lay out
};

// The offset of a slot for an accessor of a recorded host task that is not among the bytes of its function object: if it is
// used, it is behind a pointer, and stays with the address that it was made with.
inline constexpr std::uint32_t out_of_reach = 0xffffffffU;

// Finds the cookies in the bytes of a function object, and the addresses that accessors of a host task hold. Throws
// model::user_error (kernel_argument) if it holds an accessor that the command group does not require. Results are valid until
// the next call on this thread.
[[nodiscard]] found_slots find_slots(const submission& s);

// Whether one of the slots is of an accessor of a host task that holds the same address of the same buffer as this one.
[[nodiscard]] bool holds_host_accessor(const submission& s,
                                       model::array_view<const model::argument_slot> slots,
                                       std::uint32_t accessor);

}  // namespace pianola::runtime
