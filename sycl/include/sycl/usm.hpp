// SPDX-License-Identifier: Apache-2.0
// Unified shared memory (SYCL 2020, 4.8). The allocation functions return null for zero bytes, where
// memory is exhausted and for an alignment that is no power of two; they throw exception
// (errc::feature_not_supported) if the device lacks the kind of memory and exception (errc::invalid) if
// the device is not one of the context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <pianola/runtime/usm.hpp>

#include <sycl/context.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/property_list.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace usm {
enum class alloc : char { PIANOLA_USM_KINDS(PIANOLA_ENUMERATOR) unknown };
}  // namespace usm

namespace detail {

pianola::runtime::usm_kind checked_usm_kind(usm::alloc kind, const device& d, const context& c);

void* allocate_usm(usm::alloc kind, std::size_t bytes, std::size_t alignment, const device& d,
                   const context& c);

template <class T>
T* allocate_usm_array(usm::alloc kind, std::size_t count, std::size_t alignment, const device& d,
                      const context& c) {
  if (count > SIZE_MAX / sizeof(T)) return nullptr;
  if (alignment < alignof(T)) alignment = alignof(T);
  return static_cast<T*>(allocate_usm(kind, count * sizeof(T), alignment, d, c));
}

device first_device(const context& c);

}  // namespace detail

// Per kind: bytes and arrays, with and without alignment, by device and context and by queue.
#define PIANOLA_USM_OF_DEVICE(kind)                                                            \
  inline void* malloc_##kind(std::size_t bytes, const device& d, const context& c,             \
                             const property_list& = {}) {                                      \
    return detail::allocate_usm(usm::alloc::kind, bytes, 0, d, c);                             \
  }                                                                                            \
  inline void* malloc_##kind(std::size_t bytes, const queue& q, const property_list& = {}) {   \
    return detail::allocate_usm(usm::alloc::kind, bytes, 0, q.get_device(), q.get_context());  \
  }                                                                                            \
  inline void* aligned_alloc_##kind(std::size_t alignment, std::size_t bytes, const device& d, \
                                    const context& c, const property_list& = {}) {             \
    return detail::allocate_usm(usm::alloc::kind, bytes, alignment, d, c);                     \
  }                                                                                            \
  inline void* aligned_alloc_##kind(std::size_t alignment, std::size_t bytes, const queue& q,  \
                                    const property_list& = {}) {                               \
    return detail::allocate_usm(usm::alloc::kind, bytes, alignment, q.get_device(),            \
                                q.get_context());                                              \
  }                                                                                            \
  template <class T>                                                                           \
  T* malloc_##kind(std::size_t count, const device& d, const context& c,                       \
                   const property_list& = {}) {                                                \
    return detail::allocate_usm_array<T>(usm::alloc::kind, count, 0, d, c);                    \
  }                                                                                            \
  template <class T>                                                                           \
  T* malloc_##kind(std::size_t count, const queue& q, const property_list& = {}) {             \
    return detail::allocate_usm_array<T>(usm::alloc::kind, count, 0, q.get_device(),           \
                                         q.get_context());                                     \
  }                                                                                            \
  template <class T>                                                                           \
  T* aligned_alloc_##kind(std::size_t alignment, std::size_t count, const device& d,           \
                          const context& c, const property_list& = {}) {                       \
    return detail::allocate_usm_array<T>(usm::alloc::kind, count, alignment, d, c);            \
  }                                                                                            \
  template <class T>                                                                           \
  T* aligned_alloc_##kind(std::size_t alignment, std::size_t count, const queue& q,            \
                          const property_list& = {}) {                                         \
    return detail::allocate_usm_array<T>(usm::alloc::kind, count, alignment, q.get_device(),   \
                                         q.get_context());                                     \
  }
PIANOLA_USM_OF_DEVICE(device)
PIANOLA_USM_OF_DEVICE(shared)
#undef PIANOLA_USM_OF_DEVICE

void* malloc_host(std::size_t bytes, const context& c, const property_list& = {});
void* malloc_host(std::size_t bytes, const queue& q, const property_list& = {});
void* aligned_alloc_host(std::size_t alignment, std::size_t bytes, const context& c,
                         const property_list& = {});
void* aligned_alloc_host(std::size_t alignment, std::size_t bytes, const queue& q,
                         const property_list& = {});
template <class T>
T* malloc_host(std::size_t count, const context& c, const property_list& = {}) {
  return detail::allocate_usm_array<T>(usm::alloc::host, count, 0, detail::first_device(c), c);
}
template <class T>
T* malloc_host(std::size_t count, const queue& q, const property_list& = {}) {
  return detail::allocate_usm_array<T>(usm::alloc::host, count, 0, q.get_device(), q.get_context());
}
template <class T>
T* aligned_alloc_host(std::size_t alignment, std::size_t count, const context& c,
                      const property_list& = {}) {
  return detail::allocate_usm_array<T>(usm::alloc::host, count, alignment, detail::first_device(c),
                                       c);
}
template <class T>
T* aligned_alloc_host(std::size_t alignment, std::size_t count, const queue& q,
                      const property_list& = {}) {
  return detail::allocate_usm_array<T>(usm::alloc::host, count, alignment, q.get_device(),
                                       q.get_context());
}

/// The kind as an argument (SYCL 2020, 4.8.3).
void* malloc(std::size_t bytes, const device& d, const context& c, usm::alloc kind,
             const property_list& = {});
void* malloc(std::size_t bytes, const queue& q, usm::alloc kind, const property_list& = {});
void* aligned_alloc(std::size_t alignment, std::size_t bytes, const device& d, const context& c,
                    usm::alloc kind, const property_list& = {});
void* aligned_alloc(std::size_t alignment, std::size_t bytes, const queue& q, usm::alloc kind,
                    const property_list& = {});
template <class T>
T* malloc(std::size_t count, const device& d, const context& c, usm::alloc kind,
          const property_list& = {}) {
  return detail::allocate_usm_array<T>(kind, count, 0, d, c);
}
template <class T>
T* malloc(std::size_t count, const queue& q, usm::alloc kind, const property_list& = {}) {
  return detail::allocate_usm_array<T>(kind, count, 0, q.get_device(), q.get_context());
}
template <class T>
T* aligned_alloc(std::size_t alignment, std::size_t count, const device& d, const context& c,
                 usm::alloc kind, const property_list& = {}) {
  return detail::allocate_usm_array<T>(kind, count, alignment, d, c);
}
template <class T>
T* aligned_alloc(std::size_t alignment, std::size_t count, const queue& q, usm::alloc kind,
                 const property_list& = {}) {
  return detail::allocate_usm_array<T>(kind, count, alignment, q.get_device(), q.get_context());
}

/// Null is ignored. Commands that use the memory must have finished. Throws exception (errc::invalid) for
/// a pointer that none of the functions above returned.
void free(void* pointer, const context&);
void free(void* pointer, const queue&);

/// Pointers into an allocation count as well (SYCL 2020, 4.8). The storage of buffers is device memory.
usm::alloc get_pointer_type(const void* pointer, const context& c);

/// The device that the memory was allocated for, the context's first one for host memory. Throws exception
/// (errc::invalid) if the pointer is into no allocation of the context.
device get_pointer_device(const void* pointer, const context& c);

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
