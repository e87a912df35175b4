// SPDX-License-Identifier: Apache-2.0
// Kernels that are started before those in front of them have finished (CUDA's programmatic dependent launch), so that
// what they do first overlaps with the others' end.
//
// A kernel offers it with the property programmatic_dependent_launch, and then owes this: each of its work-groups
// calls wait_for_prerequisites() in at least one work-item and on every way through the kernel, and no work-item of the
// group reads what the commands in front of it write, or writes what they read or write, before that. Where several
// items need the data, they call it each, or meet at a barrier behind the call.
//
// A kernel may call launch_dependents() to say that those behind it may be started now, which happens once all its
// work-groups have called it or ended. Without that call they start when it ends, as always. It says nothing
// about memory: everything that it writes, before or behind the call, is seen by those who wait for it.
//
// An offer only: kernels overlap on CUDA devices of compute capability 9.0 and later, with code that was compiled for
// such (--pianola-targets=cuda:sm_90), eagerly behind a kernel of the same queue, and in a recorded graph where the
// kernel waits for exactly one other node, a kernel of the same device. Everywhere else they wait in front, and both
// functions do nothing.
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/glue/intrinsics.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

struct programmatic_dependent_launch_value {};
/// A property of kernels, as those of sycl_ext_oneapi_kernel_properties.
inline constexpr programmatic_dependent_launch_value programmatic_dependent_launch{};

/// In kernels. Returns when all commands that this one depends on have finished and what they wrote can be seen.
inline __attribute__((always_inline)) void wait_for_prerequisites() noexcept {
#if defined(__PIANOLACC__)
  if (__pianola_is_device()) __pianola_dependent_launch(1);
#endif
}

/// In kernels. From this work-group's side, kernels that wait for this one themselves may be started.
inline __attribute__((always_inline)) void launch_dependents() noexcept {
#if defined(__PIANOLACC__)
  if (__pianola_is_device()) __pianola_dependent_launch(0);
#endif
}

}  // namespace ext::pianola

namespace ext::oneapi::experimental {
template <>
struct is_property_key<ext::pianola::programmatic_dependent_launch_value> : std::true_type {};
}  // namespace ext::oneapi::experimental

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
