// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/ids.hpp>

namespace pianola::runtime {

class machine;

// Whether the program has code of the kernel for the device, which can run such a launch. Its local memory must be known.
[[nodiscard]] bool can_launch(const machine& m, const model::kernel_command& k, model::device_id d);

// Those of `allowed` (ascending) on which the command does what it does on its own device, that one always among them;
// none if it has to stay where it is. Only kernels move, and only where the program has code for them, the device can run
// such a launch, and everything that the kernel touches is known to be in buffers that are brought along: in its
// arguments is no pointer to an allocation or to a buffer's storage, and every accessor is one that is filled in. Between
// devices that run the host's code other pointers mean the same on both; to or from any other device a kernel moves only
// if the compiler has proven that it touches nothing else.
[[nodiscard]] std::vector<model::device_id> candidates_of(
    const machine& m, const model::command& command, const std::vector<model::device_id>& allowed);

}  // namespace pianola::runtime
