// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <pianola/runtime/graphs.hpp>
#include <pianola/runtime/queues.hpp>
#include <pianola/runtime/submission.hpp>

#include <sycl/context.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/queue/copies.hpp>
#include <sycl/detail/queue/extensions.hpp>
#include <sycl/detail/queue/state.hpp>
#include <sycl/detail/shared_state.hpp>
#include <sycl/device.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/event.hpp>
#include <sycl/ext/adaptivecpp/command_group_properties.hpp>
#include <sycl/ext/adaptivecpp/multi_device_selector.hpp>
#include <sycl/handler.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace ext::oneapi::experimental {
enum class queue_state { executing, recording };
}  // namespace ext::oneapi::experimental

namespace detail {
struct queue_access;
template <class Descriptor>
struct queue_info;
}  // namespace detail

/// Where command groups are submitted to (SYCL 2020, 4.6.5). Out of order unless constructed with
/// property::queue::in_order. Copies share state and compare equal. Every member function may be called
/// from several threads.
class queue : public detail::queue_copies<queue>, public detail::queue_extensions<queue> {
  template <class S>
  using if_selector = std::enable_if_t<detail::is_device_selector<S>>;

 public:
  /// Constructors without a context use one that all queues of the platform made so share. Those with a
  /// selector throw exception (errc::runtime) if it rejects every device, those with a context throw
  /// exception (errc::invalid) if the device is not one of it.
  explicit queue(const property_list& properties = {}) : queue(device(), properties) {}
  explicit queue(const async_handler& handler, const property_list& properties = {})
      : queue(device(), handler, properties) {}

  template <class DeviceSelector, class = if_selector<DeviceSelector>>
  explicit queue(const DeviceSelector& selector, const property_list& properties = {})
      : queue(device(selector), properties) {}
  template <class DeviceSelector, class = if_selector<DeviceSelector>>
  explicit queue(const DeviceSelector& selector, const async_handler& handler,
                 const property_list& properties = {})
      : queue(device(selector), handler, properties) {}

  /// Of the classes of SYCL 1.2.1: programs assign them to queues.
  queue(const device_selector& selector, const property_list& properties = {})
      : queue(device(selector), properties) {}

  explicit queue(const device& d, const property_list& properties = {})
      : queue(d, async_handler(), properties) {}
  explicit queue(const device& d, const async_handler& handler,
                 const property_list& properties = {})
      : queue(detail::default_context(d), d, handler, properties) {}

  template <class DeviceSelector, class = if_selector<DeviceSelector>>
  explicit queue(const context& c, const DeviceSelector& selector,
                 const property_list& properties = {})
      : queue(c, selector, async_handler(), properties) {}
  template <class DeviceSelector, class = if_selector<DeviceSelector>>
  explicit queue(const context& c, const DeviceSelector& selector, const async_handler& handler,
                 const property_list& properties = {})
      : queue(c, device(selector), handler, properties) {}

  explicit queue(const context& c, const device& d, const property_list& properties = {})
      : queue(c, d, async_handler(), properties) {}
  explicit queue(const context& c, const device& d, const async_handler& handler,
                 const property_list& properties = {})
      : state_(detail::queue_state::make(c, d, handler, properties)) {}

