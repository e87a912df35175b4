// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/detail/checked_size.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/event.hpp>
#include <sycl/handler.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// The handler's commands that copy, fill and move memory, as command groups of one command (SYCL 2020, 4.6.5): alone, after
/// an event, after several.
template <class Queue>
class queue_copies {
 public:
  event memcpy(void* destination, const void* source, std::size_t bytes) {
    return self().submit([&](handler& h) { h.memcpy(destination, source, bytes); });
  }
  event memcpy(void* destination, const void* source, std::size_t bytes, const event& after) {
    return self().shortcut(after, [&](handler& h) { h.memcpy(destination, source, bytes); });
  }
  event memcpy(void* destination, const void* source, std::size_t bytes,
               const std::vector<event>& after) {
    return self().shortcut(after, [&](handler& h) { h.memcpy(destination, source, bytes); });
  }

  template <class T>
  event copy(const T* source, T* destination, std::size_t count) {
    return memcpy(destination, source, checked_bytes("copy", count, sizeof(T)));
  }
  template <class T>
  event copy(const T* source, T* destination, std::size_t count, const event& after) {
    return memcpy(destination, source, checked_bytes("copy", count, sizeof(T)), after);
  }
  template <class T>
  event copy(const T* source, T* destination, std::size_t count, const std::vector<event>& after) {
    return memcpy(destination, source, checked_bytes("copy", count, sizeof(T)), after);
  }

  // Of a device_global; see handler.
#define PIANOLA_DEVICE_GLOBAL_COPY(name, first_type, second_type, count_default)              \
  template <class T, class P>                                                                 \
  event name(first_type first, second_type second, std::size_t count = count_default,         \
             std::size_t offset = 0) {                                                        \
    return self().submit([&](handler& h) { h.name(first, second, count, offset); });          \
  }                                                                                           \
  template <class T, class P>                                                                 \
  event name(first_type first, second_type second, std::size_t count, std::size_t offset,     \
             const event& after) {                                                            \
    return self().shortcut(after, [&](handler& h) { h.name(first, second, count, offset); }); \
  }                                                                                           \
  template <class T, class P>                                                                 \
  event name(first_type first, second_type second, std::size_t count, std::size_t offset,     \
             const std::vector<event>& after) {                                               \
    return self().shortcut(after, [&](handler& h) { h.name(first, second, count, offset); }); \
  }
#define PIANOLA_VARIABLE ext::oneapi::experimental::device_global<T, P>&
#define PIANOLA_ELEMENT std::remove_cv_t<std::remove_all_extents_t<T>>
  PIANOLA_DEVICE_GLOBAL_COPY(memcpy, PIANOLA_VARIABLE, const void*, sizeof(T))
  PIANOLA_DEVICE_GLOBAL_COPY(memcpy, void*, const PIANOLA_VARIABLE, sizeof(T))
  PIANOLA_DEVICE_GLOBAL_COPY(copy, const PIANOLA_ELEMENT*, PIANOLA_VARIABLE, elements_of<T>)
  PIANOLA_DEVICE_GLOBAL_COPY(copy, const PIANOLA_VARIABLE, PIANOLA_ELEMENT*, elements_of<T>)
#undef PIANOLA_ELEMENT
#undef PIANOLA_VARIABLE
#undef PIANOLA_DEVICE_GLOBAL_COPY

  event memset(void* destination, int value, std::size_t bytes) {
    return self().submit([&](handler& h) { h.memset(destination, value, bytes); });
  }
  event memset(void* destination, int value, std::size_t bytes, const event& after) {
    return self().shortcut(after, [&](handler& h) { h.memset(destination, value, bytes); });
  }
  event memset(void* destination, int value, std::size_t bytes, const std::vector<event>& after) {
    return self().shortcut(after, [&](handler& h) { h.memset(destination, value, bytes); });
  }

