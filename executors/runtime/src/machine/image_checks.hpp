// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/model/command.hpp>

#include "machine/machine.hpp"

namespace pianola::runtime {

// Throws model::user_error (kernel_not_supported) if the device runs images and there is none of this kernel for it.
// Needs no lock.
void check_image(const machine& m, const model::kernel_command& k, model::device_id device);

// Whether check_image would not throw; costs no exception.
[[nodiscard]] bool has_image(const machine& m, const model::kernel_command& k,
                             model::device_id device);

// Whether the device can run kernels of this program: it needs no images, or object files that are loaded now have
// some for it.
[[nodiscard]] bool can_run_kernels(const machine& m, model::device_id device);

}  // namespace pianola::runtime