  /// AdaptiveCpp's multi-device queue: kernels go where they are expected to end first, with what has to be moved for them
  /// and with what was submitted before; everything else goes to the first device. The devices may be of several platforms: the context is then the first
  /// one's. Throws exception (errc::invalid) if there is none.
  explicit queue(const std::vector<device>& devices, const property_list& properties = {})
      : queue(devices, async_handler(), properties) {}
  explicit queue(const std::vector<device>& devices, const async_handler& handler,
                 const property_list& properties = {})
      : queue(detail::default_context(front_of(devices)), devices, handler, properties) {}
  explicit queue(const context& c, const std::vector<device>& devices,
                 const property_list& properties = {})
      : queue(c, devices, async_handler(), properties) {}
  explicit queue(const context& c, const std::vector<device>& devices, const async_handler& handler,
                 const property_list& properties = {}) {
    if (!detail::context_access::contains(c, front_of(devices)))
      detail::throw_error(
          errc::invalid,
          "queue: the first device is not one of the context's; make the context over it");
    state_ = detail::queue_state::make_several(c, devices, handler, properties);
  }
  template <class Selector, selection_policy Policy>
  explicit queue(const multi_device_selector<Selector, Policy>& selector,
                 const property_list& properties = {})
      : queue(selector.select_devices(), properties) {}
  template <class Selector, selection_policy Policy>
  explicit queue(const multi_device_selector<Selector, Policy>& selector,
                 const async_handler& handler, const property_list& properties = {})
      : queue(selector.select_devices(), handler, properties) {}

  backend get_backend() const noexcept { return state().the_device.get_backend(); }
  context get_context() const { return state().the_context; }
  device get_device() const { return state().the_device; }
  bool is_in_order() const { return pianola::runtime::is_in_order(*state().runtime); }

  template <class Param>
  detail::info_result<Param, queue> get_info() const {
    return detail::queue_info<Param>::get(*this);
  }
  template <class Property>
  bool has_property() const noexcept {
    return state().properties.has_property<Property>();
  }
  template <class Property>
  Property get_property() const {
    return state().properties.get_property<Property>();
  }

  /// Calls group(handler&) at once and hands what it collected to the runtime; returns without waiting
  /// for it. Throws what the function throws, and exception if the command group is not valid: then
  /// nothing was submitted. Of a command group that is several commands inside (a reduction, a stream) those before one
  /// that an executor refuses were, as where a device is lost in between.
  template <class CommandGroup>
  event submit(CommandGroup&& group) {
    pianola::runtime::submission submission;
    handler h(submission, state_.get());
    std::forward<CommandGroup>(group)(h);
    return finish(submission);
  }
  /// If submitting fails, the group goes to the second queue.
  template <class CommandGroup>
  event submit(CommandGroup&& group, const queue& secondary) {
    try {
      return submit(group);
    } catch (const exception&) {
      queue second = secondary;
      return second.submit(std::forward<CommandGroup>(group));
    }
  }

  /// With properties of this command group: AdaptiveCpp's in namespace property::command_group.
  template <class CommandGroup>
  event submit(const property_list& properties, CommandGroup&& group) {
    pianola::runtime::submission submission;
    detail::apply_before(submission, properties);
    handler h(submission, state_.get());
    std::forward<CommandGroup>(group)(h);
    detail::apply_after(submission, properties);
    return finish(submission);
  }

  /// Blocks until everything submitted has finished; the thread helps with the work meanwhile.
  void wait() {
    detail::translate([this] {
      pianola::runtime::wait(*state().runtime);
      state().extras.wait_for_external();
    });
  }
  void wait_and_throw() {
    wait();
    throw_asynchronous();
  }
  /// Hands errors of the queue's commands, if there are any, to the asynchronous handler.
  void throw_asynchronous() { state().throw_asynchronous(); }

  // Shortcuts (SYCL 2020, 4.6.5): a command group of one command, after the given events if any. Those that copy and fill
  // memory are in queue_copies.

