// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/kernel/group.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/sub_group.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Work-items of one work-group may run on one thread, so a scope inside the group needs no
/// hardware fence: the barrier call orders the accesses. A wider scope does.
inline void fence_beyond_group(memory_scope scope) {
  if (scope == memory_scope::device || scope == memory_scope::system)
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
}

}  // namespace detail

/// Waits for all work-items of the work-group (SYCL 2020, 4.17.2). Every work-item must reach it.
template <int Dimensions>
void group_barrier(const group<Dimensions>& g,
                   memory_scope fence_scope = group<Dimensions>::fence_scope) {
#if defined(__PIANOLACC__)
  static_cast<void>(g);
  __pianola_group_barrier(static_cast<std::uint32_t>(fence_scope));
#else
  detail::fence_beyond_group(fence_scope);
  const pianola::glue::group_context* context = detail::index_factory::context_of(g);
  if (context != nullptr) context->barrier(*context);
  detail::fence_beyond_group(fence_scope);
#endif
}

/// Waits for all work-items of the sub-group (SYCL 2020, 4.17.2). Every one of them must reach it.
inline void group_barrier(const sub_group& g, memory_scope fence_scope = sub_group::fence_scope) {
#if defined(__PIANOLACC__)
  static_cast<void>(g);
  __pianola_sub_group_barrier(static_cast<std::uint32_t>(fence_scope));
#else
  detail::fence_beyond_group(fence_scope);
  const pianola::glue::group_context* context = detail::index_factory::context_of(g);
  if (context != nullptr) context->sub_group_barrier(*context);
  detail::fence_beyond_group(fence_scope);
#endif
}

inline void sub_group::barrier() const { group_barrier(*this); }

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
