// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <pianola/runtime/events.hpp>

#include <sycl/backend.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/queue/state.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/info.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace detail {
struct event_access;
}

/// When a command has finished (SYCL 2020, 4.6.6). A default-constructed event has, and equals its copies alone. Copies are
/// equal and name the same command.
class event {
 public:
  event() noexcept;

  backend get_backend() const noexcept;

  /// Blocks; the thread helps with the work meanwhile. Throws exception (errc::invalid) for an event of a
  /// command that was recorded into a graph.
  void wait() {
    detail::translate([this] { pianola::runtime::wait(handle_); });
  }
  static void wait(const std::vector<event>& events) {
    for (event e : events) e.wait();
  }

  /// Afterwards asynchronous errors go to the handler of the event's queue.
  void wait_and_throw();
  static void wait_and_throw(const std::vector<event>& events);

  /// The events that the command was told to wait for, without those that have finished; not what accessors
  /// or the order of a queue make it wait for.
  std::vector<event> get_wait_list();

  template <class Param>
  detail::info_result<Param, event> get_info() const {
    if (pianola::runtime::is_recorded(handle_))
      detail::throw_error(errc::invalid,
                          "event::get_info: the event stands for a node of a graph, which has no "
                          "status of its own; ask the event of the graph's submission");
    switch (pianola::runtime::status(handle_)) {
      case pianola::runtime::event_status::submitted:
        return info::event_command_status::submitted;
      case pianola::runtime::event_status::running:
        return info::event_command_status::running;
      case pianola::runtime::event_status::complete:
        break;
    }
    return info::event_command_status::complete;
  }

  /// Nanoseconds. Waits for the command to get there. Throws exception (errc::invalid) if the queue has no
  /// property::queue::enable_profiling.
  template <class Param>
  std::enable_if_t<detail::is_profiling_info<Param>, std::uint64_t> get_profiling_info() const {
    using time = pianola::runtime::profiling_time;
    constexpr time which =
        std::is_same<Param, info::event_profiling::command_submit>::value
            ? time::submit
            : (std::is_same<Param, info::event_profiling::command_start>::value ? time::start
                                                                                : time::end);
    return detail::translate([this] { return pianola::runtime::profiling(handle_, which); });
  }

  friend bool operator==(const event& a, const event& b) noexcept {
    return a.handle_.lane == b.handle_.lane && a.handle_.position == b.handle_.position &&
           a.handle_.step == b.handle_.step && a.handle_.record == b.handle_.record;
  }
  friend bool operator!=(const event& a, const event& b) noexcept { return !(a == b); }

 private:
  friend struct detail::event_access;
  friend struct std::hash<event>;

  // Without what these wait for: else a chain of commands would keep all events before it.
  using waits = std::vector<pianola::runtime::event>;

  event(pianola::runtime::event handle, std::uint64_t queue,
        std::shared_ptr<const waits> after) noexcept
      : handle_(std::move(handle)), waits_(std::move(after)) {
    handle_.queue = queue;
  }

  pianola::runtime::event handle_;
  std::shared_ptr<const waits> waits_;  // null: none
};

namespace detail {

/// For the other classes of the interface.
struct event_access {
  static const pianola::runtime::event& handle(const event& e) noexcept { return e.handle_; }
  static std::uint64_t queue_id(const event& e) noexcept { return e.handle_.queue; }
  /// Of any list of handles, those that have not finished.
  template <class Events>
  static std::shared_ptr<const event::waits> waits(const Events& after) {
    if (after.empty()) return nullptr;
    return unfinished(after.data(), after.size());
  }
  static event make(pianola::runtime::event handle, std::uint64_t queue,
                    std::shared_ptr<const event::waits> after = nullptr) noexcept {
    return event(std::move(handle), queue, std::move(after));
  }

 private:
  static std::shared_ptr<const event::waits> unfinished(const pianola::runtime::event* after,
                                                        std::size_t count);
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::hash<sycl::event> {
  std::size_t operator()(const sycl::event& e) const noexcept {
    std::size_t h = std::hash<const void*>()(e.handle_.lane);
    h = h * 31 + std::hash<std::uint64_t>()(e.handle_.position);
    h = h * 31 + std::hash<pianola::model::step_id>()(e.handle_.step);
    return h * 31 + std::hash<const void*>()(e.handle_.record.get());
  }
};
