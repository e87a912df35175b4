// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/image/image_accessors.hpp>
#include <sycl/image/image_base.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// Texels of the host program that kernels read through a sampler (SYCL 2020, 4.7.3.2). The host data is
/// copied and never written. Constructors throw exception (errc::invalid) as those of unsampled_image do, and
/// for samplers that mean nothing: repeat or mirrored_repeat without normalised coordinates, and linear
/// filtering of integers.
template <int Dimensions, typename AllocatorT>
class sampled_image : public detail::image_base<Dimensions, AllocatorT> {
  using base = detail::image_base<Dimensions, AllocatorT>;
  using typename base::bytes_buffer;
  template <int D>
  using if_pitched = std::enable_if_t<(D > 1), int>;

 public:
  sampled_image(const void* hostPointer, image_format format, image_sampler sampler,
                const range<Dimensions>& rangeRef, const property_list& propList = {})
      : sampled_image(hostPointer, detail::make_shape(format, rangeRef), sampler, propList) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  sampled_image(const void* hostPointer, image_format format, image_sampler sampler,
                const range<Dimensions>& rangeRef, const range<D - 1>& pitch,
                const property_list& propList = {})
      : sampled_image(hostPointer, detail::make_shape(format, rangeRef, pitch), sampler, propList) {
  }
  sampled_image(const std::shared_ptr<const void>& hostPointer, image_format format,
                image_sampler sampler, const range<Dimensions>& rangeRef,
                const property_list& propList = {})
      : sampled_image(hostPointer, detail::make_shape(format, rangeRef), sampler, propList) {}
  template <int D = Dimensions, if_pitched<D> = 0>
  sampled_image(const std::shared_ptr<const void>& hostPointer, image_format format,
                image_sampler sampler, const range<Dimensions>& rangeRef, const range<D - 1>& pitch,
                const property_list& propList = {})
      : sampled_image(hostPointer, detail::make_shape(format, rangeRef, pitch), sampler, propList) {
  }

  template <typename DataT, image_target Targ = image_target::device>
  sampled_image_accessor<DataT, Dimensions, Targ> get_access(handler& commandGroupHandler,
                                                             const property_list& propList = {}) {
    return {*this, commandGroupHandler, propList};
  }
  template <typename DataT>
  host_sampled_image_accessor<DataT, Dimensions> get_host_access(
      const property_list& propList = {}) {
    return {*this, propList};
  }

  friend bool operator==(const sampled_image& a, const sampled_image& b) noexcept {
    return a.bytes_ == b.bytes_;
  }
  friend bool operator!=(const sampled_image& a, const sampled_image& b) noexcept {
    return !(a == b);
  }

 private:
  friend struct detail::image_access;

  sampled_image(const void* data, const detail::image_shape& shape, const image_sampler& sampler,
                const property_list& properties)
      : base(shape,
             bytes_buffer(base::as_bytes(data), base::bytes_of(shape), AllocatorT(), properties)),
        sampler_(checked(sampler, shape)) {}
  // The contents are taken at once: nobody needs the pointer afterwards.
  sampled_image(const std::shared_ptr<const void>& data, const detail::image_shape& shape,
                const image_sampler& sampler, const property_list& properties)
      : sampled_image(data.get(), shape, sampler, properties) {}

  static image_sampler checked(const image_sampler& sampler, const detail::image_shape& shape) {
    const bool repeats = sampler.addressing == addressing_mode::repeat ||
                         sampler.addressing == addressing_mode::mirrored_repeat;
    if (repeats && sampler.coordinate == coordinate_normalization_mode::unnormalized)
      detail::throw_error(errc::invalid,
                          "sampled_image: addressing_mode::repeat and mirrored_repeat need "
                          "coordinate_normalization_mode::normalized");
    const detail::channel_type type = detail::layout_of(shape.format).type;
    if (sampler.filtering == filtering_mode::linear &&
        (type == detail::channel_type::sint || type == detail::channel_type::uint))
      detail::throw_error(errc::invalid,
                          std::string("sampled_image: texels of format ") +
                              detail::name_of(shape.format) +
                              " are integers and cannot be filtered; take filtering_mode::nearest");
    return sampler;
  }

  image_sampler sampler_;
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <int Dimensions, typename AllocatorT>
struct std::hash<sycl::sampled_image<Dimensions, AllocatorT>> {
  std::size_t operator()(const sycl::sampled_image<Dimensions, AllocatorT>& image) const {
    return std::hash<sycl::buffer<std::byte, 1, AllocatorT>>()(
        sycl::detail::image_access::bytes(image));
  }
};
