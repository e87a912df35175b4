// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// In the function object of a kernel: a value that recorded graphs can change, right behind the cookie of its
/// dynamic_parameter, by which the runtime finds it. A cookie of 0 is none.
template <class T, bool = (alignof(T) > 8)>
struct alignas(8) parameter_slot {
  std::uint64_t cookie;
  T value;
  static parameter_slot make(std::uint64_t cookie, const T& value) { return {cookie, value}; }
};

template <class T>
struct alignas(T) parameter_slot<T, true> {
  // Instead of padding, which would carry stray bytes.
  std::uint64_t unused[alignof(T) / 8 - 1];
  std::uint64_t cookie;
  T value;
  static parameter_slot make(std::uint64_t cookie, const T& value) { return {{}, cookie, value}; }
};

/// Whether a T is local memory of a work-group that begins with the pointer to it and then says how large it is.
template <class T>
inline constexpr bool is_local_memory = false;

/// The same for local memory: behind this header, which with the value's pointer is a pianola::runtime::dynamic_memory.
template <class T>
struct local_memory_slot {
  std::uint64_t cookie;
  std::uint64_t bytes;
  std::uint64_t alignment;
  std::uint64_t behind;
  T value;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
