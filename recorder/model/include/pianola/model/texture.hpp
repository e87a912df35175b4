// SPDX-License-Identifier: Apache-2.0
// What a kernel's function object says of an image that a texture unit may sample. Whoever has such units puts
// a handle there when the command is instantiated; all others leave it alone, and the kernel samples by itself.
#pragma once
#include <cstdint>

namespace pianola::model {

// Of each of the four channels. The `unorm` ones are read as floating-point numbers from 0 to 1.
enum class texel_type : std::uint8_t {
  uint8,
  uint16,
  uint32,
  sint8,
  sint16,
  sint32,
  unorm8,
  unorm16,
  float16,
  float32
};

[[nodiscard]] constexpr std::uint32_t texel_bytes(texel_type t) noexcept {
  switch (t) {
    case texel_type::uint8:
    case texel_type::sint8:
    case texel_type::unorm8:
      return 4;
    case texel_type::uint16:
    case texel_type::sint16:
    case texel_type::unorm16:
    case texel_type::float16:
      return 8;
    default:
      return 16;
  }
}

[[nodiscard]] constexpr bool is_read_as_integer(texel_type t) noexcept {
  return t <= texel_type::sint32;
}

// Of coordinates outside of the image. border: all channels are 0.
enum class texture_addressing : std::uint8_t { clamp, border, repeat, mirror };

// No padding: it is compared, and lies in function objects.
struct texture_description {
  std::uint64_t row_pitch = 0;  // bytes
  std::uint32_t width = 0;      // texels
  std::uint32_t height = 0;
  texel_type type = texel_type::unorm8;
  texture_addressing addressing = texture_addressing::clamp;
  bool linear = false;      // filtered; else the nearest texel
  bool normalized = false;  // coordinates from 0 to 1; else from 0 to width and height
  std::uint32_t reserved = 0;

  friend constexpr bool operator==(const texture_description& a,
                                   const texture_description& b) noexcept {
    return a.row_pitch == b.row_pitch && a.width == b.width && a.height == b.height &&
           a.type == b.type && a.addressing == b.addressing && a.linear == b.linear &&
           a.normalized == b.normalized;
  }
  friend constexpr bool operator!=(const texture_description& a,
                                   const texture_description& b) noexcept {
    return !(a == b);
  }
};

inline constexpr std::uint64_t no_texture = ~std::uint64_t{0};

// Lies in the function object at a multiple of 8 bytes.
struct texture_argument {
  std::uint64_t marker = 0;  // by which it is found; 0: nothing is asked for
  std::uint64_t handle = no_texture;
  void* texels = nullptr;  // a copy of the accessor's pointer, patched as that is
  texture_description description;
};
static_assert(sizeof(texture_argument) == 48);

}  // namespace pianola::model