  template <class KernelName = void, class Kernel>
  event single_task(const Kernel& kernel) {
    return shortcut(nothing{}, [&](handler& h) { h.single_task<KernelName>(kernel); });
  }
  template <class KernelName = void, class Kernel>
  event single_task(const event& after, const Kernel& kernel) {
    return shortcut(after, [&](handler& h) { h.single_task<KernelName>(kernel); });
  }
  template <class KernelName = void, class Kernel>
  event single_task(const std::vector<event>& after, const Kernel& kernel) {
    return shortcut(after, [&](handler& h) { h.single_task<KernelName>(kernel); });
  }

// One overload per number of dimensions, so that {n, m} is taken for a range.
#define PIANOLA_PARALLEL_FOR(dimensions)                                                         \
  template <class KernelName = void, class Kernel>                                               \
  event parallel_for(range<dimensions> extent, const Kernel& kernel) {                           \
    return shortcut(nothing{}, [&](handler& h) { h.parallel_for<KernelName>(extent, kernel); }); \
  }                                                                                              \
  template <class KernelName = void, class Kernel>                                               \
  event parallel_for(range<dimensions> extent, const event& after, const Kernel& kernel) {       \
    return shortcut(after, [&](handler& h) { h.parallel_for<KernelName>(extent, kernel); });     \
  }                                                                                              \
  template <class KernelName = void, class Kernel>                                               \
  event parallel_for(range<dimensions> extent, const std::vector<event>& after,                  \
                     const Kernel& kernel) {                                                     \
    return shortcut(after, [&](handler& h) { h.parallel_for<KernelName>(extent, kernel); });     \
  }                                                                                              \
  /* Deprecated by SYCL 2020, as handler's forms with an offset. */                              \
  template <class KernelName = void, class Kernel>                                               \
  event parallel_for(range<dimensions> extent, id<dimensions> offset, const Kernel& kernel) {    \
    return shortcut(nothing{},                                                                   \
                    [&](handler& h) { h.parallel_for<KernelName>(extent, offset, kernel); });    \
  }
  PIANOLA_PARALLEL_FOR(1)
  PIANOLA_PARALLEL_FOR(2)
  PIANOLA_PARALLEL_FOR(3)
#undef PIANOLA_PARALLEL_FOR

