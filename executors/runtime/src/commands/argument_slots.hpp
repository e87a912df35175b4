// SPDX-License-Identifier: Apache-2.0
#pragma once
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

// Finds the cookies in the bytes of a function object. Throws model::user_error (kernel_argument) if
// it holds an accessor that the command group does not require. Results are valid until the next call
// on this thread.
[[nodiscard]] found_slots find_slots(const submission& s);

}  // namespace pianola::runtime
