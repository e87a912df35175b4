// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/image/image_accessors.hpp>
#include <sycl/image/image_base.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// Texels that kernels read and write by integer coordinates (SYCL 2020, 4.7.3.1). The first number of range is
/// the width, the fastest dimension. Constructors throw exception (errc::invalid) for a pitch that is smaller
/// than a row or slice.
template <int Dimensions, typename AllocatorT>
class unsampled_image : public detail::image_base<Dimensions, AllocatorT> {
  using base = detail::image_base<Dimensions, AllocatorT>;
  using typename base::bytes_buffer;
  template <int D>
  using if_pitched = std::enable_if_t<(D > 1), int>;

 public:
  unsampled_image(image_format format, const range<Dimensions>& rangeRef,
                  const property_list& propList = {})
      : unsampled_image(detail::make_shape(format, rangeRef), AllocatorT(), propList) {}
  unsampled_image(image_format format, const range<Dimensions>& rangeRef, AllocatorT allocator,
                  const property_list& propList = {})
      : unsampled_image(detail::make_shape(format, rangeRef), std::move(allocator), propList) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  unsampled_image(image_format format, const range<Dimensions>& rangeRef, const range<D - 1>& pitch,
                  const property_list& propList = {})
      : unsampled_image(detail::make_shape(format, rangeRef, pitch), AllocatorT(), propList) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  unsampled_image(image_format format, const range<Dimensions>& rangeRef, const range<D - 1>& pitch,
                  AllocatorT allocator, const property_list& propList = {})
      : unsampled_image(detail::make_shape(format, rangeRef, pitch), std::move(allocator),
                        propList) {}

  /// The host data is the first contents and gets the last.
  unsampled_image(void* hostPointer, image_format format, const range<Dimensions>& rangeRef,
                  const property_list& propList = {})
      : unsampled_image(hostPointer, detail::make_shape(format, rangeRef), AllocatorT(), propList) {
  }
  unsampled_image(void* hostPointer, image_format format, const range<Dimensions>& rangeRef,
                  AllocatorT allocator, const property_list& propList = {})
      : unsampled_image(hostPointer, detail::make_shape(format, rangeRef), std::move(allocator),
                        propList) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  unsampled_image(void* hostPointer, image_format format, const range<Dimensions>& rangeRef,
                  const range<D - 1>& pitch, const property_list& propList = {})
      : unsampled_image(hostPointer, detail::make_shape(format, rangeRef, pitch), AllocatorT(),
                        propList) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  unsampled_image(void* hostPointer, image_format format, const range<Dimensions>& rangeRef,
                  const range<D - 1>& pitch, AllocatorT allocator,
                  const property_list& propList = {})
      : unsampled_image(hostPointer, detail::make_shape(format, rangeRef, pitch),
                        std::move(allocator), propList) {}

  /// Written back only while somebody else holds the host data, too.
  unsampled_image(const std::shared_ptr<void>& hostPointer, image_format format,
                  const range<Dimensions>& rangeRef, const property_list& propList = {})
      : unsampled_image(hostPointer, detail::make_shape(format, rangeRef), AllocatorT(), propList) {
  }
  unsampled_image(const std::shared_ptr<void>& hostPointer, image_format format,
                  const range<Dimensions>& rangeRef, AllocatorT allocator,
                  const property_list& propList = {})
      : unsampled_image(hostPointer, detail::make_shape(format, rangeRef), std::move(allocator),
                        propList) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  unsampled_image(const std::shared_ptr<void>& hostPointer, image_format format,
                  const range<Dimensions>& rangeRef, const range<D - 1>& pitch,
                  const property_list& propList = {})
      : unsampled_image(hostPointer, detail::make_shape(format, rangeRef, pitch), AllocatorT(),
                        propList) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  unsampled_image(const std::shared_ptr<void>& hostPointer, image_format format,
                  const range<Dimensions>& rangeRef, const range<D - 1>& pitch,
                  AllocatorT allocator, const property_list& propList = {})
      : unsampled_image(hostPointer, detail::make_shape(format, rangeRef, pitch),
                        std::move(allocator), propList) {}

  AllocatorT get_allocator() const { return this->bytes_.get_allocator(); }

  template <typename DataT, access_mode Mode = detail::default_access_mode<DataT>,
            image_target Targ = image_target::device>
  unsampled_image_accessor<DataT, Dimensions, Mode, Targ> get_access(
      handler& commandGroupHandler, const property_list& propList = {}) {
    return {*this, commandGroupHandler, propList};
  }
  template <typename DataT, access_mode Mode = detail::default_access_mode<DataT>>
  host_unsampled_image_accessor<DataT, Dimensions, Mode> get_host_access(
      const property_list& propList = {}) {
    return {*this, propList};
  }

  /// Where the bytes go when the image ends: as buffer::set_final_data; a pointer may point to anything.
  template <typename Destination = std::nullptr_t>
  void set_final_data(Destination finalData = nullptr) {
    if constexpr (std::is_pointer_v<Destination>) {
      this->bytes_.set_final_data(static_cast<void*>(finalData));
    } else if constexpr (detail::shared_or_weak_ptr<Destination>::value) {
      typename detail::shared_or_weak_ptr<Destination>::weak weak(finalData);
      const auto held = weak.lock();
      this->bytes_.set_final_data(std::weak_ptr<std::byte>(std::shared_ptr<std::byte>(
          held, static_cast<std::byte*>(static_cast<void*>(held.get())))));
    } else {
      this->bytes_.set_final_data(finalData);
    }
  }
  void set_write_back(bool flag = true) { this->bytes_.set_write_back(flag); }

  /// Equal: copies of each other.
  friend bool operator==(const unsampled_image& a, const unsampled_image& b) noexcept {
    return a.bytes_ == b.bytes_;
  }
  friend bool operator!=(const unsampled_image& a, const unsampled_image& b) noexcept {
    return !(a == b);
  }

 private:
  unsampled_image(const detail::image_shape& shape, AllocatorT allocator,
                  const property_list& properties)
      : base(shape, bytes_buffer(base::bytes_of(shape), std::move(allocator), properties)) {}
  unsampled_image(void* data, const detail::image_shape& shape, AllocatorT allocator,
                  const property_list& properties)
      : base(shape, bytes_buffer(base::as_bytes(data), base::bytes_of(shape), std::move(allocator),
                                 properties)) {}
  unsampled_image(const std::shared_ptr<void>& data, const detail::image_shape& shape,
                  AllocatorT allocator, const property_list& properties)
      : base(shape, bytes_buffer(std::shared_ptr<std::byte>(data, base::as_bytes(data.get())),
                                 base::bytes_of(shape), std::move(allocator), properties)) {}
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <int Dimensions, typename AllocatorT>
struct std::hash<sycl::unsampled_image<Dimensions, AllocatorT>> {
  std::size_t operator()(const sycl::unsampled_image<Dimensions, AllocatorT>& image) const {
    return std::hash<sycl::buffer<std::byte, 1, AllocatorT>>()(
        sycl::detail::image_access::bytes(image));
  }
};
