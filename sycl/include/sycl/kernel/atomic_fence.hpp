// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/kernel/memory_enums.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// For the compilers' atomic built-ins.
constexpr int builtin_order(memory_order order) {
  switch (order) {
    case memory_order::relaxed:
      return __ATOMIC_RELAXED;
    case memory_order::acquire:
      return __ATOMIC_ACQUIRE;
    case memory_order::release:
      return __ATOMIC_RELEASE;
    case memory_order::acq_rel:
      return __ATOMIC_ACQ_REL;
    case memory_order::seq_cst:
      return __ATOMIC_SEQ_CST;
  }
  return __ATOMIC_SEQ_CST;
}

/// The pointer, for an atomic built-in. The built-ins know no scopes: on a host every operation is as wide as
/// the system, which is stronger than any narrower scope; for devices the compiler learns the scope here.
template <class T>
inline __attribute__((always_inline)) T* in_scope(T* at, memory_scope scope) noexcept {
#if defined(__PIANOLACC__)
  if (__pianola_is_device())
    return static_cast<T*>(__pianola_in_scope(at, static_cast<std::uint32_t>(scope)));
#endif
  static_cast<void>(scope);
  return at;
}

#if defined(__SANITIZE_THREAD__)
#define PIANOLA_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PIANOLA_THREAD_SANITIZER 1
#endif
#endif
#if defined(PIANOLA_THREAD_SANITIZER)
inline unsigned fences_seen = 0;
#endif

/// Order: __ATOMIC_ACQUIRE and the like; a constant even where nothing is optimised.
template <int Order>
inline __attribute__((always_inline)) void builtin_fence(memory_scope scope) noexcept {
#if defined(__PIANOLACC__)
  if (__pianola_is_device()) return __pianola_fence(Order, static_cast<std::uint32_t>(scope));
#endif
  static_cast<void>(scope);
#if defined(PIANOLA_THREAD_SANITIZER)
  // ThreadSanitizer does not understand fences. An operation of all of them on one object orders at least as much.
  __atomic_fetch_add(&fences_seen, 0U, __ATOMIC_ACQ_REL);
#endif
  __atomic_thread_fence(Order);
}

}  // namespace detail

/// SYCL 2020, 4.15.1. A fence that only the calling work-item takes part in does nothing.
inline __attribute__((always_inline)) void atomic_fence(memory_order order, memory_scope scope) {
  if (scope == memory_scope::work_item) return;
  switch (order) {
    case memory_order::relaxed:
      return;
    case memory_order::acquire:
      return detail::builtin_fence<__ATOMIC_ACQUIRE>(scope);
    case memory_order::release:
      return detail::builtin_fence<__ATOMIC_RELEASE>(scope);
    case memory_order::acq_rel:
      return detail::builtin_fence<__ATOMIC_ACQ_REL>(scope);
    case memory_order::seq_cst:
      return detail::builtin_fence<__ATOMIC_SEQ_CST>(scope);
  }
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
