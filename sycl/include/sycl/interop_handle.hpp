// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <pianola/model/native_access.hpp>
#include <pianola/runtime/interop.hpp>

#include <sycl/accessor.hpp>
#include <sycl/backend.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/device.hpp>
#include <sycl/exception.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// A handle as the vendor's header types it.
template <class Native>
Native to_native(void* handle) noexcept {
  if constexpr (std::is_pointer_v<Native>)
    return static_cast<Native>(handle);
  else
    return static_cast<Native>(reinterpret_cast<std::intptr_t>(handle));
}
template <class Native>
void* from_native(Native handle) noexcept {
  if constexpr (std::is_pointer_v<Native>)
    return static_cast<void*>(handle);
  else
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(handle));
}

/// Throws exception (errc::backend_mismatch) unless they are the same.
inline void check_backend(backend asked, backend is, const char* who) {
  if (asked != is)
    throw_error(errc::backend_mismatch,
                std::string(who) +
                    ": the object is of another backend than the one asked for; compare "
                    "get_backend() first");
}

}  // namespace detail

/// What a host task may take as its parameter (SYCL 2020, 4.10.2), and a native command must. Its member functions throw
/// exception: errc::backend_mismatch for another backend than get_backend() says, errc::feature_not_supported where
/// the backend has no such handle.
class interop_handle {
 public:
  interop_handle() = delete;

  backend get_backend() const noexcept { return the_device().get_backend(); }

  /// Where the accessor's data is on the device: the pointer that a kernel sees. The accessor must be one of the command
  /// group's with target::device.
  template <backend Backend, class T, int Dimensions, access_mode Mode, target Target,
            accessor_variant Variant>
  void* get_native_mem(const accessor<T, Dimensions, Mode, Target, Variant>& a) const {
    static_assert(Target == target::device,
                  "get_native_mem: an accessor with target::host_task has its data on the host; "
                  "use it directly");
    refuse_others<Backend>("interop_handle::get_native_mem");
    return const_cast<void*>(static_cast<const void*>(detail::accessor_access::bound_address(a)));
  }

  /// A stream. In a host task nothing else is on it; wait for what you put there before the task ends. In a native command
  /// what you put there runs in its order among the queue's commands; while a graph is built, it does not run but is captured
  /// into the graph, unless you ask for that (ext_codeplay_get_native_graph): then you may capture with the stream yourself,
  /// and do nothing else with it. During a native command the device's context (CUDA) or the device (HIP) is the
  /// thread's current one.
  template <backend Backend>
  backend_return_t<Backend, queue> get_native_queue() const {
    refuse_others<Backend>("interop_handle::get_native_queue");
    if (access_.stream == nullptr)
      detail::throw_error(errc::feature_not_supported,
                          "interop_handle::get_native_queue: there is no stream here");
    return detail::to_native<backend_return_t<Backend, queue>>(access_.stream);
  }
  template <backend Backend>
  backend_return_t<Backend, device> get_native_device() const {
    refuse_others<Backend>("interop_handle::get_native_device");
    return native<backend_return_t<Backend, device>>(pianola::model::native_kind::device);
  }
  template <backend Backend>
  backend_return_t<Backend, context> get_native_context() const {
    refuse_others<Backend>("interop_handle::get_native_context");
    return native<backend_return_t<Backend, context>>(pianola::model::native_kind::context);
  }

  /// Whether a graph is being built (sycl_ext_codeplay_enqueue_native_command).
  bool ext_codeplay_has_graph() const noexcept { return access_.graph != nullptr; }
  /// A graph of the driver: nodes added to it become part of the recorded graph, in this command's place. It holds what was
  /// put into the stream before the first call, from which on nothing is captured any more. Throws exception (errc::invalid)
  /// if no graph is being built, (errc::runtime) if the driver refuses what was captured.
  template <backend Backend>
  detail::native_graph_t<Backend> ext_codeplay_get_native_graph() const {
    refuse_others<Backend>("interop_handle::ext_codeplay_get_native_graph");
    return static_cast<detail::native_graph_t<Backend>>(take_graph());
  }

 private:
  friend class handler;
  explicit interop_handle(const pianola::model::native_access& access) noexcept : access_(access) {}

  // Throws as ext_codeplay_get_native_graph.
  void* take_graph() const;
  device the_device() const { return detail::device_access::make(access_.device); }
  template <backend Backend>
  void refuse_others(const char* who) const {
    detail::check_backend(Backend, get_backend(), who);
  }
  template <class Native>
  Native native(pianola::model::native_kind what) const {
    return detail::to_native<Native>(
        detail::translate([&] { return pianola::runtime::native_handle(access_.device, what); }));
  }

  pianola::model::native_access access_;
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
