// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <type_traits>

#include <pianola/runtime/cookie.hpp>
#include <pianola/runtime/graphs.hpp>

#include <sycl/detail/graph_registry.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/shared_state.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/handler.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {
// In command_graph.hpp.
template <class Graph>
std::shared_ptr<pianola::runtime::graph> recorded_graph_of(const Graph& graph);
}  // namespace detail
namespace ext {
namespace pianola {
template <class T>
class dynamic_argument;
}

namespace oneapi::experimental {

/// A value of kernels in recorded graphs that can be changed after they were recorded (sycl_ext_oneapi_graph). Copies
/// are the same parameter.
/// Kernels that are functions get it from handler::set_arg. Those that are function objects have no numbered arguments: such
/// a kernel captures a dynamic_argument made of it.
///
///     dynamic_parameter<int*> output(graph, first);
///     graph.add([&](handler& h) {
///       ext::pianola::dynamic_argument out(output);
///       h.parallel_for(n, [=](id<1> i) { out.get()[i] = 1; });
///     });
///     output.update(second);          // for graphs that are finalized, or updated, from now on
template <class ValueT>
class dynamic_parameter {
  static_assert(std::is_trivially_copyable_v<ValueT>,
                "a dynamic_parameter is copied as bytes; to use other buffers, update the whole "
                "graph from one "
                "that was recorded with them");

 public:
  /// For any graphs.
  explicit dynamic_parameter(const ValueT& initial) : dynamic_parameter(nullptr, initial) {}
  /// For this graph: adding a command that uses it to another one throws exception (errc::invalid).
  template <graph_state State>
  dynamic_parameter(const command_graph<State>& graph, const ValueT& initial)
      : dynamic_parameter(sycl::detail::recorded_graph_of(graph), initial) {
    static_assert(State == graph_state::modifiable,
                  "a dynamic_parameter is made for the graph that commands are added to");
  }

  /// In all recorded graphs that use it, and in the command groups of a dynamic_command_group that are not active.
  /// Executable graphs keep the value that they have until they are updated.
  void update(const ValueT& value) {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->value = value;
    for (const auto& graph : sycl::detail::graph_registry::instance().living())
      sycl::detail::translate([&] {
        return ::pianola::runtime::set_parameter(
            *graph, state_->cookie, ext::pianola::dynamic_argument<ValueT>::value_offset(), &value,
            static_cast<std::uint32_t>(sizeof(ValueT)));
      });
  }

 private:
  friend class ext::pianola::dynamic_argument<ValueT>;
  template <class T>
  friend struct sycl::detail::dynamic_parameter_value;

  struct state {
    std::uint64_t cookie;
    std::mutex mutex;
    ValueT value;
  };

  dynamic_parameter(const std::shared_ptr<::pianola::runtime::graph>& graph, const ValueT& initial)
      : state_(std::shared_ptr<state>(
            new state{::pianola::runtime::create_parameter(graph), {}, initial})) {}

  std::uint64_t cookie() const noexcept { return state_->cookie; }
  ValueT value() const {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    return state_->value;
  }

  sycl::detail::shared_state<state> state_;
};

}  // namespace oneapi::experimental

namespace pianola {

/// What a kernel captures of a dynamic_parameter. It converts to the value.
template <class T>
class alignas(alignof(T) > 8 ? alignof(T) : 8) dynamic_argument {
 public:
  explicit dynamic_argument(const oneapi::experimental::dynamic_parameter<T>& parameter) noexcept
      : cookie_(parameter.cookie()), value_(parameter.value()) {}

  const T& get() const noexcept { return value_; }
  operator const T&() const noexcept { return value_; }

 private:
  template <class ValueT>
  friend class oneapi::experimental::dynamic_parameter;

  static constexpr std::uint32_t value_offset() noexcept {
    return alignof(T) > 8 ? static_cast<std::uint32_t>(alignof(T)) : 8;
  }

  // The runtime finds the value behind it in the bytes of the kernel's function object.
  std::uint64_t cookie_;
  T value_;
};
template <class T>
dynamic_argument(const oneapi::experimental::dynamic_parameter<T>&) -> dynamic_argument<T>;

}  // namespace pianola
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
