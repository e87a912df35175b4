// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/queue/state.hpp>

#include <pianola/runtime/auto_capture.hpp>

#include <sycl/ext/pianola/auto_capture.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

queue_registry& queue_registry::instance() {
  static queue_registry& registry = *new queue_registry;
  return registry;
}

void queue_registry::add(std::uint64_t id, const std::shared_ptr<queue_state>& state) {
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.push_back(entry{id, state});
}

void queue_registry::remove(std::uint64_t id) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].id == id) {
      entries_[i] = std::move(entries_.back());
      entries_.pop_back();
      return;
    }
}

std::shared_ptr<queue_state> queue_registry::find(std::uint64_t id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const entry& e : entries_)
    if (e.id == id) return e.state.lock();
  return nullptr;
}

std::shared_ptr<queue_state> queue_state::make(const context& ctx, const device& dev,
                                               const async_handler& handler,
                                               const property_list& properties) {
  if (!context_access::contains(ctx, dev))
    throw_error(errc::invalid,
                "queue: the device is not one of the context's; make the context over it");
  auto state = std::make_shared<queue_state>(ctx, dev, handler, properties);
  queue_registry::instance().add(state->id, state);
  return state;
}

std::shared_ptr<queue_state> queue_state::make_several(const context& ctx,
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

std::shared_ptr<queue_state> queue_state::adopt(const context& ctx, const async_handler& handler,
                                                void* stream) {
  if (stream == nullptr)
    throw_error(errc::invalid,
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

queue_state::queue_state(const context& ctx, const device& dev, const async_handler& handler,
                         const property_list& given, void* stream)
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
  using capture = ext::pianola::property::queue::auto_capture;
  const bool captures = given.has_property<capture>() ? given.get_property<capture>().is_on()
                                                      : pianola::runtime::is_auto_capture_default();
  if (captures && stream == nullptr)
    translate([&] { pianola::runtime::set_auto_capture(*runtime, true); });
}

queue_state::~queue_state() {
  pianola::runtime::end_auto_capture(*runtime);
  queue_registry::instance().remove(id);
}

void queue_state::throw_asynchronous() {
  translate([this] { pianola::runtime::throw_asynchronous(*runtime); });
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