  template <class T>
  event fill(void* destination, const T& pattern, std::size_t count) {
    return self().submit([&](handler& h) { h.fill(destination, pattern, count); });
  }
  template <class T>
  event fill(void* destination, const T& pattern, std::size_t count, const event& after) {
    return self().shortcut(after, [&](handler& h) { h.fill(destination, pattern, count); });
  }
  template <class T>
  event fill(void* destination, const T& pattern, std::size_t count,
             const std::vector<event>& after) {
    return self().shortcut(after, [&](handler& h) { h.fill(destination, pattern, count); });
  }

  event prefetch(const void* pointer, std::size_t bytes) {
    return self().submit([&](handler& h) { h.prefetch(pointer, bytes); });
  }
  event prefetch(const void* pointer, std::size_t bytes, const event& after) {
    return self().shortcut(after, [&](handler& h) { h.prefetch(pointer, bytes); });
  }
  event prefetch(const void* pointer, std::size_t bytes, const std::vector<event>& after) {
    return self().shortcut(after, [&](handler& h) { h.prefetch(pointer, bytes); });
  }

  event mem_advise(const void* pointer, std::size_t bytes, int advice) {
    return self().submit([&](handler& h) { h.mem_advise(pointer, bytes, advice); });
  }
  event mem_advise(const void* pointer, std::size_t bytes, int advice, const event& after) {
    return self().shortcut(after, [&](handler& h) { h.mem_advise(pointer, bytes, advice); });
  }
  event mem_advise(const void* pointer, std::size_t bytes, int advice,
                   const std::vector<event>& after) {
    return self().shortcut(after, [&](handler& h) { h.mem_advise(pointer, bytes, advice); });
  }

  // Through placeholder accessors, which are required here.

  template <class T, int D, access_mode M, target G, accessor_variant V, class Destination>
  event copy(const accessor<T, D, M, G, V>& source, Destination* destination) {
    return self().submit([&](handler& h) {
      h.require(source);
      h.copy(source, destination);
    });
  }
  template <class Source, class T, int D, access_mode M, target G, accessor_variant V>
  event copy(const Source* source, const accessor<T, D, M, G, V>& destination) {
    return self().submit([&](handler& h) {
      h.require(destination);
      h.copy(source, destination);
    });
  }
  template <class T, int D, access_mode M, target G, accessor_variant V, class Destination>
  event copy(const accessor<T, D, M, G, V>& source, std::shared_ptr<Destination> destination) {
    return self().submit([&](handler& h) {
      h.require(source);
      h.copy(source, std::move(destination));
    });
  }
  template <class Source, class T, int D, access_mode M, target G, accessor_variant V>
  event copy(std::shared_ptr<Source> source, const accessor<T, D, M, G, V>& destination) {
    return self().submit([&](handler& h) {
      h.require(destination);
      h.copy(std::move(source), destination);
    });
  }
  template <class T1, int D1, access_mode M1, target G1, accessor_variant V1, class T2, int D2,
            access_mode M2, target G2, accessor_variant V2>
  event copy(const accessor<T1, D1, M1, G1, V1>& source,
             const accessor<T2, D2, M2, G2, V2>& destination) {
    return self().submit([&](handler& h) {
      h.require(source);
      h.require(destination);
      h.copy(source, destination);
    });
  }
  template <class T, int D, access_mode M, target G, accessor_variant V>
  event update_host(const accessor<T, D, M, G, V>& a) {
    return self().submit([&](handler& h) {
      h.require(a);
      h.update_host(a);
    });
  }
  template <class T, int D, access_mode M, target G, accessor_variant V>
  event fill(const accessor<T, D, M, G, V>& destination, const std::remove_const_t<T>& pattern) {
    return self().submit([&](handler& h) {
      h.require(destination);
      h.fill(destination, pattern);
    });
  }

 private:
  friend Queue;
  queue_copies() = default;
  Queue& self() noexcept { return static_cast<Queue&>(*this); }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
