// SPDX-License-Identifier: Apache-2.0
// Texels as numbers: conversions between an image's bytes and what its accessors read and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/image/image_format.hpp>
#include <sycl/kernel/half.hpp>
#include <sycl/kernel/type_traits.hpp>
#include <sycl/kernel/vec.hpp>
#include <sycl/kernel/vec_aliases.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Where the bytes of an image are. Range in texels with x, the fastest dimension, first; pitches in bytes;
/// dimensions that the image does not have are 1.
struct image_shape {
  std::size_t range[3] = {1, 1, 1};
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;
  image_format format = image_format::r8g8b8a8_unorm;

  constexpr std::size_t texels() const noexcept { return range[0] * range[1] * range[2]; }
  constexpr std::size_t bytes() const noexcept { return slice_pitch * range[2]; }
  constexpr std::size_t offset(std::size_t x, std::size_t y, std::size_t z) const noexcept {
    return z * slice_pitch + y * row_pitch + x * texel_bytes(format);
  }
};

template <class Number>
inline Number load_channel(const std::byte* texel, int channel) noexcept {
  Number value;
  __builtin_memcpy(&value, texel + static_cast<std::size_t>(channel) * sizeof(Number),
                   sizeof(Number));
  return value;
}
template <class Number>
inline void store_channel(std::byte* texel, int channel, Number value) noexcept {
  __builtin_memcpy(texel + static_cast<std::size_t>(channel) * sizeof(Number), &value,
                   sizeof(Number));
}

/// To an integer of 0 to `largest`: what is outside of 0 to 1 is clamped, ties go to the even neighbour, and a
/// NaN becomes 0.
inline std::uint32_t to_unorm(float value, float largest) noexcept {
  if (!(value > 0.0F)) return 0;
  const float scaled = (value < 1.0F ? value : 1.0F) * largest;
  const auto below = static_cast<std::uint32_t>(scaled);
  const float rest = scaled - static_cast<float>(below);
  return below + ((rest > 0.5F || (rest == 0.5F && (below & 1U) != 0)) ? 1U : 0U);
}

template <class To, class From>
inline To saturate(From value) noexcept {
  constexpr From low = static_cast<From>(
      std::is_signed_v<To> ? -static_cast<std::int64_t>((std::uint64_t{1} << (sizeof(To) * 8 - 1)))
                           : 0);
  constexpr std::uint64_t top = std::is_signed_v<To>
                                    ? (std::uint64_t{1} << (sizeof(To) * 8 - 1)) - 1
                                    : ~std::uint64_t{0} >> (64 - sizeof(To) * 8);
  constexpr From high = static_cast<From>(top);
  return static_cast<To>(value < low ? low : value > high ? high : value);
}

/// The four channels as r, g, b, a.
template <class DataT>
inline DataT read_texel(const std::byte* texel, image_format format) noexcept {
  using element = element_type_t<DataT>;
  if constexpr (std::is_same_v<element, std::int32_t>) {
    switch (layout_of(format).bytes) {
      case 1:
        return DataT(load_channel<std::int8_t>(texel, 0), load_channel<std::int8_t>(texel, 1),
                     load_channel<std::int8_t>(texel, 2), load_channel<std::int8_t>(texel, 3));
      case 2:
        return DataT(load_channel<std::int16_t>(texel, 0), load_channel<std::int16_t>(texel, 1),
                     load_channel<std::int16_t>(texel, 2), load_channel<std::int16_t>(texel, 3));
      default:
        return DataT(load_channel<std::int32_t>(texel, 0), load_channel<std::int32_t>(texel, 1),
                     load_channel<std::int32_t>(texel, 2), load_channel<std::int32_t>(texel, 3));
    }
  } else if constexpr (std::is_same_v<element, std::uint32_t>) {
    switch (layout_of(format).bytes) {
      case 1:
        return DataT(load_channel<std::uint8_t>(texel, 0), load_channel<std::uint8_t>(texel, 1),
                     load_channel<std::uint8_t>(texel, 2), load_channel<std::uint8_t>(texel, 3));
      case 2:
        return DataT(load_channel<std::uint16_t>(texel, 0), load_channel<std::uint16_t>(texel, 1),
                     load_channel<std::uint16_t>(texel, 2), load_channel<std::uint16_t>(texel, 3));
      default:
        return DataT(load_channel<std::uint32_t>(texel, 0), load_channel<std::uint32_t>(texel, 1),
                     load_channel<std::uint32_t>(texel, 2), load_channel<std::uint32_t>(texel, 3));
    }
  } else {
    float channel[4];
    switch (format) {
      case image_format::r32g32b32a32_sfloat:
        for (int c = 0; c < 4; ++c) channel[c] = load_channel<float>(texel, c);
        break;
      case image_format::r16b16g16a16_sfloat:
        for (int c = 0; c < 4; ++c) channel[c] = static_cast<float>(load_channel<half>(texel, c));
        break;
      case image_format::r16g16b16a16_unorm:
        for (int c = 0; c < 4; ++c)
          channel[c] = static_cast<float>(load_channel<std::uint16_t>(texel, c)) / 65535.0F;
        break;
      case image_format::b8g8r8a8_unorm:
        for (int c = 0; c < 4; ++c)
          channel[c] =
              static_cast<float>(load_channel<std::uint8_t>(texel, c < 3 ? 2 - c : 3)) / 255.0F;
        break;
      default:
        for (int c = 0; c < 4; ++c)
          channel[c] = static_cast<float>(load_channel<std::uint8_t>(texel, c)) / 255.0F;
        break;
    }
    return DataT(static_cast<element>(channel[0]), static_cast<element>(channel[1]),
                 static_cast<element>(channel[2]), static_cast<element>(channel[3]));
  }
}

