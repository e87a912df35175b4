// SPDX-License-Identifier: Apache-2.0
// Operations in the words of the driver's interface.
#pragma once
#include <cstdint>

#include <pianola/gpu/boxes.hpp>
#include <pianola/gpu/driver.hpp>

#include "cuda_api.hpp"

namespace pianola::cuda {

[[nodiscard]] inline address address_of(const void* pointer) noexcept {
  return static_cast<address>(reinterpret_cast<std::uintptr_t>(pointer));
}
[[nodiscard]] inline void* pointer_to(address at) noexcept {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(at));
}

[[nodiscard]] memcpy_3d description_of(const gpu::copy_operation& copy) noexcept;
[[nodiscard]] kernel_node_parameters description_of(const gpu::kernel_launch& launch) noexcept;
[[nodiscard]] memset_node_parameters description_of(const gpu::fill_operation& fill) noexcept;

}  // namespace pianola::cuda
