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
#include <sycl/detail/queue/extras.hpp>
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
  static queue_registry& instance();

  void add(std::uint64_t id, const std::shared_ptr<queue_state>& state);
  void remove(std::uint64_t id) noexcept;
  /// Null if the queue is gone.
  std::shared_ptr<queue_state> find(std::uint64_t id);

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
                                           const property_list& properties);
  /// For a queue that places kernels itself. `ctx` need not hold all the devices: no context spans platforms.
  static std::shared_ptr<queue_state> make_several(const context& ctx,
                                                   const std::vector<device>& devices,
                                                   const async_handler& handler,
                                                   const property_list& properties);
  /// On a stream of the program's, which is in order, and of one of the context's devices.
  static std::shared_ptr<queue_state> adopt(const context& ctx, const async_handler& handler,
                                            void* stream);

  queue_state(const context& ctx, const device& dev, const async_handler& handler,
              const property_list& given, void* stream = nullptr);
  queue_state(const queue_state&) = delete;
  queue_state& operator=(const queue_state&) = delete;
  ~queue_state();

  void throw_asynchronous();

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