  template <class KernelName = void, int Dimensions, class Kernel>
  event parallel_for(const nd_range<Dimensions>& extent, const Kernel& kernel) {
    return shortcut(nothing{}, [&](handler& h) { h.parallel_for<KernelName>(extent, kernel); });
  }
  // With properties of the kernel (sycl_ext_oneapi_kernel_properties); `after`: an event, or a vector of events.
  template <class KernelName = void, class... P, class Kernel>
  event single_task(ext::oneapi::experimental::properties<P...> properties, const Kernel& kernel) {
    return shortcut(nothing{}, [&](handler& h) { h.single_task<KernelName>(properties, kernel); });
  }
  template <class KernelName = void, class After, class... P, class Kernel>
  event single_task(const After& after, ext::oneapi::experimental::properties<P...> properties,
                    const Kernel& kernel) {
    return shortcut(after, [&](handler& h) { h.single_task<KernelName>(properties, kernel); });
  }
  template <class KernelName = void, template <int> class Extent, int Dimensions, class... P,
            class Kernel>
  event parallel_for(const Extent<Dimensions>& extent,
                     ext::oneapi::experimental::properties<P...> properties, const Kernel& kernel) {
    return shortcut(nothing{},
                    [&](handler& h) { h.parallel_for<KernelName>(extent, properties, kernel); });
  }
  template <class KernelName = void, template <int> class Extent, int Dimensions, class After,
            class... P, class Kernel>
  event parallel_for(const Extent<Dimensions>& extent, const After& after,
                     ext::oneapi::experimental::properties<P...> properties, const Kernel& kernel) {
    return shortcut(after,
                    [&](handler& h) { h.parallel_for<KernelName>(extent, properties, kernel); });
  }
  template <class KernelName = void, int Dimensions, class Kernel>
  event parallel_for(const nd_range<Dimensions>& extent, const event& after, const Kernel& kernel) {
    return shortcut(after, [&](handler& h) { h.parallel_for<KernelName>(extent, kernel); });
  }
  template <class KernelName = void, int Dimensions, class Kernel>
  event parallel_for(const nd_range<Dimensions>& extent, const std::vector<event>& after,
                     const Kernel& kernel) {
    return shortcut(after, [&](handler& h) { h.parallel_for<KernelName>(extent, kernel); });
  }

// Scoped kernels (ext/adaptivecpp/scoped_parallelism.hpp).
#define PIANOLA_PARALLEL(dimensions)                                                             \
  template <class KernelName = void, class Kernel>                                               \
  event parallel(range<dimensions> groups, range<dimensions> group_size, const Kernel& kernel) { \
    return shortcut(nothing{},                                                                   \
                    [&](handler& h) { h.parallel<KernelName>(groups, group_size, kernel); });    \
  }                                                                                              \
  template <class KernelName = void, class Kernel>                                               \
  event parallel(range<dimensions> groups, range<dimensions> group_size, const event& after,     \
                 const Kernel& kernel) {                                                         \
    return shortcut(after,                                                                       \
                    [&](handler& h) { h.parallel<KernelName>(groups, group_size, kernel); });    \
  }                                                                                              \
  template <class KernelName = void, class Kernel>                                               \
  event parallel(range<dimensions> groups, range<dimensions> group_size,                         \
                 const std::vector<event>& after, const Kernel& kernel) {                        \
    return shortcut(after,                                                                       \
                    [&](handler& h) { h.parallel<KernelName>(groups, group_size, kernel); });    \
  }
  PIANOLA_PARALLEL(1)
  PIANOLA_PARALLEL(2)
  PIANOLA_PARALLEL(3)
#undef PIANOLA_PARALLEL

// With reductions, which come before the kernel.
#define PIANOLA_REDUCING_PARALLEL_FOR(parameters, ...)                                            \
  template <class KernelName = void, PIANOLA_PARENTHESISED parameters class Reduction,            \
            class... Rest, detail::if_reduction<Reduction> = 0>                                   \
  event parallel_for(__VA_ARGS__ extent, const Reduction& reduction, const Rest&... rest) {       \
    return shortcut(nothing{},                                                                    \
                    [&](handler& h) { h.parallel_for<KernelName>(extent, reduction, rest...); }); \
  }                                                                                               \
  template <class KernelName = void, PIANOLA_PARENTHESISED parameters class Reduction,            \
            class... Rest, detail::if_reduction<Reduction> = 0>                                   \
  event parallel_for(__VA_ARGS__ extent, const event& after, const Reduction& reduction,          \
                     const Rest&... rest) {                                                       \
    return shortcut(after,                                                                        \
                    [&](handler& h) { h.parallel_for<KernelName>(extent, reduction, rest...); }); \
  }                                                                                               \
  template <class KernelName = void, PIANOLA_PARENTHESISED parameters class Reduction,            \
            class... Rest, detail::if_reduction<Reduction> = 0>                                   \
  event parallel_for(__VA_ARGS__ extent, const std::vector<event>& after,                         \
                     const Reduction& reduction, const Rest&... rest) {                           \
    return shortcut(after,                                                                        \
                    [&](handler& h) { h.parallel_for<KernelName>(extent, reduction, rest...); }); \
  }
#define PIANOLA_PARENTHESISED(...) __VA_ARGS__
  PIANOLA_REDUCING_PARALLEL_FOR((), range<1>)
  PIANOLA_REDUCING_PARALLEL_FOR((), range<2>)
  PIANOLA_REDUCING_PARALLEL_FOR((), range<3>)
  PIANOLA_REDUCING_PARALLEL_FOR((int Dimensions, ), const nd_range<Dimensions>&)
#undef PIANOLA_PARENTHESISED
#undef PIANOLA_REDUCING_PARALLEL_FOR

  /// sycl_ext_oneapi_enqueue_barrier.
  event ext_oneapi_submit_barrier() {
    return shortcut(nothing{}, [](handler& h) { h.ext_oneapi_barrier(); });
  }
  event ext_oneapi_submit_barrier(const std::vector<event>& events) {
    return shortcut(nothing{}, [&](handler& h) { h.ext_oneapi_barrier(events); });
  }

