// SPDX-License-Identifier: Apache-2.0
// The function object of a kernel as bytes: stored by the runtime, patched, and taken out again
// where the kernel runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include <pianola/model/array_view.hpp>
#include <pianola/model/kernel.hpp>

namespace pianola::glue {

/// How to copy and destroy an Object that is not trivially copyable.
template <class Object>
inline constexpr model::object_operations operations_of{
    [](void* destination, const void* source) {
      new (destination) Object(*static_cast<const Object*>(source));
    },
    std::is_trivially_destructible_v<Object>
        ? nullptr
        : +[](void* object) noexcept { static_cast<Object*>(object)->~Object(); }};

/// Null for what memcpy may copy.
template <class Object>
constexpr const model::object_operations* operations_or_null() noexcept {
  if constexpr (std::is_trivially_copyable_v<Object> && std::is_trivially_destructible_v<Object>)
    return nullptr;
  else
    return &operations_of<Object>;
}

/// Out of line: once for all kernels.
__attribute__((noinline)) inline void point_into_arena(
    unsigned char* arguments, model::array_view<const model::argument_slot> local_slots,
    void* local_memory) noexcept {
  for (const model::argument_slot& slot : local_slots) {
    void* const address = static_cast<unsigned char*>(local_memory) + slot.byte_offset;
    std::memcpy(arguments + slot.offset, &address, sizeof(address));
  }
}

/// The function object that a thread runs: the stored one, or a copy of it whose local accessors point
/// into this thread's arena.
template <class Kernel>
class localised_kernel {
 public:
  localised_kernel(const Kernel& stored, model::array_view<const model::argument_slot> slots,
                   [[maybe_unused]] void* local_memory)
      : kernel_(&stored) {
    if constexpr (sizeof(Kernel) >= sizeof(void*)) {
      if (slots.empty()) return;
      kernel_ = new (bytes_) Kernel(stored);
      owned_ = true;
      point_into_arena(bytes_, slots, local_memory);
    }
  }
  localised_kernel(const localised_kernel&) = delete;
  localised_kernel& operator=(const localised_kernel&) = delete;
  ~localised_kernel() {
    if (owned_) kernel_->~Kernel();
  }

  const Kernel& get() const noexcept { return *std::launder(kernel_); }

 private:
  const Kernel* kernel_;
  bool owned_ = false;
  alignas(Kernel) unsigned char bytes_[sizeof(Kernel)];
};

/// What a loop calls: a copy on the stack where that is cheap, because only of a copy that nobody
/// else can see does the compiler keep the members (accessors' pointers) in registers.
template <class Kernel>
using loop_kernel =
    std::conditional_t<std::is_trivially_copyable_v<Kernel> && sizeof(Kernel) <= 1024, const Kernel,
                       const Kernel&>;

}  // namespace pianola::glue
