// SPDX-License-Identifier: Apache-2.0
// Commands as free functions, without events unless asked for (sycl_ext_oneapi_enqueue_functions). Each takes a queue or the
// handler of a command group.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/command_graph.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/event.hpp>
#include <sycl/ext/oneapi/experimental/launch_config.hpp>
#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/handler.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
class kernel;

namespace detail {

/// For a sycl::kernel. The handler's type is a parameter so that its members are looked for where this is used.
template <class Handler, class... Arguments>
void set_arguments(Handler& h, Arguments&&... arguments) {
  h.set_args(std::forward<Arguments>(arguments)...);
}

}  // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

template <class CommandGroup>
void submit(queue q, CommandGroup&& group) {
  q.submit(std::forward<CommandGroup>(group));
}
template <class... Properties, class CommandGroup>
void submit(queue q, properties<Properties...>, CommandGroup&& group) {
  q.submit(std::forward<CommandGroup>(group));
}
/// As a node of the graph.
template <class CommandGroup>
void submit(command_graph<graph_state::modifiable> graph, CommandGroup&& group) {
  graph.add(std::forward<CommandGroup>(group));
}
template <class... Properties, class CommandGroup>
void submit(command_graph<graph_state::modifiable> graph, properties<Properties...>,
            CommandGroup&& group) {
  graph.add(std::forward<CommandGroup>(group));
}
template <class CommandGroup>
event submit_with_event(queue q, CommandGroup&& group) {
  return q.submit(std::forward<CommandGroup>(group));
}
template <class... Properties, class CommandGroup>
event submit_with_event(queue q, properties<Properties...>, CommandGroup&& group) {
  return q.submit(std::forward<CommandGroup>(group));
}

/// Of a function object, or of a sycl::kernel with its arguments.
template <class KernelName = void, class Kernel, class... Arguments>
void single_task(handler& h, const Kernel& k, Arguments&&... arguments) {
  if constexpr (std::is_same<Kernel, kernel>::value) {
    sycl::detail::set_arguments(h, std::forward<Arguments>(arguments)...);
    h.single_task(k);
  } else {
    static_assert(sizeof...(Arguments) == 0, "only a sycl::kernel takes arguments");
    h.single_task<KernelName>(k);
  }
}
template <class KernelName = void, class Kernel, class... Arguments>
void single_task(queue q, const Kernel& k, Arguments&&... arguments) {
  q.submit([&](handler& h) {
    experimental::single_task<KernelName>(h, k, std::forward<Arguments>(arguments)...);
  });
}

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext

namespace detail {

/// `more`: reductions; or the arguments, if k is a sycl::kernel.
template <class KernelName, class Range, class Kernel, class... More>
void launch_over(handler& h, const Range& r, const Kernel& k, More&&... more) {
  if constexpr (std::is_same<Kernel, kernel>::value) {
    set_arguments(h, std::forward<More>(more)...);
    h.parallel_for(r, k);
  } else {
    h.template parallel_for<KernelName>(r, std::forward<More>(more)..., k);
  }
}

/// The same with the properties of a launch_config.
template <class KernelName, class Range, class Properties, class Kernel, class... More>
void launch_configured(handler& h,
                       const ext::oneapi::experimental::launch_config<Range, Properties>& c,
                       const Kernel& k, More&&... more) {
  using scratch = ext::oneapi::experimental::work_group_scratch_size;
  if constexpr (Properties::template has_property<scratch>()) {
    static_assert(!std::is_same<Kernel, kernel>::value,
                  "work_group_scratch_size is for kernels that are function objects");
    launch_over<std::conditional_t<std::is_void<KernelName>::value, Kernel, KernelName>>(
        h, c.get_range(), with_scratch(h, c.get_properties().template get_property<scratch>(), k),
        std::forward<More>(more)...);
  } else {
    launch_over<KernelName>(h, c.get_range(), k, std::forward<More>(more)...);
  }
}

}  // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