  /// sycl_ext_oneapi_graph.
  ext::oneapi::experimental::queue_state ext_oneapi_get_state() const {
    return pianola::runtime::is_recording(*state().runtime)
               ? ext::oneapi::experimental::queue_state::recording
               : ext::oneapi::experimental::queue_state::executing;
  }
  using modifiable_graph =
      ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::modifiable>;
  /// The graph that the queue records into. Throws exception (errc::invalid) if it does not record.
  modifiable_graph ext_oneapi_get_graph() const;
  using executable_graph =
      ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>;
  event ext_oneapi_graph(const executable_graph& graph) {
    return shortcut(nothing{}, [&](handler& h) { h.ext_oneapi_graph(graph); });
  }
  event ext_oneapi_graph(const executable_graph& graph, const event& after) {
    return shortcut(after, [&](handler& h) { h.ext_oneapi_graph(graph); });
  }
  event ext_oneapi_graph(const executable_graph& graph, const std::vector<event>& after) {
    return shortcut(after, [&](handler& h) { h.ext_oneapi_graph(graph); });
  }
  /// Replays the graph on what the arguments put in the places of its parameters (sycl/ext/pianola/graph_parameter.hpp).
  event ext_oneapi_graph(const executable_graph& graph,
                         const std::vector<ext::pianola::graph_argument>& arguments,
                         const std::vector<event>& after = {}) {
    return shortcut(after, [&](handler& h) { h.ext_oneapi_graph(graph, arguments); });
  }

  friend bool operator==(const queue& a, const queue& b) noexcept { return a.state_ == b.state_; }
  friend bool operator!=(const queue& a, const queue& b) noexcept { return !(a == b); }

 private:
  friend struct detail::queue_access;
  friend class detail::queue_copies<queue>;
  friend class detail::queue_extensions<queue>;
  struct nothing {};

  static const device& front_of(const std::vector<device>& devices) {
    if (devices.empty()) detail::throw_error(errc::invalid, "queue: the list of devices is empty");
    return devices.front();
  }

  explicit queue(std::shared_ptr<detail::queue_state> state) noexcept : state_(std::move(state)) {}

  static void depend(handler&, nothing) {}
  template <class Events>
  static void depend(handler& h, const Events& after) {
    h.depends_on(after);
  }

  template <class Events, class CommandGroup>
  event shortcut(const Events& after, CommandGroup&& group) {
    pianola::runtime::submission submission;
    handler h(submission, state_.get());
    depend(h, after);
    group(h);
    return finish(submission);
  }

  event finish(pianola::runtime::submission& submission) {
    return detail::translate([&] {
      detail::queue_state& s = state();
      if (!s.extras.empty()) s.extras.apply(submission, *s.runtime);
      auto waits = detail::event_access::waits(submission.after);
      return detail::event_access::make(pianola::runtime::submit(*s.runtime, submission), s.id,
                                        std::move(waits));
    });
  }

  detail::queue_state& state() const {
    if (state_ == nullptr)
      detail::throw_error(errc::invalid,
                          "queue: this object was moved from; use the one it was moved to");
    return *state_;
  }

  detail::shared_state<detail::queue_state> state_;
};

namespace detail {

/// For the other classes of the interface.
struct queue_access {
  static queue_state& state(const queue& q) { return q.state(); }
  static queue adopt(void* stream, const context& c, const async_handler& handler) {
    return queue(queue_state::adopt(c, handler, stream));
  }
  static std::size_t hash(const queue& q) noexcept {
    return std::hash<const void*>()(q.state_.get());
  }
};

template <>
struct queue_info<info::queue::context> {
  static context get(const queue& q) { return q.get_context(); }
};
template <>
struct queue_info<info::queue::AdaptiveCpp_node_group> {
  static std::size_t get(const queue& q) {
    return pianola::runtime::id_of(*queue_access::state(q).runtime);
  }
};
template <>
struct queue_info<info::queue::device> {
  static device get(const queue& q) { return q.get_device(); }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::hash<sycl::queue> {
  std::size_t operator()(const sycl::queue& q) const noexcept {
    return sycl::detail::queue_access::hash(q);
  }
};
