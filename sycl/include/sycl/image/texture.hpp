// SPDX-License-Identifier: Apache-2.0
// Sampled images in kernels of devices that have texture units. The accessor asks for a texture; where it gets
// one, reads go through it, and where not, through the arithmetic of sample.hpp.
//
// The nearest texel is found by that arithmetic either way, so that it is the same one everywhere: a texture unit
// rounds a coordinate before it looks which texel it is in. Linear filtering is the unit's own, with weights of 8
// bits behind the point: OpenCL, whose samplers SYCL's are, leaves its precision open.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pianola/model/texture.hpp>
#include <pianola/runtime/cookie.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/image/image_sampler.hpp>
#include <sycl/image/sample.hpp>
#include <sycl/image/texel.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

constexpr pianola::model::texel_type texel_type_of(image_format format) noexcept {
  using pianola::model::texel_type;
  switch (format) {
    case image_format::r8g8b8a8_sint:
      return texel_type::sint8;
    case image_format::r16g16b16a16_sint:
      return texel_type::sint16;
    case image_format::r32b32g32a32_sint:
      return texel_type::sint32;
    case image_format::r8g8b8a8_uint:
      return texel_type::uint8;
    case image_format::r16g16b16a16_uint:
      return texel_type::uint16;
    case image_format::r32b32g32a32_uint:
      return texel_type::uint32;
    case image_format::r16g16b16a16_unorm:
      return texel_type::unorm16;
    case image_format::r16b16g16a16_sfloat:
      return texel_type::float16;
    case image_format::r32g32b32a32_sfloat:
      return texel_type::float32;
    default:
      return texel_type::unorm8;
  }
}

/// What an accessor of a kernel asks for; nothing for what no texture can do: three dimensions, and linear
/// filtering with a border by coordinates that are not normalised.
template <int Dimensions>
pianola::model::texture_argument texture_for(const image_shape& shape, const image_sampler& sampler,
                                             const std::byte* texels) noexcept {
  using pianola::model::texture_addressing;
  constexpr std::size_t most = 0x7fffffff;
  const bool linear = sampler.filtering == filtering_mode::linear;
  const bool normalized = linear && sampler.coordinate == coordinate_normalization_mode::normalized;
  pianola::model::texture_argument asked;
  if (Dimensions == 3 || shape.range[0] > most || shape.range[1] > most ||
      (linear && !normalized && sampler.addressing == addressing_mode::clamp))
    return asked;
  asked.marker = pianola::runtime::texture_cookie;
  asked.texels = const_cast<std::byte*>(texels);
  pianola::model::texture_description& d = asked.description;
  d.row_pitch = shape.row_pitch;
  d.width = static_cast<std::uint32_t>(shape.range[0]);
  d.height = static_cast<std::uint32_t>(shape.range[1]);
  d.type = texel_type_of(shape.format);
  d.linear = linear;
  d.normalized = normalized;
  if (linear && sampler.addressing == addressing_mode::repeat)
    d.addressing = texture_addressing::repeat;
  else if (linear && sampler.addressing == addressing_mode::mirrored_repeat)
    d.addressing = texture_addressing::mirror;
  else if (linear && sampler.addressing == addressing_mode::clamp)
    d.addressing = texture_addressing::border;
  return asked;
}

#if defined(__PIANOLACC__)
/// The texel, of which `x` and `y` are in the middle, or what the texture unit makes of those around them.
template <class DataT>
inline DataT fetch_texture(std::uint64_t texture, image_format format, float x, float y) noexcept {
  using element = element_type_t<DataT>;
  if constexpr (std::is_same_v<element, std::int32_t>) {
    const auto t = __pianola_texture_signed(texture, x, y);
    return DataT(t[0], t[1], t[2], t[3]);
  } else if constexpr (std::is_same_v<element, std::uint32_t>) {
    const auto t = __pianola_texture_unsigned(texture, x, y);
    return DataT(t[0], t[1], t[2], t[3]);
  } else {
    const auto t = __pianola_texture_float(texture, x, y);
    const bool swapped = format == image_format::b8g8r8a8_unorm;
    return DataT(static_cast<element>(swapped ? t[2] : t[0]), static_cast<element>(t[1]),
                 static_cast<element>(swapped ? t[0] : t[2]), static_cast<element>(t[3]));
  }
}

template <class DataT, int Dimensions>
inline DataT sample_texture(std::uint64_t texture, const image_shape& shape,
                            const image_sampler& sampler, const float (&coordinates)[3]) noexcept {
  constexpr float middle = 0.5F;  // of a texel, and of an image of one row
  if (sampler.filtering == filtering_mode::linear)
    return fetch_texture<DataT>(texture, shape.format, coordinates[0],
                                Dimensions == 2 ? coordinates[1] : middle);
  const std::int64_t x = locate(coordinates[0], shape.range[0], sampler).first;
  const std::int64_t y =
      Dimensions == 2 ? locate(coordinates[1], shape.range[1], sampler).first : 0;
  if (x < 0 || y < 0) return DataT(element_type_t<DataT>(0));
  return fetch_texture<DataT>(texture, shape.format, static_cast<float>(x) + middle,
                              static_cast<float>(y) + middle);
}
#endif

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
