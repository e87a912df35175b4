// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <pianola/model/command.hpp>

#include "commands/argument_slots.hpp"

namespace pianola::runtime {

// Accessors that may write, by the accessor's mode, and do not, by what the compiler knows of the kernel, become
// readers: others may read at the same time, and copies elsewhere stay valid. Requirements are those of the
// command group's accessors, in their order.
void narrow_modes(const model::command_payload& payload, const found_slots& slots,
                  std::vector<model::requirement>& requirements);

}  // namespace pianola::runtime
