// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <sycl/buffer.hpp>
#include <sycl/detail/checked_size.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/exception.hpp>
#include <sycl/image/image_forward.hpp>
#include <sycl/image/image_properties.hpp>
#include <sycl/image/image_sampler.hpp>
#include <sycl/image/texel.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// A packed image. Throws exception (errc::invalid) if the format is none.
template <int Dimensions>
image_shape make_shape(image_format format, const range<Dimensions>& extent) {
  if (!layout_of(format).known)
    throw_error(errc::invalid, "image: format number " +
                                   std::to_string(static_cast<unsigned>(format)) +
                                   " is no image_format");
  image_shape shape;
  shape.format = format;
  for (int d = 0; d < Dimensions; ++d) shape.range[d] = extent[d];
  shape.row_pitch = checked_bytes("image: a row", shape.range[0], texel_bytes(format));
  shape.slice_pitch = checked_bytes("image: a slice", shape.range[1], shape.row_pitch);
  static_cast<void>(checked_bytes("image", shape.range[2], shape.slice_pitch));
  return shape;
}

/// With pitches in bytes: from row to row, and for three dimensions from slice to slice. Throws exception
/// (errc::invalid) if one is smaller than what it holds.
template <int Dimensions>
image_shape make_shape(image_format format, const range<Dimensions>& extent,
                       const range<Dimensions - 1>& pitch) {
  image_shape shape = make_shape(format, extent);
  if (pitch[0] < shape.row_pitch)
    throw_error(errc::invalid, "image: a row pitch of " + std::to_string(pitch[0]) +
                                   " bytes is less than the " + std::to_string(shape.row_pitch) +
                                   " bytes of a row");
  shape.row_pitch = pitch[0];
  shape.slice_pitch = checked_bytes("image: a slice", shape.range[1], shape.row_pitch);
  if constexpr (Dimensions == 3) {
    if (pitch[1] < shape.slice_pitch)
      throw_error(errc::invalid, "image: a slice pitch of " + std::to_string(pitch[1]) +
                                     " bytes is less than the " +
                                     std::to_string(shape.slice_pitch) + " bytes of a slice");
    shape.slice_pitch = pitch[1];
  }
  static_cast<void>(checked_bytes("image", shape.range[2], shape.slice_pitch));
  return shape;
}

/// What both image classes have in common: the texels are the bytes of a buffer, whose rules for host data,
/// dependencies and write-back hold for the image (SYCL 2020, 4.7.3).
template <int Dimensions, class AllocatorT>
class image_base {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "images have 1, 2 or 3 dimensions");
  static_assert(
      std::is_same<typename std::allocator_traits<AllocatorT>::value_type, std::byte>::value,
      "the allocator of an image allocates std::byte");

 public:
  range<Dimensions> get_range() const {
    range<Dimensions> result = make_range(std::integral_constant<int, Dimensions>());
    return result;
  }

  /// Bytes from row to row and, for three dimensions, from slice to slice.
  template <int D = Dimensions, std::enable_if_t<(D > 1), int> = 0>
  range<D - 1> get_pitch() const {
    if constexpr (D == 2)
      return range<1>(shape_.row_pitch);
    else
      return range<2>(shape_.row_pitch, shape_.slice_pitch);
  }

  /// Texels.
  std::size_t size() const noexcept { return shape_.texels(); }
  std::size_t byte_size() const noexcept { return shape_.bytes(); }

  template <class Property>
  bool has_property() const noexcept {
    return bytes_.template has_property<Property>();
  }
  template <class Property>
  Property get_property() const {
    return bytes_.template get_property<Property>();
  }

 protected:
  using bytes_buffer = buffer<std::byte, 1, AllocatorT>;

  image_base(const image_shape& shape, bytes_buffer bytes)
      : shape_(shape), bytes_(std::move(bytes)) {}

  static range<1> bytes_of(const image_shape& shape) { return range<1>(shape.bytes()); }

  /// For images of a `const void*` the caller's data is only copied.
  template <class Void>
  static auto as_bytes(Void* data) {
    return static_cast<std::conditional_t<std::is_const_v<Void>, const std::byte, std::byte>*>(
        data);
  }

  image_shape shape_;
  bytes_buffer bytes_;

 private:
  friend struct image_access;

  range<1> make_range(std::integral_constant<int, 1>) const { return range<1>(shape_.range[0]); }
  range<2> make_range(std::integral_constant<int, 2>) const {
    return range<2>(shape_.range[0], shape_.range[1]);
  }
  range<3> make_range(std::integral_constant<int, 3>) const {
    return range<3>(shape_.range[0], shape_.range[1], shape_.range[2]);
  }
};

/// What accessors need of an image.
struct image_access {
  template <int D, class A>
  static const image_shape& shape(const image_base<D, A>& image) noexcept {
    return image.shape_;
  }
  template <int D, class A>
  static auto& bytes(image_base<D, A>& image) noexcept {
    return image.bytes_;
  }
  template <int D, class A>
  static const auto& bytes(const image_base<D, A>& image) noexcept {
    return image.bytes_;
  }
  template <class SampledImage>
  static const image_sampler& sampler(const SampledImage& image) noexcept {
    return image.sampler_;
  }
};

/// x, y and z of a coordinate: a number, or a vec of two, or a vec of four whose last element does not matter.
template <int Dimensions, class Number, class CoordT>
inline void take_coordinates(const CoordT& from, Number (&to)[3]) noexcept {
  if constexpr (Dimensions == 1) {
    static_assert(std::is_convertible_v<CoordT, Number>,
                  "an image of one dimension takes one number as its coordinate");
    to[0] = static_cast<Number>(from);
  } else {
    static_assert(
        element_count_v<CoordT> == (Dimensions == 2 ? 2 : 4),
        "an image of two dimensions takes a vec of two elements as its coordinates, one of three "
        "dimensions a vec of four");
    to[0] = static_cast<Number>(from.x());
    to[1] = static_cast<Number>(from.y());
    if constexpr (Dimensions == 3) to[2] = static_cast<Number>(from.z());
  }
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
