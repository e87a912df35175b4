// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <vector>

#include <sycl/detail/kernels/bundle_data.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/shared_state.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

template <bundle_state State>
class kernel_bundle;

/// The code of one kernel, for the devices of a kernel bundle (SYCL 2020, 4.11.13). Bundles that are made of others hold
/// the same images: values of specialization constants are no part of them.
template <bundle_state State>
class device_image {
 public:
  device_image() = delete;

  bool has_kernel(const kernel_id& id) const noexcept { return id == kernel_; }
  bool has_kernel(const kernel_id& id, const device& d) const noexcept {
    return id == kernel_ && data_->has(id, d);
  }

  friend bool operator==(const device_image& a, const device_image& b) noexcept {
    return a.kernel_ == b.kernel_ && (a.data_ == b.data_ || a.data_->is_for_devices_of(*b.data_));
  }
  friend bool operator!=(const device_image& a, const device_image& b) noexcept {
    return !(a == b);
  }

 private:
  template <bundle_state>
  friend class kernel_bundle;
  friend struct std::hash<device_image>;

  device_image(std::shared_ptr<const detail::bundle_data> data, const kernel_id& id)
      : data_(std::move(data)), kernel_(id) {}

  detail::shared_state<const detail::bundle_data> data_;
  kernel_id kernel_;
};

namespace detail {

/// The images of a bundle and of its copies, made when the first is looked at.
template <bundle_state State>
struct bundle_images {
  std::once_flag made;
  std::vector<device_image<State>> images;
};

}  // namespace detail

/// Over the device images of a kernel bundle, which live as long as the bundle, a copy or an iterator of it. The
/// specification asks for a forward iterator; DPC++'s is a pointer, and programs index it.
template <bundle_state State>
class device_image_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = device_image<State>;
  using difference_type = std::ptrdiff_t;
  using reference = const value_type&;
  using pointer = const value_type*;

  device_image_iterator() = default;

  reference operator*() const { return all_->images[at_]; }
  pointer operator->() const { return &**this; }
  reference operator[](difference_type n) const { return *(*this + n); }

  device_image_iterator& operator+=(difference_type n) {
    at_ += static_cast<std::size_t>(n);
    return *this;
  }
  device_image_iterator& operator-=(difference_type n) { return *this += -n; }
  device_image_iterator& operator++() { return *this += 1; }
  device_image_iterator& operator--() { return *this -= 1; }
  device_image_iterator operator++(int) {
    device_image_iterator old = *this;
    ++at_;
    return old;
  }
  device_image_iterator operator--(int) {
    device_image_iterator old = *this;
    --at_;
    return old;
  }
  friend device_image_iterator operator+(device_image_iterator a, difference_type n) {
    return a += n;
  }
  friend device_image_iterator operator+(difference_type n, device_image_iterator a) {
    return a += n;
  }
  friend device_image_iterator operator-(device_image_iterator a, difference_type n) {
    return a -= n;
  }
  friend difference_type operator-(const device_image_iterator& a,
                                   const device_image_iterator& b) noexcept {
    return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
  }

  friend bool operator==(const device_image_iterator& a, const device_image_iterator& b) noexcept {
    return a.all_ == b.all_ && a.at_ == b.at_;
  }
  friend bool operator!=(const device_image_iterator& a, const device_image_iterator& b) noexcept {
    return !(a == b);
  }
  friend bool operator<(const device_image_iterator& a, const device_image_iterator& b) noexcept {
    return a.at_ < b.at_;
  }
  friend bool operator>(const device_image_iterator& a, const device_image_iterator& b) noexcept {
    return b < a;
  }
  friend bool operator<=(const device_image_iterator& a, const device_image_iterator& b) noexcept {
    return !(b < a);
  }
  friend bool operator>=(const device_image_iterator& a, const device_image_iterator& b) noexcept {
    return !(a < b);
  }

 private:
  template <bundle_state>
  friend class kernel_bundle;
  using all_images = std::shared_ptr<const detail::bundle_images<State>>;

  device_image_iterator(all_images all, std::size_t at) : all_(std::move(all)), at_(at) {}

  all_images all_;
  std::size_t at_ = 0;
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <sycl::bundle_state State>
struct std::hash<sycl::device_image<State>> {
  std::size_t operator()(const sycl::device_image<State>& image) const noexcept {
    return std::hash<sycl::context>()(image.data_->the_context) * 31 +
           std::hash<sycl::kernel_id>()(image.kernel_);
  }
};
