// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <pianola/runtime/queues.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/queue/last_event.hpp>
#include <sycl/detail/queue/state.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/ext/adaptivecpp/queue_properties.hpp>
#include <sycl/handler.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Member functions of the queue that extensions add.
template <class Queue>
class queue_extensions {
 public:
  /// Those that the queue may place kernels on (AdaptiveCpp's multi-device queue); get_device() is the first.
  std::vector<device> get_devices() const {
    const std::vector<device>& several = self().state().several_devices;
    return several.empty() ? std::vector<device>{self().get_device()} : several;
  }

  /// When these have finished, everything submitted has. Of an in-order queue at most one event. Throws exception
  /// (errc::invalid) while the queue records into a graph.
  std::vector<event> get_wait_list() const {
    std::vector<event> list;
    for (pianola::runtime::event& e :
         translate([this] { return pianola::runtime::unfinished(*self().state().runtime); }))
      list.push_back(event_access::make(std::move(e), self().state().id));
    return list;
  }

  /// sycl_ext_oneapi_in_order_queue_events: the event of the last command, or the external event if that came after it;
  /// without a value if there was neither. Throws exception (errc::invalid) for a queue that is out of order.
  last_event ext_oneapi_get_last_event() const {
    check_in_order("ext_oneapi_get_last_event");
    pianola::runtime::event external;
    std::uint64_t its_queue = 0;
    if (self().state().extras.external(external, its_queue))
      return last_event(event_access::make(std::move(external), its_queue), true);
    pianola::runtime::event last =
        translate([this] { return pianola::runtime::last_event(*self().state().runtime); });
    const bool known = last.lane != nullptr || last.record != nullptr;
    return last_event(event_access::make(std::move(last), self().state().id), known);
  }
  /// The next command comes after this event too; a later call replaces it. Throws exception (errc::invalid) for a queue
  /// that is out of order.
  void ext_oneapi_set_external_event(const event& external) {
    check_in_order("ext_oneapi_set_external_event");
    self().state().extras.set_external(event_access::handle(external),
                                       event_access::queue_id(external));
  }

  /// Whether everything submitted has finished.
  bool ext_oneapi_empty() const { return pianola::runtime::is_idle(*self().state().runtime); }
  bool khr_empty() const { return ext_oneapi_empty(); }

  /// Commands are on their way when submit returns: there is nothing to push.
  void khr_flush() const {}
  void ext_oneapi_prod() {}

// A command group of one command: alone, after an event, after several.
#define PIANOLA_QUEUE_FORMS(name, parameters, ...)                         \
  event name(PIANOLA_UNPACK parameters) {                                  \
    return self().submit([&](auto& h) { h.name(__VA_ARGS__); });           \
  }                                                                        \
  event name(PIANOLA_UNPACK parameters, const event& after) {              \
    return self().submit([&](auto& h) {                                    \
      h.depends_on(after);                                                 \
      h.name(__VA_ARGS__);                                                 \
    });                                                                    \
  }                                                                        \
  event name(PIANOLA_UNPACK parameters, const std::vector<event>& after) { \
    return self().submit([&](auto& h) {                                    \
      h.depends_on(after);                                                 \
      h.name(__VA_ARGS__);                                                 \
    });                                                                    \
  }
#define PIANOLA_QUEUE_FORMS_OF_ANY(name, parameters, ...)                  \
  template <class T>                                                       \
  event name(PIANOLA_UNPACK parameters) {                                  \
    return self().submit([&](auto& h) { h.name(__VA_ARGS__); });           \
  }                                                                        \
  template <class T>                                                       \
  event name(PIANOLA_UNPACK parameters, const event& after) {              \
    return self().submit([&](auto& h) {                                    \
      h.depends_on(after);                                                 \
      h.name(__VA_ARGS__);                                                 \
    });                                                                    \
  }                                                                        \
  template <class T>                                                       \
  event name(PIANOLA_UNPACK parameters, const std::vector<event>& after) { \
    return self().submit([&](auto& h) {                                    \
      h.depends_on(after);                                                 \
      h.name(__VA_ARGS__);                                                 \
    });                                                                    \
  }
#define PIANOLA_UNPACK(...) __VA_ARGS__

  PIANOLA_QUEUE_FORMS(prefetch_host, (const void* pointer, std::size_t bytes), pointer, bytes)
  PIANOLA_QUEUE_FORMS(ext_oneapi_memcpy2d,
                      (void* destination, std::size_t destination_pitch, const void* source,
                       std::size_t source_pitch, std::size_t width, std::size_t height),
                      destination, destination_pitch, source, source_pitch, width, height)
  PIANOLA_QUEUE_FORMS(ext_oneapi_memset2d,
                      (void* destination, std::size_t pitch, int value, std::size_t width,
                       std::size_t height),
                      destination, pitch, value, width, height)
  PIANOLA_QUEUE_FORMS_OF_ANY(ext_oneapi_copy2d,
                             (const T* source, std::size_t source_pitch, T* destination,
                              std::size_t destination_pitch, std::size_t width, std::size_t height),
                             source, source_pitch, destination, destination_pitch, width, height)
  PIANOLA_QUEUE_FORMS_OF_ANY(ext_oneapi_fill2d,
                             (void* destination, std::size_t pitch, const T& pattern,
                              std::size_t width, std::size_t height),
                             destination, pitch, pattern, width, height)
  PIANOLA_QUEUE_FORMS_OF_ANY(AdaptiveCpp_enqueue_custom_operation, (T function), function)
  PIANOLA_QUEUE_FORMS_OF_ANY(hipSYCL_enqueue_custom_operation, (T function), function)

#undef PIANOLA_UNPACK
#undef PIANOLA_QUEUE_FORMS_OF_ANY
#undef PIANOLA_QUEUE_FORMS

 private:
  friend Queue;
  queue_extensions() = default;
  Queue& self() noexcept { return static_cast<Queue&>(*this); }
  const Queue& self() const noexcept { return static_cast<const Queue&>(*this); }

  void check_in_order(const char* who) const {
    if (!self().is_in_order())
      throw_error(errc::invalid, std::string("queue::") + who +
                                     ": the queue is out of order; construct it with "
                                     "property::queue::in_order");
    if (self().template has_property<ext::oneapi::property::queue::discard_events>())
      throw_error(errc::invalid,
                  std::string("queue::") + who + ": the queue was made to discard its events");
  }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
