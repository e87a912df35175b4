// SPDX-License-Identifier: Apache-2.0
// Native handles of SYCL objects and the way back (SYCL 2020, 4.5.1.4 and 4.5.1.5), for the backends cuda and hip.
//
// get_native throws exception (errc::backend_mismatch) for an object of another backend.
#pragma once

#include <utility>

#include <pianola/runtime/interop.hpp>

#include <sycl/backend.hpp>
#include <sycl/command_graph.hpp>
#include <sycl/context.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/queue/state.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

template <backend Backend>
backend_return_t<Backend, device> get_native(const device& d) {
  detail::check_backend(Backend, d.get_backend(), "get_native(device)");
  return detail::to_native<backend_return_t<Backend, device>>(detail::translate([&] {
    return pianola::runtime::native_handle(detail::device_access::id(d),
                                           pianola::model::native_kind::device);
  }));
}

/// Of the context's first device: each device has a context of its own in these backends.
template <backend Backend>
backend_return_t<Backend, context> get_native(const context& c) {
  detail::check_backend(Backend, c.get_backend(), "get_native(context)");
  return detail::to_native<backend_return_t<Backend, context>>(detail::translate([&] {
    return pianola::runtime::native_handle(detail::device_access::id(c.get_devices().front()),
                                           pianola::model::native_kind::context);
  }));
}

/// The stream that the queue's commands go to from this call on, in the order of submission, also if the queue is out of
/// order. What the program puts there itself runs in between. Lives as long as the process.
template <backend Backend>
backend_return_t<Backend, queue> get_native(const queue& q) {
  detail::check_backend(Backend, q.get_backend(), "get_native(queue)");
  return detail::to_native<backend_return_t<Backend, queue>>(detail::translate(
      [&] { return pianola::runtime::native_handle(*detail::queue_access::state(q).runtime); }));
}

/// Reached when the command has finished. Lives as long as the process.
template <backend Backend>
backend_return_t<Backend, event> get_native(const event& e) {
  detail::check_backend(Backend, e.get_backend(), "get_native(event)");
  return detail::to_native<backend_return_t<Backend, event>>(detail::translate(
      [&] { return pianola::runtime::native_handle(detail::event_access::handle(e)); }));
}

/// The driver's executable graph that a replay launches. Lives as long as `g`. Throws exception
/// (errc::feature_not_supported) for a graph that is more than one of the driver's: host tasks, several backends.
template <backend Backend>
detail::native_executable_t<Backend> get_native(
    const ext::oneapi::experimental::command_graph<
        ext::oneapi::experimental::graph_state::executable>& g) {
  return static_cast<detail::native_executable_t<Backend>>(detail::translate([&] {
    return pianola::runtime::native_handle(*detail::graph_access::handle(g),
                                           pianola::model::native_kind::executable);
  }));
}

/// Throws exception (errc::invalid) if the program may not use the device, see PIANOLA_DEVICES.
template <backend Backend>
device make_device(const backend_input_t<Backend, device>& native) {
  return detail::device_access::make(detail::translate([&] {
    return pianola::runtime::device_of_native(detail::backend_name(Backend),
                                              detail::from_native(native));
  }));
}

/// The context of a device of this process: these backends share the driver's primary contexts. Throws exception
/// (errc::invalid) for any other.
template <backend Backend>
context make_context(const backend_input_t<Backend, context>& native,
                     const async_handler& handler = {}) {
  for (const device& d : detail::all_devices())
    if (d.get_backend() == Backend && detail::from_native(native) == detail::translate([&] {
                                        return pianola::runtime::native_handle(
                                            detail::device_access::id(d),
                                            pianola::model::native_kind::context);
                                      }))
      return context(d, handler);
  detail::throw_error(
      errc::invalid,
      "make_context: it is not the primary context of a device that this program uses");
}

/// In order: the program's stream is. The stream outlives the queue and its commands. The queue's device is the stream's.
/// Throws exception: errc::invalid for null (the driver's default stream), and for a stream that is of none of the
/// context's devices; errc::feature_not_supported for a context of several devices where the driver does not tell which
/// one a stream is of (HIP before 5.6).
template <backend Backend>
queue make_queue(const backend_input_t<Backend, queue>& native, const context& target,
                 const async_handler& handler = {}) {
  detail::check_backend(Backend, target.get_backend(), "make_queue");
  return detail::queue_access::adopt(detail::from_native(native), target, handler);
}

/// Has finished when the program's event, which was recorded before this call, has.
template <backend Backend>
event make_event(const backend_input_t<Backend, event>& native, const context& target) {
  detail::check_backend(Backend, target.get_backend(), "make_event");
  const device d = target.get_devices().front();
  return detail::event_access::make(detail::translate([&] {
                                      return pianola::runtime::adopt_event(
                                          detail::device_access::id(d),
                                          detail::from_native(native));
                                    }),
                                    ~std::uint64_t{0});
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
