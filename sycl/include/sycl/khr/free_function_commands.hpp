// SPDX-License-Identifier: Apache-2.0
// Commands as free functions, without events unless asked for (sycl_khr_free_function_commands). Each takes a queue or the
// handler of a command group.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/accessor.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/event.hpp>
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/handler.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace khr {

template <class CommandGroup>
void submit(queue q, CommandGroup&& group) {
  q.submit(std::forward<CommandGroup>(group));
}
template <class CommandGroup>
event submit_tracked(queue q, CommandGroup&& group) {
  return q.submit(std::forward<CommandGroup>(group));
}

// Of a function object, or of a sycl::kernel with its arguments; the forms for reductions take those after the kernel.
#define PIANOLA_LAUNCH(dimensions)                                                                \
  template <class Kernel, class... Arguments>                                                     \
  void launch(handler& h, range<dimensions> r, const Kernel& k, Arguments&&... arguments) {       \
    static_assert(std::is_same<Kernel, kernel>::value || sizeof...(Arguments) == 0,               \
                  "launch: only a sycl::kernel takes arguments; launch_reduce takes reductions"); \
    detail::launch_over<void>(h, r, k, std::forward<Arguments>(arguments)...);                    \
  }                                                                                               \
  template <class Kernel, class... Arguments>                                                     \
  void launch(queue q, range<dimensions> r, const Kernel& k, Arguments&&... arguments) {          \
    q.submit([&](handler& h) { khr::launch(h, r, k, std::forward<Arguments>(arguments)...); });   \
  }                                                                                               \
  template <class Kernel, class First, class... Reductions>                                       \
  void launch_reduce(handler& h, range<dimensions> r, const Kernel& k, First&& first,             \
                     Reductions&&... more) {                                                      \
    h.parallel_for(r, std::forward<First>(first), std::forward<Reductions>(more)..., k);          \
  }                                                                                               \
  template <class Kernel, class First, class... Reductions>                                       \
  void launch_reduce(queue q, range<dimensions> r, const Kernel& k, First&& first,                \
                     Reductions&&... more) {                                                      \
    q.submit([&](handler& h) {                                                                    \
      khr::launch_reduce(h, r, k, std::forward<First>(first), std::forward<Reductions>(more)...); \
    });                                                                                           \
  }                                                                                               \
  template <class Kernel, class... Arguments>                                                     \
  void launch_grouped(handler& h, range<dimensions> r, range<dimensions> size, const Kernel& k,   \
                      Arguments&&... arguments) {                                                 \
    static_assert(std::is_same<Kernel, kernel>::value || sizeof...(Arguments) == 0,               \
                  "launch_grouped: only a sycl::kernel takes arguments; launch_grouped_reduce "   \
                  "takes reductions");                                                            \
    detail::launch_over<void>(h, nd_range<dimensions>(r, size), k,                                \
                              std::forward<Arguments>(arguments)...);                             \
  }                                                                                               \
  template <class Kernel, class... Arguments>                                                     \
  void launch_grouped(queue q, range<dimensions> r, range<dimensions> size, const Kernel& k,      \
                      Arguments&&... arguments) {                                                 \
    q.submit([&](handler& h) {                                                                    \
      khr::launch_grouped(h, r, size, k, std::forward<Arguments>(arguments)...);                  \
    });                                                                                           \
  }                                                                                               \
  template <class Kernel, class First, class... Reductions>                                       \
  void launch_grouped_reduce(handler& h, range<dimensions> r, range<dimensions> size,             \
                             const Kernel& k, First&& first, Reductions&&... more) {              \
    h.parallel_for(nd_range<dimensions>(r, size), std::forward<First>(first),                     \
                   std::forward<Reductions>(more)..., k);                                         \
  }                                                                                               \
  template <class Kernel, class First, class... Reductions>                                       \
  void launch_grouped_reduce(queue q, range<dimensions> r, range<dimensions> size,                \
                             const Kernel& k, First&& first, Reductions&&... more) {              \
    q.submit([&](handler& h) {                                                                    \
      khr::launch_grouped_reduce(h, r, size, k, std::forward<First>(first),                       \
                                 std::forward<Reductions>(more)...);                              \
    });                                                                                           \
  }
PIANOLA_LAUNCH(1)
PIANOLA_LAUNCH(2)
PIANOLA_LAUNCH(3)
#undef PIANOLA_LAUNCH

template <class Kernel, class... Arguments>
void launch_task(handler& h, const Kernel& k, Arguments&&... arguments) {
  ext::oneapi::experimental::single_task<void>(h, k, std::forward<Arguments>(arguments)...);
}
template <class Kernel, class... Arguments>
void launch_task(queue q, const Kernel& k, Arguments&&... arguments) {
  q.submit([&](handler& h) { khr::launch_task(h, k, std::forward<Arguments>(arguments)...); });
}

inline void memcpy(handler& h, void* destination, const void* source, std::size_t bytes) {
  h.memcpy(destination, source, bytes);
}
inline void memcpy(queue q, void* destination, const void* source, std::size_t bytes) {
  q.memcpy(destination, source, bytes);
}
template <class T>
void copy(handler& h, const T* source, T* destination, std::size_t count) {
  h.copy(source, destination, count);
}
template <class T>
void copy(queue q, const T* source, T* destination, std::size_t count) {
  q.copy(source, destination, count);
}

// Accessors given to a handler are those of its command group; the forms that take a queue require them.
template <class Source, class T, int D, access_mode M, accessor_variant V>
void copy(handler& h, const Source* source, accessor<T, D, M, target::device, V> destination) {
  h.copy(source, destination);
}
template <class Source, class T, int D, access_mode M, accessor_variant V>
void copy(queue q, const Source* source, accessor<T, D, M, target::device, V> destination) {
  q.copy(source, destination);
}
template <class Source, class T, int D, access_mode M, accessor_variant V>
void copy(handler& h, std::shared_ptr<Source> source,
          accessor<T, D, M, target::device, V> destination) {
  h.copy(std::move(source), destination);
}
template <class Source, class T, int D, access_mode M, accessor_variant V>
void copy(queue q, std::shared_ptr<Source> source,
          accessor<T, D, M, target::device, V> destination) {
  q.copy(std::move(source), destination);
}
template <class T, int D, access_mode M, accessor_variant V, class Destination>
void copy(handler& h, accessor<T, D, M, target::device, V> source, Destination* destination) {
  h.copy(source, destination);
}
template <class T, int D, access_mode M, accessor_variant V, class Destination>
void copy(queue q, accessor<T, D, M, target::device, V> source, Destination* destination) {
  q.copy(source, destination);
}
template <class T, int D, access_mode M, accessor_variant V, class Destination>
void copy(handler& h, accessor<T, D, M, target::device, V> source,
          std::shared_ptr<Destination> destination) {
  h.copy(source, std::move(destination));
}
template <class T, int D, access_mode M, accessor_variant V, class Destination>
void copy(queue q, accessor<T, D, M, target::device, V> source,
          std::shared_ptr<Destination> destination) {
  q.copy(source, std::move(destination));
}
template <class T1, int D1, access_mode M1, accessor_variant V1, class T2, int D2, access_mode M2,
          accessor_variant V2>
void copy(handler& h, accessor<T1, D1, M1, target::device, V1> source,
          accessor<T2, D2, M2, target::device, V2> destination) {
  h.copy(source, destination);
}
template <class T1, int D1, access_mode M1, accessor_variant V1, class T2, int D2, access_mode M2,
          accessor_variant V2>
void copy(queue q, accessor<T1, D1, M1, target::device, V1> source,
          accessor<T2, D2, M2, target::device, V2> destination) {
  q.copy(source, destination);
}

inline void memset(handler& h, void* pointer, int value, std::size_t bytes) {
  h.memset(pointer, value, bytes);
}
inline void memset(queue q, void* pointer, int value, std::size_t bytes) {
  q.memset(pointer, value, bytes);
}
template <class T>
void fill(handler& h, T* pointer, const T& pattern, std::size_t count) {
  h.fill(pointer, pattern, count);
}
template <class T>
void fill(queue q, T* pointer, const T& pattern, std::size_t count) {
  q.fill(pointer, pattern, count);
}
template <class T, int D, access_mode M, accessor_variant V>
void fill(handler& h, accessor<T, D, M, target::device, V> destination, const T& pattern) {
  h.fill(destination, pattern);
}
template <class T, int D, access_mode M, accessor_variant V>
void fill(queue q, accessor<T, D, M, target::device, V> destination, const T& pattern) {
  q.fill(destination, pattern);
}
template <class T, int D, access_mode M, accessor_variant V>
void update_host(handler& h, accessor<T, D, M, target::device, V> a) {
  h.update_host(a);
}
template <class T, int D, access_mode M, accessor_variant V>
void update_host(queue q, accessor<T, D, M, target::device, V> a) {
  q.update_host(a);
}

inline void prefetch(handler& h, void* pointer, std::size_t bytes) { h.prefetch(pointer, bytes); }
inline void prefetch(queue q, void* pointer, std::size_t bytes) { q.prefetch(pointer, bytes); }
inline void mem_advise(handler& h, void* pointer, std::size_t bytes, int advice) {
  h.mem_advise(pointer, bytes, advice);
}
inline void mem_advise(queue q, void* pointer, std::size_t bytes, int advice) {
  q.mem_advise(pointer, bytes, advice);
}

/// Later commands of the queue wait for all earlier ones, or for the events.
inline void command_barrier(handler& h) { h.ext_oneapi_barrier(); }
inline void command_barrier(queue q) { q.ext_oneapi_submit_barrier(); }
inline void event_barrier(handler& h, const std::vector<event>& events) {
  h.ext_oneapi_barrier(events);
}
inline void event_barrier(queue q, const std::vector<event>& events) {
  q.ext_oneapi_submit_barrier(events);
}

}  // namespace khr
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
