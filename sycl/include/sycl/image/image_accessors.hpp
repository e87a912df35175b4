// SPDX-License-Identifier: Apache-2.0
// The accessors of images (SYCL 2020, 4.7.6.13 and 4.7.6.14). Coordinates: a number for one dimension, a vec of
// two for two, a vec of four for three. Reading or writing outside of an unsampled image is undefined, as
// everywhere.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>

#include <sycl/accessor.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/image/image_base.hpp>
#include <sycl/image/sample.hpp>
#include <sycl/image/texel.hpp>
#include <sycl/image/texture.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <image_target Target>
inline constexpr target buffer_target =
    Target == image_target::device ? target::device : target::host_task;

template <class DataT, int Dimensions, access_mode Mode, class Bytes>
class image_accessor_base;

/// What std::hash gives: equal for equal ones.
struct image_accessor_hash {
  template <class DataT, int Dimensions, access_mode Mode, class Bytes>
  static std::size_t of(const image_accessor_base<DataT, Dimensions, Mode, Bytes>& a) noexcept {
    return std::hash<Bytes>()(a.bytes_);
  }
};

/// What an accessor class of images is made of: the access to the bytes, and their meaning.
template <class DataT, int Dimensions, access_mode Mode, class Bytes>
class image_accessor_base {
  static_assert(is_color<std::remove_const_t<DataT>>,
                "an image accessor's elements are sycl::int4, uint4, float4 or half4");

 public:
  static constexpr int dimensions = Dimensions;
  static constexpr sycl::access_mode access_mode = Mode;
  using value_type =
      std::conditional_t<Mode == sycl::access_mode::read, const DataT, std::remove_const_t<DataT>>;
  using reference = value_type&;
  using const_reference = const DataT&;

  /// Texels.
  std::size_t size() const noexcept { return shape_.texels(); }

  template <class Property>
  bool has_property() const noexcept {
    return std::is_same_v<Property, property::no_init> && no_init_;
  }
  template <class Property>
  Property get_property() const {
    if (!has_property<Property>())
      throw_error(errc::invalid, "image accessor: it was constructed without this property");
    return Property();
  }

  friend bool operator==(const image_accessor_base& a, const image_accessor_base& b) noexcept {
    return a.bytes_ == b.bytes_;
  }
  friend bool operator!=(const image_accessor_base& a, const image_accessor_base& b) noexcept {
    return !(a == b);
  }

  friend struct image_accessor_hash;

 protected:
  using color = std::remove_const_t<DataT>;

  image_accessor_base(const image_shape& shape, const Bytes& bytes, bool no_init)
      : bytes_(bytes), shape_(shape), no_init_(no_init) {
    check_color<color>(shape.format, "image accessor");
  }

  template <class CoordT>
  color load(const CoordT& coordinates) const noexcept {
    return read_texel<color>(texel(coordinates), shape_.format);
  }
  template <class CoordT>
  void store(const CoordT& coordinates, const color& value) const noexcept {
    write_texel(const_cast<std::byte*>(texel(coordinates)), shape_.format, value);
  }

  const std::byte* data() const noexcept { return bytes_.get_pointer(); }

  Bytes bytes_;
  image_shape shape_;
  bool no_init_;

 private:
  template <class CoordT>
  const std::byte* texel(const CoordT& coordinates) const noexcept {
    std::int64_t at[3] = {0, 0, 0};
    take_coordinates<Dimensions>(coordinates, at);
    return data() + shape_.offset(static_cast<std::size_t>(at[0]), static_cast<std::size_t>(at[1]),
                                  static_cast<std::size_t>(at[2]));
  }
};

template <access_mode Mode, image_target Target>
using device_bytes = accessor<std::byte, 1, Mode, buffer_target<Target>, accessor_variant::raw>;

}  // namespace detail

/// Access of a kernel or host task to an unsampled image. Throws exception (errc::invalid) from its constructor
/// if DataT does not suit the image's format.
template <typename DataT, int Dimensions, access_mode AccessMode, image_target AccessTarget>
class unsampled_image_accessor
    : public detail::image_accessor_base<DataT, Dimensions, AccessMode,
                                         detail::device_bytes<AccessMode, AccessTarget>> {
  static_assert(
      AccessMode == access_mode::read || AccessMode == access_mode::write,
      "an unsampled_image_accessor reads or writes; only host_unsampled_image_accessor has both");
  using bytes = detail::device_bytes<AccessMode, AccessTarget>;
  using base = detail::image_accessor_base<DataT, Dimensions, AccessMode, bytes>;
  using color = std::remove_const_t<DataT>;

 public:
  static constexpr image_target access_target = AccessTarget;

  template <typename AllocatorT>
  unsampled_image_accessor(unsampled_image<Dimensions, AllocatorT>& imageRef,
                           handler& commandGroupHandlerRef, const property_list& propList = {})
      : base(detail::image_access::shape(imageRef),
             bytes(detail::image_access::bytes(imageRef), commandGroupHandlerRef, propList),
             propList.has_property<property::no_init>()) {}

  template <typename CoordT, access_mode M = AccessMode,
            std::enable_if_t<M == access_mode::read, int> = 0>
  color read(const CoordT& coords) const noexcept {
    return this->load(coords);
  }
  template <typename CoordT, access_mode M = AccessMode,
            std::enable_if_t<M == access_mode::write, int> = 0>
  void write(const CoordT& coords, const color& value) const noexcept {
    this->store(coords, value);
  }
};

