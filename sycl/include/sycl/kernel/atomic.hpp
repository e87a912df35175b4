// SPDX-License-Identifier: Apache-2.0
// atomic, which SYCL 2020 deprecates (4.15.4) in favour of atomic_ref, so that older programs still compile.
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/atomic_ref.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/multi_ptr.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// Atomic operations on an integer or, with fewer operations, on a float in global or local memory. Copies refer
/// to the same object. Reaches all work-items that can reach the memory.
template <class T, access::address_space AddressSpace = access::address_space::global_space>
class atomic {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomic refers to numbers of 4 or 8 bytes");
  static_assert(AddressSpace == access::address_space::global_space ||
                    AddressSpace == access::address_space::local_space,
                "atomic refers to global or local memory");
  using reference =
      atomic_ref<T, memory_order::relaxed,
                 AddressSpace == access::address_space::local_space ? memory_scope::work_group
                                                                    : memory_scope::device,
                 AddressSpace>;
  template <class U>
  using if_integer = std::enable_if_t<std::is_integral_v<U>, int>;

 public:
  template <class PointerT, access::decorated IsDecorated,
            std::enable_if_t<std::is_same_v<PointerT, T>, int> = 0>
  atomic(multi_ptr<PointerT, AddressSpace, IsDecorated> ptr) noexcept : at_(ptr.get_raw()) {}

  void store(T operand, memory_order memoryOrder = memory_order::relaxed) noexcept {
    reference(*at_).store(operand, memoryOrder);
  }
  T load(memory_order memoryOrder = memory_order::relaxed) const noexcept {
    return reference(*at_).load(memoryOrder);
  }
  T exchange(T operand, memory_order memoryOrder = memory_order::relaxed) noexcept {
    return reference(*at_).exchange(operand, memoryOrder);
  }
  template <class U = T, if_integer<U> = 0>
  bool compare_exchange_strong(T& expected, T desired,
                               memory_order successMemoryOrder = memory_order::relaxed,
                               memory_order failMemoryOrder = memory_order::relaxed) noexcept {
    return reference(*at_).compare_exchange_strong(expected, desired, successMemoryOrder,
                                                   failMemoryOrder);
  }

#define PIANOLA_ATOMIC_FETCH(name)                                               \
  template <class U = T, if_integer<U> = 0>                                      \
  T name(T operand, memory_order memoryOrder = memory_order::relaxed) noexcept { \
    return reference(*at_).name(operand, memoryOrder);                           \
  }

  PIANOLA_ATOMIC_FETCH(fetch_add)
  PIANOLA_ATOMIC_FETCH(fetch_sub)
  PIANOLA_ATOMIC_FETCH(fetch_and)
  PIANOLA_ATOMIC_FETCH(fetch_or)
  PIANOLA_ATOMIC_FETCH(fetch_xor)
  PIANOLA_ATOMIC_FETCH(fetch_min)
  PIANOLA_ATOMIC_FETCH(fetch_max)
#undef PIANOLA_ATOMIC_FETCH

 private:
  T* at_;
};

// The same as functions.
template <class T, access::address_space Space>
void atomic_store(atomic<T, Space> object, T operand,
                  memory_order memoryOrder = memory_order::relaxed) noexcept {
  object.store(operand, memoryOrder);
}
template <class T, access::address_space Space>
T atomic_load(atomic<T, Space> object, memory_order memoryOrder = memory_order::relaxed) noexcept {
  return object.load(memoryOrder);
}
template <class T, access::address_space Space>
bool atomic_compare_exchange_strong(atomic<T, Space> object, T& expected, T desired,
                                    memory_order successMemoryOrder = memory_order::relaxed,
                                    memory_order failMemoryOrder = memory_order::relaxed) noexcept {
  return object.compare_exchange_strong(expected, desired, successMemoryOrder, failMemoryOrder);
}

#define PIANOLA_ATOMIC_FUNCTION(name, member)                         \
  template <class T, access::address_space Space>                     \
  T name(atomic<T, Space> object, T operand,                          \
         memory_order memoryOrder = memory_order::relaxed) noexcept { \
    return object.member(operand, memoryOrder);                       \
  }

PIANOLA_ATOMIC_FUNCTION(atomic_exchange, exchange)
PIANOLA_ATOMIC_FUNCTION(atomic_fetch_add, fetch_add)
PIANOLA_ATOMIC_FUNCTION(atomic_fetch_sub, fetch_sub)
PIANOLA_ATOMIC_FUNCTION(atomic_fetch_and, fetch_and)
PIANOLA_ATOMIC_FUNCTION(atomic_fetch_or, fetch_or)
PIANOLA_ATOMIC_FUNCTION(atomic_fetch_xor, fetch_xor)
PIANOLA_ATOMIC_FUNCTION(atomic_fetch_min, fetch_min)
PIANOLA_ATOMIC_FUNCTION(atomic_fetch_max, fetch_max)
#undef PIANOLA_ATOMIC_FUNCTION

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
