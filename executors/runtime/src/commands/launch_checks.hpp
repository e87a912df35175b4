// SPDX-License-Identifier: Apache-2.0
// What a command group must be to be run, whether at once or as part of a graph.
#pragma once
#include <pianola/model/command.hpp>
#include <pianola/model/device_properties.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/runtime/submission.hpp>

namespace pianola::runtime {

class machine;

// Throws model::user_error (invalid) if the accessor asks for elements that the buffer does not have.
void check_request(const accessor_request& r, const model::buffer_info& buffer);

// Checks that do not depend on the mode: work-group sizes, local memory.
void check_launch(const model::kernel_command& k, const model::device_properties& device);

// Whether the device has work-groups of this size.
[[nodiscard]] bool can_run_group(const model::extent3& size,
                                 const model::device_properties& device) noexcept;

// The same as check_launch, and whether the device can run the kernel. Notes the local memory in the payload.
void check_command(const machine& m, submission& s, model::device_id device);

}  // namespace pianola::runtime
