// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <sycl/accessor.hpp>
#include <sycl/detail/accessor/copy.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/queue/state.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace vendor::hipsycl {

/// While it is active, every command group of the queue requires a placeholder accessor, as if handler::require were called
/// in each (AdaptiveCpp). Ends with the object.
class automatic_requirement {
 public:
  template <class T, int D, access_mode M, target G, accessor_variant V>
  automatic_requirement(const queue& q, const accessor<T, D, M, G, V>& placeholder)
      : queue_(q), request_(detail::accessor_access::request(placeholder)) {
    reacquire();
  }
  automatic_requirement(automatic_requirement&& other) noexcept
      : queue_(other.queue_), request_(other.request_), active_(std::exchange(other.active_, 0)) {}
  automatic_requirement(const automatic_requirement&) = delete;
  automatic_requirement& operator=(const automatic_requirement&) = delete;
  automatic_requirement& operator=(automatic_requirement&&) = delete;
  ~automatic_requirement() { release(); }

  bool is_required() const noexcept { return active_ != 0; }
  /// Later command groups do not require it. Nothing happens if they do not already.
  void release() {
    if (active_ != 0) extras().release(active_);
    active_ = 0;
  }
  /// Later command groups require it again. Nothing happens if they do already.
  void reacquire() {
    if (active_ == 0) active_ = extras().require(request_);
  }

 private:
  detail::queue_extras& extras() const { return detail::queue_access::state(queue_).extras; }

  queue queue_;
  pianola::runtime::accessor_request request_;
  std::uint64_t active_ = 0;
};

template <class T, int D, access_mode M, target G, accessor_variant V>
automatic_requirement automatic_require(queue& q, accessor<T, D, M, G, V> placeholder) {
  return automatic_requirement(q, placeholder);
}

}  // namespace vendor::hipsycl
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
