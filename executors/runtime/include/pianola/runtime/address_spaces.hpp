// SPDX-License-Identifier: Apache-2.0
// Which memory a kernel's pointer points into, on the CPU.
#pragma once
#include <cstdint>

namespace pianola::runtime {

// The results of __pianola_address_space as well.
inline constexpr std::uint32_t in_global_memory = 0;
inline constexpr std::uint32_t in_local_memory = 1;
inline constexpr std::uint32_t in_private_memory = 2;
// Private memory of the only work-item of a group, where hierarchical kernels have the variables of the group too.
inline constexpr std::uint32_t in_memory_of_lone_item = 3;
inline constexpr std::uint32_t in_no_kernel = 4;

// Called by a work-item. Local: what the launch asked for. Private: the stack that the work-item runs on, from the kernel's
// start on. All else is global. On a thread that runs no kernel: in_no_kernel.
[[nodiscard]] std::uint32_t address_space_of(const void* pointer) noexcept;

// Helps it to know.
[[nodiscard]] bool is_on_fiber_of_caller(const void* pointer, bool& runs_on_fiber) noexcept;
[[nodiscard]] bool is_in_work_group_frame(const void* pointer) noexcept;

}  // namespace pianola::runtime