/// Values that the format has no room for become the nearest that it has.
template <class DataT>
inline void write_texel(std::byte* texel, image_format format, const DataT& color) noexcept {
  using element = element_type_t<DataT>;
  const element channel[4] = {color.x(), color.y(), color.z(), color.w()};
  if constexpr (std::is_integral_v<element>) {
    constexpr bool with_sign = std::is_signed_v<element>;
    using small = std::conditional_t<with_sign, std::int8_t, std::uint8_t>;
    using middle = std::conditional_t<with_sign, std::int16_t, std::uint16_t>;
    switch (layout_of(format).bytes) {
      case 1:
        for (int c = 0; c < 4; ++c) store_channel(texel, c, saturate<small>(channel[c]));
        break;
      case 2:
        for (int c = 0; c < 4; ++c) store_channel(texel, c, saturate<middle>(channel[c]));
        break;
      default:
        for (int c = 0; c < 4; ++c) store_channel(texel, c, channel[c]);
        break;
    }
  } else {
    switch (format) {
      case image_format::r32g32b32a32_sfloat:
        for (int c = 0; c < 4; ++c) store_channel(texel, c, static_cast<float>(channel[c]));
        break;
      case image_format::r16b16g16a16_sfloat:
        for (int c = 0; c < 4; ++c) store_channel(texel, c, static_cast<half>(channel[c]));
        break;
      case image_format::r16g16b16a16_unorm:
        for (int c = 0; c < 4; ++c)
          store_channel(
              texel, c,
              static_cast<std::uint16_t>(to_unorm(static_cast<float>(channel[c]), 65535.0F)));
        break;
      case image_format::b8g8r8a8_unorm:
        for (int c = 0; c < 4; ++c)
          store_channel(
              texel, c < 3 ? 2 - c : 3,
              static_cast<std::uint8_t>(to_unorm(static_cast<float>(channel[c]), 255.0F)));
        break;
      default:
        for (int c = 0; c < 4; ++c)
          store_channel(
              texel, c,
              static_cast<std::uint8_t>(to_unorm(static_cast<float>(channel[c]), 255.0F)));
        break;
    }
  }
}

/// int4, uint4, float4 and half4.
template <class DataT>
inline constexpr bool is_color =
    is_vec_v<DataT> && element_count_v<DataT> == 4 &&
    (std::is_same_v<element_type_t<DataT>, std::int32_t> ||
     std::is_same_v<element_type_t<DataT>, std::uint32_t> ||
     std::is_same_v<element_type_t<DataT>, float> || std::is_same_v<element_type_t<DataT>, half>);

/// Throws exception (errc::invalid) if texels of the format are not read as DataT (SYCL 2020, 4.7.6.13).
template <class DataT>
inline void check_color(image_format format, const char* who) {
  using element = element_type_t<DataT>;
  const channel_type type = layout_of(format).type;
  const bool fits = std::is_same_v<element, std::int32_t> ? type == channel_type::sint
                    : std::is_same_v<element, std::uint32_t>
                        ? type == channel_type::uint
                        : type == channel_type::unorm || type == channel_type::sfloat;
  if (!fits)
    throw_error(errc::invalid, std::string(who) + ": texels of format " + name_of(format) +
                                   " are accessed as " +
                                   (type == channel_type::sint   ? "int4"
                                    : type == channel_type::uint ? "uint4"
                                                                 : "float4 or half4"));
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
