// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/event.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// What queue::ext_oneapi_get_last_event returns. It was an event in the first revisions of
/// sycl_ext_oneapi_in_order_queue_events and is a std::optional of one in later ones; programs are written for either.
/// Where there is no value, the event is a complete one.
class last_event : public event {
 public:
  last_event(event e, bool known) : event(std::move(e)), known_(known) {}

  bool has_value() const noexcept { return known_; }
  explicit operator bool() const noexcept { return known_; }
  event& value() noexcept { return *this; }
  const event& value() const noexcept { return *this; }
  event& operator*() noexcept { return *this; }
  const event& operator*() const noexcept { return *this; }
  event* operator->() noexcept { return this; }
  const event* operator->() const noexcept { return this; }
  event value_or(const event& other) const {
    return known_ ? static_cast<const event&>(*this) : other;
  }

 private:
  bool known_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