/// Access of the host program; blocks until the texels are there, as host_accessor does.
template <typename DataT, int Dimensions, access_mode AccessMode>
class host_unsampled_image_accessor
    : public detail::image_accessor_base<DataT, Dimensions, AccessMode,
                                         host_accessor<std::byte, 1, AccessMode>> {
  using bytes = host_accessor<std::byte, 1, AccessMode>;
  using base = detail::image_accessor_base<DataT, Dimensions, AccessMode, bytes>;
  using color = std::remove_const_t<DataT>;

 public:
  template <typename AllocatorT>
  host_unsampled_image_accessor(unsampled_image<Dimensions, AllocatorT>& imageRef,
                                const property_list& propList = {})
      : base(detail::image_access::shape(imageRef),
             bytes(detail::image_access::bytes(imageRef), propList),
             propList.has_property<property::no_init>()) {}

  template <typename CoordT, access_mode M = AccessMode,
            std::enable_if_t<M == access_mode::read || M == access_mode::read_write, int> = 0>
  color read(const CoordT& coords) const noexcept {
    return this->load(coords);
  }
  template <typename CoordT, access_mode M = AccessMode,
            std::enable_if_t<M == access_mode::write || M == access_mode::read_write, int> = 0>
  void write(const CoordT& coords, const color& value) const noexcept {
    this->store(coords, value);
  }
};

/// Access of a kernel or host task to a sampled image, by coordinates that are floating-point numbers. Kernels may
/// have it sampled by texture units, see docs/gpu.md.
template <typename DataT, int Dimensions, image_target AccessTarget>
class sampled_image_accessor
    : public detail::image_accessor_base<DataT, Dimensions, access_mode::read,
                                         detail::device_bytes<access_mode::read, AccessTarget>> {
  using bytes = detail::device_bytes<access_mode::read, AccessTarget>;
  using base = detail::image_accessor_base<DataT, Dimensions, access_mode::read, bytes>;
  using color = std::remove_const_t<DataT>;

 public:
  static constexpr image_target access_target = AccessTarget;

  template <typename AllocatorT>
  sampled_image_accessor(sampled_image<Dimensions, AllocatorT>& imageRef,
                         handler& commandGroupHandlerRef, const property_list& propList = {})
      : base(detail::image_access::shape(imageRef),
             bytes(detail::image_access::bytes(imageRef), commandGroupHandlerRef, propList), false),
        sampler_(detail::image_access::sampler(imageRef)) {
    if constexpr (AccessTarget == image_target::device)
      texture_ = detail::texture_for<Dimensions>(this->shape_, sampler_, this->data());
  }

  template <typename CoordT>
  color read(const CoordT& coords) const noexcept {
    float at[3] = {0.0F, 0.0F, 0.0F};
    detail::take_coordinates<Dimensions>(coords, at);
#if defined(__PIANOLACC__)
    if constexpr (AccessTarget == image_target::device && Dimensions < 3)
      if (__pianola_is_device() && texture_.handle != pianola::model::no_texture)
        return detail::sample_texture<color, Dimensions>(texture_.handle, this->shape_, sampler_,
                                                         at);
#endif
    return detail::sample<color, Dimensions>(this->data(), this->shape_, sampler_, at);
  }

 private:
  image_sampler sampler_;
  pianola::model::texture_argument texture_;
};

template <typename DataT, int Dimensions>
class host_sampled_image_accessor
    : public detail::image_accessor_base<DataT, Dimensions, access_mode::read,
                                         host_accessor<std::byte, 1, access_mode::read>> {
  using bytes = host_accessor<std::byte, 1, access_mode::read>;
  using base = detail::image_accessor_base<DataT, Dimensions, access_mode::read, bytes>;
  using color = std::remove_const_t<DataT>;

 public:
  template <typename AllocatorT>
  host_sampled_image_accessor(sampled_image<Dimensions, AllocatorT>& imageRef,
                              const property_list& propList = {})
      : base(detail::image_access::shape(imageRef),
             bytes(detail::image_access::bytes(imageRef), propList), false),
        sampler_(detail::image_access::sampler(imageRef)) {}

  template <typename CoordT>
  color read(const CoordT& coords) const noexcept {
    float at[3] = {0.0F, 0.0F, 0.0F};
    detail::take_coordinates<Dimensions>(coords, at);
    return detail::sample<color, Dimensions>(this->data(), this->shape_, sampler_, at);
  }

 private:
  image_sampler sampler_;
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <class DataT, int Dimensions, sycl::access_mode Mode, sycl::image_target Target>
struct std::hash<sycl::unsampled_image_accessor<DataT, Dimensions, Mode, Target>> {
  std::size_t operator()(
      const sycl::unsampled_image_accessor<DataT, Dimensions, Mode, Target>& a) const noexcept {
    return sycl::detail::image_accessor_hash::of(a);
  }
};
template <class DataT, int Dimensions, sycl::access_mode Mode>
struct std::hash<sycl::host_unsampled_image_accessor<DataT, Dimensions, Mode>> {
  std::size_t operator()(
      const sycl::host_unsampled_image_accessor<DataT, Dimensions, Mode>& a) const noexcept {
    return sycl::detail::image_accessor_hash::of(a);
  }
};
template <class DataT, int Dimensions, sycl::image_target Target>
struct std::hash<sycl::sampled_image_accessor<DataT, Dimensions, Target>> {
  std::size_t operator()(
      const sycl::sampled_image_accessor<DataT, Dimensions, Target>& a) const noexcept {
    return sycl::detail::image_accessor_hash::of(a);
  }
};
template <class DataT, int Dimensions>
struct std::hash<sycl::host_sampled_image_accessor<DataT, Dimensions>> {
  std::size_t operator()(
      const sycl::host_sampled_image_accessor<DataT, Dimensions>& a) const noexcept {
    return sycl::detail::image_accessor_hash::of(a);
  }
};
