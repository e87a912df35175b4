// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/model/command.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/runtime/submission.hpp>

namespace pianola::runtime {

class machine;

// Notes in each plain pointer of a copy or fill which memory it points into.
void locate_pointers(const machine& m, model::command_payload& payload);

// The device that a command of a queue of `device` has to run on for what it works on to be in reach, and where its
// accessors want their data. Commands of the host run on a device of the host's domain; copies and fills where both sides
// can be reached. Which one of several that would do is placement, the planner's.
struct reaching_device {
  model::device_id device;  // invalid: a copy between memories that no device reaches both of
  model::memory_id memory;  // of the accessors
  model::memory_id
      device_memory;  // of those with target::device, where that differs (interoperation)

  [[nodiscard]] model::memory_id memory_of(const accessor_request& a) const noexcept {
    if (a.memory.valid()) return a.memory;
    // Accessors to a host task have no cookie.
    return device_memory.valid() && a.cookie != 0 ? device_memory : memory;
  }
};
[[nodiscard]] reaching_device find_reaching_device(const machine& m,
                                                   const model::command_payload& payload,
                                                   model::device_id device);

}  // namespace pianola::runtime
