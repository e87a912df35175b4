// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/memory_enums.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// For the compilers' atomic built-ins. Scopes have none: every operation is as wide as the system, which is
/// stronger than any narrower scope.
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

}  // namespace detail

/// SYCL 2020, 4.15.1. A fence that only the calling work-item takes part in does nothing.
inline __attribute__((always_inline)) void atomic_fence(memory_order order, memory_scope scope) {
  if (scope == memory_scope::work_item) return;
  // One built-in per order: its argument is a constant even where nothing is optimised.
  switch (order) {
    case memory_order::relaxed:
      return;
    case memory_order::acquire:
      return __atomic_thread_fence(__ATOMIC_ACQUIRE);
    case memory_order::release:
      return __atomic_thread_fence(__ATOMIC_RELEASE);
    case memory_order::acq_rel:
      return __atomic_thread_fence(__ATOMIC_ACQ_REL);
    case memory_order::seq_cst:
      return __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
