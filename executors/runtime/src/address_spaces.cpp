// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/address_spaces.hpp"

#include <cstdint>

#include <pianola/host/kernel_runner.hpp>

#include "pianola/runtime/compiled_kernels.hpp"

namespace pianola::runtime {

namespace {

bool is_private(const void* pointer) noexcept {
  bool runs_on_fiber = false;
  if (is_on_fiber_of_caller(pointer, runs_on_fiber)) return true;
  if (is_in_work_group_frame(pointer)) return true;
  if (runs_on_fiber) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(pointer);
  return at >= reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) &&
         at < reinterpret_cast<std::uintptr_t>(host::kernel_frame());
}

}  // namespace

std::uint32_t address_space_of(const void* pointer) noexcept {
  if (host::is_in_local_memory(pointer)) return in_local_memory;
  return is_private(pointer) ? in_private_memory : in_global_memory;
}

}  // namespace pianola::runtime

std::uint32_t pianola_address_space_v1(const void* pointer) {
  return pianola::runtime::address_space_of(pointer);
}