// `more`: reductions; or the arguments, if k is a sycl::kernel.
#define PIANOLA_ENQUEUE(name, heads, kind)                                            \
  template <class KernelName = void, PIANOLA_HEADS heads class Kernel, class... More> \
  void name(handler& h, kind r, const Kernel& k, More&&... more) {                    \
    sycl::detail::launch_over<KernelName>(h, r, k, std::forward<More>(more)...);      \
  }                                                                                   \
  template <class KernelName = void, PIANOLA_HEADS heads class Kernel, class... More> \
  void name(queue q, kind r, const Kernel& k, More&&... more) {                       \
    q.submit([&](handler& h) {                                                        \
      sycl::detail::launch_over<KernelName>(h, r, k, std::forward<More>(more)...);    \
    });                                                                               \
  }
#define PIANOLA_HEADS(...) __VA_ARGS__
PIANOLA_ENQUEUE(parallel_for, (), range<1>)
PIANOLA_ENQUEUE(parallel_for, (), range<2>)
PIANOLA_ENQUEUE(parallel_for, (), range<3>)
PIANOLA_ENQUEUE(nd_launch, (int Dimensions, ), nd_range<Dimensions>)
#undef PIANOLA_HEADS
#undef PIANOLA_ENQUEUE

template <class KernelName = void, int Dimensions, class Properties, class Kernel, class... More>
void parallel_for(handler& h, launch_config<range<Dimensions>, Properties> c, const Kernel& k,
                  More&&... more) {
  sycl::detail::launch_configured<KernelName>(h, c, k, std::forward<More>(more)...);
}
template <class KernelName = void, int Dimensions, class Properties, class Kernel, class... More>
void parallel_for(queue q, launch_config<range<Dimensions>, Properties> c, const Kernel& k,
                  More&&... more) {
  q.submit([&](handler& h) {
    sycl::detail::launch_configured<KernelName>(h, c, k, std::forward<More>(more)...);
  });
}
template <class KernelName = void, int Dimensions, class Properties, class Kernel, class... More>
void nd_launch(handler& h, launch_config<nd_range<Dimensions>, Properties> c, const Kernel& k,
               More&&... more) {
  sycl::detail::launch_configured<KernelName>(h, c, k, std::forward<More>(more)...);
}
template <class KernelName = void, int Dimensions, class Properties, class Kernel, class... More>
void nd_launch(queue q, launch_config<nd_range<Dimensions>, Properties> c, const Kernel& k,
               More&&... more) {
  q.submit([&](handler& h) {
    sycl::detail::launch_configured<KernelName>(h, c, k, std::forward<More>(more)...);
  });
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

/// Where prefetched memory is to be.
enum class prefetch_type { device, host };

inline void prefetch(handler& h, void* pointer, std::size_t bytes,
                     prefetch_type type = prefetch_type::device) {
  if (type == prefetch_type::host)
    h.prefetch_host(pointer, bytes);
  else
    h.prefetch(pointer, bytes);
}
inline void prefetch(queue q, void* pointer, std::size_t bytes,
                     prefetch_type type = prefetch_type::device) {
  q.submit([&](handler& h) { prefetch(h, pointer, bytes, type); });
}
inline void mem_advise(handler& h, void* pointer, std::size_t bytes, int advice) {
  h.mem_advise(pointer, bytes, advice);
}
inline void mem_advise(queue q, void* pointer, std::size_t bytes, int advice) {
  q.mem_advise(pointer, bytes, advice);
}

/// What a graph records as a host task like any other.
template <class Task>
void host_task(handler& h, Task&& task) {
  h.host_task(std::forward<Task>(task));
}
template <class Task>
void host_task(queue q, Task&& task) {
  q.submit([&](handler& h) { h.host_task(std::forward<Task>(task)); });
}

inline void barrier(handler& h) { h.ext_oneapi_barrier(); }
inline void barrier(queue q) { q.ext_oneapi_submit_barrier(); }
inline void partial_barrier(handler& h, const std::vector<event>& events) {
  h.ext_oneapi_barrier(events);
}
inline void partial_barrier(queue q, const std::vector<event>& events) {
  q.ext_oneapi_submit_barrier(events);
}

inline void execute_graph(handler& h, command_graph<graph_state::executable>& g) {
  h.ext_oneapi_graph(g);
}
inline void execute_graph(queue q, command_graph<graph_state::executable>& g) {
  q.ext_oneapi_graph(g);
}

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
