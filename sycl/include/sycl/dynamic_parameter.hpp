// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include <pianola/runtime/cookie.hpp>
#include <pianola/runtime/graphs.hpp>

#include <sycl/accessor.hpp>
#include <sycl/detail/graph_registry.hpp>
#include <sycl/detail/kernels/parameter_slot.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/shared_state.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/ext/oneapi/raw_kernel_arg.hpp>
#include <sycl/handler.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {
// In command_graph.hpp.
template <class Graph>
std::shared_ptr<pianola::runtime::graph> recorded_graph_of(const Graph& graph);

template <class T>
inline constexpr bool is_accessor = false;
template <class T, int Dimensions, access_mode Mode, target Target, accessor_variant Variant>
inline constexpr bool is_accessor<accessor<T, Dimensions, Mode, Target, Variant>> = true;

/// Whether kernels can be given it while they are recorded: it knows its buffer, and not an address.
template <class T>
inline constexpr bool is_accessor_to_require = false;
template <class T, int Dimensions, access_mode Mode, accessor_variant Variant>
inline constexpr bool
    is_accessor_to_require<accessor<T, Dimensions, Mode, target::device, Variant>> =
        names_buffer(Variant);
}  // namespace detail
namespace ext {
namespace pianola {
template <class T>
class dynamic_argument;
}

namespace oneapi::experimental {

/// A value of kernels in recorded graphs that can be changed after they were recorded (sycl_ext_oneapi_graph): a number, a
/// pointer, an accessor, or the bytes of a raw_kernel_arg. Copies are the same parameter.
/// Kernels that are functions get it from handler::set_arg. Those that are function objects have no numbered arguments: such
/// a kernel captures a dynamic_argument made of it.
///
///     dynamic_parameter<int*> output(graph, first);
///     graph.add([&](handler& h) {
///       ext::pianola::dynamic_argument out(output);
///       h.parallel_for(n, [=](id<1> i) { out.get()[i] = 1; });
///     });
///     output.update(second);          // for graphs that are finalized, or updated, from now on
///
/// Command groups call handler::require for one that is an accessor. What they need follows the accessor: edges, and the
/// transfers of graphs that are finalized or updated from now on.
template <class ValueT>
class dynamic_parameter {
  static constexpr bool is_raw = std::is_same_v<ValueT, raw_kernel_arg>;
  static constexpr bool is_accessor = sycl::detail::is_accessor<ValueT>;
  static_assert(std::is_trivially_copyable_v<ValueT>, "a dynamic_parameter is copied as bytes");
  static_assert(!is_accessor || sycl::detail::is_accessor_to_require<ValueT>,
                "a dynamic_parameter is an accessor for kernels (target::device) that knows its "
                "buffer, as one made without a handler does");

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
  /// Executable graphs keep the value that they have until they are updated. Throws exception (errc::invalid) if the
  /// buffer of an accessor has ended, or if bytes are not as many as they were.
  void update(const ValueT& value) {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    if constexpr (is_accessor) {
      const ::pianola::runtime::accessor_request required =
          sycl::detail::accessor_access::request(value);
      in_each_graph([&](::pianola::runtime::graph& graph) {
        ::pianola::runtime::set_accessor_parameter(graph, state_->cookie, &value, sizeof(ValueT),
                                                   required);
      });
      state_->value = value;
      note(&value, sizeof(ValueT));
    } else if constexpr (is_raw) {
      if (value.size() != state_->value.size())
        sycl::detail::throw_error(errc::invalid, "dynamic_parameter::update: the argument has " +
                                                     std::to_string(state_->value.size()) +
                                                     " bytes, not " + std::to_string(value.size()));
      state_->value = stored_of(value);
      set(state_->value.data(), state_->value.size());
    } else {
      state_->value = value;
      set(&value, sizeof(ValueT));
    }
  }

  friend bool operator==(const dynamic_parameter& a, const dynamic_parameter& b) noexcept {
    return a.state_ == b.state_;
  }
  friend bool operator!=(const dynamic_parameter& a, const dynamic_parameter& b) noexcept {
    return !(a == b);
  }

 private:
  friend struct std::hash<dynamic_parameter>;
  friend class ext::pianola::dynamic_argument<ValueT>;
  template <class T>
  friend struct sycl::detail::dynamic_parameter_value;

  using stored = std::conditional_t<is_raw, std::vector<unsigned char>, ValueT>;
  struct state {
    std::uint64_t cookie;
    std::mutex mutex;
    stored value;
    ~state() { ::pianola::runtime::forget_parameter(cookie); }
  };

  dynamic_parameter(const std::shared_ptr<::pianola::runtime::graph>& graph, const ValueT& initial)
      : state_(std::shared_ptr<state>(
            new state{::pianola::runtime::create_parameter(graph), {}, stored_of(initial)})) {}

  static stored stored_of(const ValueT& value) {
    if constexpr (is_raw) {
      const auto* const bytes = static_cast<const unsigned char*>(value.data());
      return stored(bytes, bytes + value.size());
    } else {
      return value;
    }
  }
  template <class Change>
  static void in_each_graph(const Change& change) {
    for (const auto& graph : sycl::detail::graph_registry::instance().living())
      sycl::detail::translate([&] { return change(*graph); });
  }
  void set(const void* value, std::size_t bytes) const {
    in_each_graph([&](::pianola::runtime::graph& graph) {
      ::pianola::runtime::set_parameter(graph, state_->cookie, value,
                                        static_cast<std::uint32_t>(bytes));
    });
    note(value, bytes);
  }
  // For what is recorded from now on, whatever it has captured.
  void note(const void* value, std::size_t bytes) const {
    sycl::detail::translate([&] {
      ::pianola::runtime::note_parameter(state_->cookie, value, static_cast<std::uint32_t>(bytes));
    });
  }

  std::uint64_t cookie() const noexcept { return state_->cookie; }
  stored value() const {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    return state_->value;
  }

  sycl::detail::shared_state<state> state_;
};

}  // namespace oneapi::experimental

namespace pianola {

/// What a kernel captures of a dynamic_parameter. It converts to the value.
template <class T>
class dynamic_argument {
  static_assert(!std::is_same_v<T, oneapi::raw_kernel_arg>,
                "bytes are an argument of kernels that are functions: give them to set_arg");

 public:
  explicit dynamic_argument(const oneapi::experimental::dynamic_parameter<T>& parameter) noexcept
      : slot_(sycl::detail::parameter_slot<T>::make(parameter.cookie(), parameter.value())) {}

  const T& get() const noexcept { return slot_.value; }
  operator const T&() const noexcept { return slot_.value; }

 private:
  sycl::detail::parameter_slot<T> slot_;
};
template <class T>
dynamic_argument(const oneapi::experimental::dynamic_parameter<T>&) -> dynamic_argument<T>;

}  // namespace pianola
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <class T>
struct std::hash<sycl::ext::oneapi::experimental::dynamic_parameter<T>> {
  std::size_t operator()(
      const sycl::ext::oneapi::experimental::dynamic_parameter<T>& p) const noexcept {
    return std::hash<const void*>()(p.state_.get());
  }
};
