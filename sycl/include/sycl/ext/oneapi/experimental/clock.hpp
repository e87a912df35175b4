// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_clock: how time goes by in a kernel.
#pragma once

#include <cstdint>

#if !defined(__clang__) && !defined(__x86_64__)
#include <chrono>
#endif

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

/// Whose work-items have one clock: only times of one scope can be compared.
enum class clock_scope : int { sub_group, work_group, device };

/// Ticks since some moment, of a unit that depends on the device: on processors those of the time stamp counter, on GPUs of
/// the multiprocessor's clock. A device tells by its aspects which scopes it has.
template <clock_scope>
std::uint64_t clock() noexcept {
#if defined(__clang__)
  return __builtin_readcyclecounter();
#elif defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

}  // namespace ext::oneapi::experimental
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
