// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/address_spaces.hpp"

#include <cstdint>

#include <pianola/host/kernel_runner.hpp>
#include <pianola/runtime/compiled_kernels.hpp>

// AddressSanitizer's; null in programs without it. It keeps variables of functions elsewhere than on the stack.
extern "C" {
__attribute__((weak)) void* __asan_get_current_fake_stack();
__attribute__((weak)) void* __asan_addr_is_in_fake_stack(void* fake_stack, void* address,
                                                         void** begin, void** end);
}

namespace pianola::runtime {

namespace {

// Where the stack has the frame that AddressSanitizer put the variable of; the pointer itself if it has not.
const void* place_on_stack(const void* pointer) noexcept {
  if (__asan_get_current_fake_stack == nullptr || __asan_addr_is_in_fake_stack == nullptr)
    return pointer;
  void* const fake = __asan_get_current_fake_stack();
  if (fake == nullptr) return pointer;
  const void* const frame =
      __asan_addr_is_in_fake_stack(fake, const_cast<void*>(pointer), nullptr, nullptr);
  return frame == nullptr ? pointer : frame;
}

bool is_private(const void* pointer) noexcept {
  if (is_in_work_group_frame(pointer) || host::is_in_kernel_arguments(pointer)) return true;
  pointer = place_on_stack(pointer);
  bool runs_on_fiber = false;
  if (is_on_fiber_of_caller(pointer, runs_on_fiber)) return true;
  if (runs_on_fiber) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(pointer);
  return at >= reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) &&
         at < reinterpret_cast<std::uintptr_t>(host::kernel_frame());
}

}  // namespace

std::uint32_t address_space_of(const void* pointer) noexcept {
  if (host::kernel_frame() == nullptr) return in_no_kernel;
  if (host::is_in_local_memory(pointer)) return in_local_memory;
  if (!is_private(pointer)) return in_global_memory;
  return host::runs_groups_of_one() ? in_memory_of_lone_item : in_private_memory;
}

}  // namespace pianola::runtime

std::uint32_t pianola_address_space_v1(const void* pointer) {
  return pianola::runtime::address_space_of(pointer);
}
