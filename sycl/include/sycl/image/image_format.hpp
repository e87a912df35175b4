// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// Four channels to a texel, in the order and type that the name says (SYCL 2020, 4.7.3). The
/// specification spells some names with the channels b and g exchanged; the names with the usual order mean
/// the same.
enum class image_format : unsigned int {
  r8g8b8a8_unorm,
  r16g16b16a16_unorm,
  r8g8b8a8_sint,
  r16g16b16a16_sint,
  r32b32g32a32_sint,
  r8g8b8a8_uint,
  r16g16b16a16_uint,
  r32b32g32a32_uint,
  r16b16g16a16_sfloat,
  r32g32b32a32_sfloat,
  b8g8r8a8_unorm,
  r32g32b32a32_sint = r32b32g32a32_sint,
  r32g32b32a32_uint = r32b32g32a32_uint,
  r16g16b16a16_sfloat = r16b16g16a16_sfloat
};

/// Where an image accessor is used (SYCL 2020, 4.7.6.13).
enum class image_target : unsigned int { device, host_task };

namespace detail {

/// How the bytes of a channel are to be read.
enum class channel_type : unsigned char { unorm, sint, uint, sfloat };

struct channel_layout {
  channel_type type;
  unsigned char bytes;  // of one of the four channels
  bool known;           // false for a number that names no format
};

constexpr channel_layout layout_of(image_format format) noexcept {
  switch (format) {
    case image_format::r8g8b8a8_unorm:
    case image_format::b8g8r8a8_unorm:
      return {channel_type::unorm, 1, true};
    case image_format::r16g16b16a16_unorm:
      return {channel_type::unorm, 2, true};
    case image_format::r8g8b8a8_sint:
      return {channel_type::sint, 1, true};
    case image_format::r16g16b16a16_sint:
      return {channel_type::sint, 2, true};
    case image_format::r32b32g32a32_sint:
      return {channel_type::sint, 4, true};
    case image_format::r8g8b8a8_uint:
      return {channel_type::uint, 1, true};
    case image_format::r16g16b16a16_uint:
      return {channel_type::uint, 2, true};
    case image_format::r32b32g32a32_uint:
      return {channel_type::uint, 4, true};
    case image_format::r16b16g16a16_sfloat:
      return {channel_type::sfloat, 2, true};
    case image_format::r32g32b32a32_sfloat:
      return {channel_type::sfloat, 4, true};
  }
  return {channel_type::uint, 1, false};
}

constexpr std::size_t texel_bytes(image_format format) noexcept {
  return std::size_t{4} * layout_of(format).bytes;
}

/// For messages.
constexpr const char* name_of(image_format format) noexcept {
  switch (format) {
    case image_format::r8g8b8a8_unorm:
      return "r8g8b8a8_unorm";
    case image_format::r16g16b16a16_unorm:
      return "r16g16b16a16_unorm";
    case image_format::r8g8b8a8_sint:
      return "r8g8b8a8_sint";
    case image_format::r16g16b16a16_sint:
      return "r16g16b16a16_sint";
    case image_format::r32b32g32a32_sint:
      return "r32b32g32a32_sint";
    case image_format::r8g8b8a8_uint:
      return "r8g8b8a8_uint";
    case image_format::r16g16b16a16_uint:
      return "r16g16b16a16_uint";
    case image_format::r32b32g32a32_uint:
      return "r32b32g32a32_uint";
    case image_format::r16b16g16a16_sfloat:
      return "r16b16g16a16_sfloat";
    case image_format::r32g32b32a32_sfloat:
      return "r32g32b32a32_sfloat";
    case image_format::b8g8r8a8_unorm:
      return "b8g8r8a8_unorm";
  }
  return "unknown";
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
