// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/model/ids.hpp>

namespace pianola::runtime {

// Where a device has its own object for a variable of the program (abi/image.h), memory that commands copy from and to like
// memory of USM; the program's own where kernels use that. Throws model::user_error: feature_not_supported where the device
// has no such variables, or pianolacc did not compile this one for devices; what the device says.
[[nodiscard]] void* find_device_variable(model::device_id, void* variable);

}  // namespace pianola::runtime
