// SPDX-License-Identifier: Apache-2.0
#include <sycl/event.hpp>

#include <atomic>
#include <cstdint>

#include <pianola/runtime/auto_capture.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

event::event() noexcept {
  static std::atomic<std::uint64_t> made{0};
  handle_.position = made.fetch_add(1, std::memory_order_relaxed) + 1;
}

backend event::get_backend() const noexcept {
  const auto queue = detail::queue_registry::instance().find(handle_.queue);
  return queue != nullptr ? queue->the_device.get_backend() : device().get_backend();
}

void event::wait_and_throw() {
  wait();
  const auto queue = detail::queue_registry::instance().find(handle_.queue);
  if (queue != nullptr) queue->throw_asynchronous();
}

void event::wait_and_throw(const std::vector<event>& events) {
  for (event e : events) e.wait();
  for (event e : events) e.wait_and_throw();
}

std::vector<event> event::get_wait_list() {
  std::vector<event> unfinished;
  if (waits_ == nullptr) return unfinished;
  for (const pianola::runtime::event& e : *waits_)
    if (pianola::runtime::is_held_back(e) ||
        pianola::runtime::status(e) != pianola::runtime::event_status::complete)
      unfinished.push_back(event(e, e.queue, nullptr));
  return unfinished;
}

namespace detail {

std::shared_ptr<const event::waits> event_access::unfinished(const pianola::runtime::event* after,
                                                             std::size_t count) {
  std::shared_ptr<event::waits> all;
  for (std::size_t i = 0; i < count; ++i) {
    const pianola::runtime::event& e = after[i];
    if (pianola::runtime::is_recorded(e) ||
        (!pianola::runtime::is_held_back(e) &&
         pianola::runtime::status(e) == pianola::runtime::event_status::complete))
      continue;
    if (all == nullptr) all = std::make_shared<event::waits>();
    all->push_back(e);
  }
  return all;
}

}  // namespace detail

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
