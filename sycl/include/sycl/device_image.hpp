// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>

#include <sycl/detail/bundle_data.hpp>
#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

template <bundle_state State>
class kernel_bundle;

/// The code of one kernel, for the devices of a kernel bundle (SYCL 2020, 4.11.13).
template <bundle_state State>
class device_image {
 public:
  device_image() = delete;

  bool has_kernel(const kernel_id& id) const noexcept { return id == kernel_; }
  bool has_kernel(const kernel_id& id, const device& d) const noexcept {
    return id == kernel_ && data_->has(id, d);
  }

  friend bool operator==(const device_image& a, const device_image& b) noexcept {
    return a.data_ == b.data_ && a.kernel_ == b.kernel_;
  }
  friend bool operator!=(const device_image& a, const device_image& b) noexcept {
    return !(a == b);
  }

 private:
  template <bundle_state>
  friend class kernel_bundle;
  template <bundle_state S>
  friend class device_image_iterator;
  friend struct std::hash<device_image>;

  device_image(std::shared_ptr<const detail::bundle_data> data, const kernel_id& id)
      : data_(std::move(data)), kernel_(id) {}

  std::shared_ptr<const detail::bundle_data> data_;
  kernel_id kernel_;
};

/// Over the device images of a kernel bundle. Images are made as they are looked at.
template <bundle_state State>
class device_image_iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = device_image<State>;
  using difference_type = std::ptrdiff_t;
  using reference = value_type;
  class pointer {
   public:
    explicit pointer(value_type image) : image_(std::move(image)) {}
    const value_type* operator->() const noexcept { return &image_; }

   private:
    value_type image_;
  };

  device_image_iterator() = default;

  reference operator*() const { return value_type(data_, data_->kernels[at_]); }
  pointer operator->() const { return pointer(**this); }
  device_image_iterator& operator++() {
    ++at_;
    return *this;
  }
  device_image_iterator operator++(int) {
    device_image_iterator old = *this;
    ++at_;
    return old;
  }
  friend bool operator==(const device_image_iterator& a, const device_image_iterator& b) noexcept {
    return a.data_ == b.data_ && a.at_ == b.at_;
  }
  friend bool operator!=(const device_image_iterator& a, const device_image_iterator& b) noexcept {
    return !(a == b);
  }

 private:
  template <bundle_state>
  friend class kernel_bundle;

  device_image_iterator(std::shared_ptr<const detail::bundle_data> data, std::size_t at)
      : data_(std::move(data)), at_(at) {}

  std::shared_ptr<const detail::bundle_data> data_;
  std::size_t at_ = 0;
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <sycl::bundle_state State>
struct std::hash<sycl::device_image<State>> {
  std::size_t operator()(const sycl::device_image<State>& image) const noexcept {
    return std::hash<const void*>()(image.data_.get()) * 31 +
           std::hash<sycl::kernel_id>()(image.kernel_);
  }
};
