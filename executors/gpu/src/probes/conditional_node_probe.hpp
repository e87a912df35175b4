// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

// Whether graphs of the device loop and choose as their conditions say: runs one. `why`: the driver's code if it failed.
[[nodiscard]] bool conditional_nodes_decide(driver& d, std::uint32_t device, code& why) noexcept;

}  // namespace pianola::gpu
