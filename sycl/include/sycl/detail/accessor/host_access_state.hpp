// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <pianola/runtime/buffers.hpp>
#include <pianola/runtime/submission.hpp>

#include <sycl/detail/buffer/state.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Shared by the copies of one host_accessor; the access ends with the last of them. Keeps the
/// buffer, so that the storage is there and the buffer's end does not wait for its own thread.
class host_access_state {
 public:
  host_access_state(std::shared_ptr<buffer_state> buffer,
                    const pianola::runtime::accessor_request& request,
                    const property_list& properties)
      : buffer_(std::move(buffer)),
        properties_(properties),
        byte_offset_(request.byte_offset),
        nothing_(request.elements.empty()) {
    if (nothing_) return;
    access_ = translate([&] {
      return pianola::runtime::acquire_on_host(request.buffer, request.elements, request.mode,
                                               request.no_init);
    });
  }
  host_access_state(const host_access_state&) = delete;
  host_access_state& operator=(const host_access_state&) = delete;
  ~host_access_state() {
    if (!nothing_) pianola::runtime::release_on_host(access_);
  }

  /// Of the buffer object that was accessed; null if no element was.
  void* base() const noexcept {
    return nothing_ ? nullptr : static_cast<unsigned char*>(access_.base) + byte_offset_;
  }

  const property_list& properties() const noexcept { return properties_; }

 private:
  std::shared_ptr<buffer_state> buffer_;
  property_list properties_;
  std::uint64_t byte_offset_;
  bool nothing_;
  pianola::runtime::host_access access_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
