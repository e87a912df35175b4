// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <pianola/runtime/interop.hpp>
#include <pianola/runtime/queues.hpp>

#include <sycl/context.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/queue_extras.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/device.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/adaptivecpp/queue_properties.hpp>
#include <sycl/properties.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

class queue_state;

/// Living queues by id. An event names its queue by number, so that submitting a command does not touch
/// a reference count.
class queue_registry {
 public:
  /// Never destroyed: queues may be static objects.
  static queue_registry& instance() {
    static queue_registry& registry = *new queue_registry;
    return registry;
  }

  void add(std::uint64_t id, const std::shared_ptr<queue_state>& state) {
    const std::lock_guard<std::mutex> lock(mutex_);
    entries_.push_back(entry{id, state});
  }
  void remove(std::uint64_t id) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].id == id) {
        entries_[i] = std::move(entries_.back());
        entries_.pop_back();
        return;
      }
  }
  /// Null if the queue is gone.
  std::shared_ptr<queue_state> find(std::uint64_t id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const entry& e : entries_)
      if (e.id == id) return e.state.lock();
    return nullptr;
  }

 private:
  struct entry {
    std::uint64_t id;
    std::weak_ptr<queue_state> state;
  };
  std::mutex mutex_;
  std::vector<entry> entries_;
};

/// What the copies of a queue share.
class queue_state {
 public:
  static std::shared_ptr<queue_state> make(const context& ctx, const device& dev,
                                           const async_handler& handler,
                                           const property_list& properties) {
    if (!context_access::contains(ctx, dev))
      throw_error(errc::invalid,
                  "queue: the device is not one of the context's; make the context over it");
    auto state = std::make_shared<queue_state>(ctx, dev, handler, properties);
    queue_registry::instance().add(state->id, state);
    return state;
  }
  /// For a queue that places kernels itself. `ctx` need not hold all the devices: no context spans platforms.
  static std::shared_ptr<queue_state> make_several(const context& ctx,
                                                   const std::vector<device>& devices,
                                                   const async_handler& handler,
                                                   const property_list& properties) {
    auto state = std::make_shared<queue_state>(ctx, devices.front(), handler, properties);
    std::vector<pianola::model::device_id> ids;
    for (const device& d : devices) ids.push_back(device_access::id(d));
    state->several_devices = devices;
    state->extras.place_on(std::move(ids));
    queue_registry::instance().add(state->id, state);
    return state;
  }
  /// On a stream of the program's, which is in order, and of one of the context's devices.
  static std::shared_ptr<queue_state> adopt(const context& ctx, const async_handler& handler,
                                            void* stream) {
    if (stream == nullptr)
      throw_error(
          errc::invalid,
          "make_queue: null is the driver's default stream, which belongs to nobody; make a "
          "stream");
    const std::vector<device> devices = ctx.get_devices();
    std::vector<pianola::model::device_id> ids;
    for (const device& d : devices) ids.push_back(device_access::id(d));
    const device of_stream = device_access::make(
        translate([&] { return pianola::runtime::device_of_stream(ids, stream); }));
    auto state = std::make_shared<queue_state>(ctx, of_stream, handler,
                                               property_list{property::queue::in_order()}, stream);
    queue_registry::instance().add(state->id, state);
    return state;
  }

  queue_state(const context& ctx, const device& dev, const async_handler& handler,
              const property_list& given, void* stream = nullptr)
      : the_context(ctx), the_device(dev), properties(given) {
    check_queue_properties(given);
    pianola::runtime::queue_description d;
    d.device = device_access::id(dev);
    d.in_order = given.has_property<property::queue::in_order>();
    d.profiling = given.has_property<property::queue::enable_profiling>();
    const async_handler& chosen = handler ? handler : context_access::handler(ctx);
    if (chosen)
      d.on_errors = [chosen](std::vector<std::exception_ptr> errors) {
        for (std::exception_ptr& error : errors) error = translate(std::as_const(error));
        chosen(exception_list(std::move(errors)));
      };
    runtime = translate([&] {
      return stream == nullptr ? pianola::runtime::create_queue(std::move(d))
                               : pianola::runtime::adopt_queue(std::move(d), stream);
    });
    id = pianola::runtime::id_of(*runtime);
  }
  queue_state(const queue_state&) = delete;
  queue_state& operator=(const queue_state&) = delete;
  ~queue_state() { queue_registry::instance().remove(id); }

  void throw_asynchronous() {
    translate([this] { pianola::runtime::throw_asynchronous(*runtime); });
  }

  context the_context;
  device the_device;
  property_list properties;
  std::shared_ptr<pianola::runtime::queue> runtime;
  std::uint64_t id = 0;
  queue_extras extras;
  std::vector<device> several_devices;  // empty: the_device alone
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
