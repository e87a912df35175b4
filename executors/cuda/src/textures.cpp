// SPDX-License-Identifier: Apache-2.0
// Texture objects over device memory that stays what it is: rows of texels, one pitch apart.
#include <pianola/gpu/driver_calls.hpp>

#include "cuda_driver.hpp"

namespace pianola::cuda {

using gpu::code;
using gpu::within;
using model::texel_type;
using model::texture_addressing;
using model::texture_description;

namespace {

constexpr unsigned channels = 4;

array_format format_of(texel_type t) noexcept {
  switch (t) {
    case texel_type::uint8:
    case texel_type::unorm8:
      return format_uint8;
    case texel_type::uint16:
    case texel_type::unorm16:
      return format_uint16;
    case texel_type::uint32:
      return format_uint32;
    case texel_type::sint8:
      return format_sint8;
    case texel_type::sint16:
      return format_sint16;
    case texel_type::sint32:
      return format_sint32;
    case texel_type::float16:
      return format_half;
    case texel_type::float32:
      break;
  }
  return format_float;
}

address_mode mode_of(texture_addressing a) noexcept {
  switch (a) {
    case texture_addressing::border:
      return address_border;
    case texture_addressing::repeat:
      return address_wrap;
    case texture_addressing::mirror:
      return address_mirror;
    case texture_addressing::clamp:
      break;
  }
  return address_clamp;
}

// A single row may be followed by anything, so its pitch is any that the hardware likes.
std::uint64_t pitch_of(const texture_description& d, std::uint64_t alignment) noexcept {
  if (d.height != 1) return d.row_pitch;
  const std::uint64_t row = std::uint64_t{d.width} * texel_bytes(d.type);
  return (row + alignment - 1) / alignment * alignment;
}

}  // namespace

cuda_driver::texture_limits cuda_driver::ask_for_texture_limits(ordinal native) const noexcept {
  const functions& call = library_.call;
  if (call.cuTexObjectCreate == nullptr || call.cuTexObjectDestroy == nullptr) return {};
  texture_limits limits;
  bool all = true;
  const auto ask = [&](attribute what, std::uint32_t& out) {
    int value = 0;
    all = all && call.cuDeviceGetAttribute(&value, what, native) == success && value > 0;
    out = static_cast<std::uint32_t>(value);
  };
  ask(texture_alignment, limits.alignment);
  ask(texture_pitch_alignment, limits.pitch_alignment);
  ask(maximum_texture2d_linear_width, limits.width);
  ask(maximum_texture2d_linear_height, limits.height);
  ask(maximum_texture2d_linear_pitch, limits.pitch);
  return all ? limits : texture_limits();
}

bool cuda_driver::has_texture(std::uint32_t device, const void* texels,
                              const texture_description& d) const noexcept {
  const texture_limits& limits = states_[device]->textures;
  if (limits.alignment == 0 || d.width == 0 || d.height == 0) return false;
  // The driver's interface promises clamping alone for coordinates that are not normalised.
  if (!d.normalized && d.addressing != texture_addressing::clamp) return false;
  if (d.linear && is_read_as_integer(d.type)) return false;
  const std::uint64_t pitch = pitch_of(d, limits.pitch_alignment);
  return reinterpret_cast<std::uintptr_t>(texels) % limits.alignment == 0 &&
         pitch % limits.pitch_alignment == 0 && pitch <= limits.pitch &&
         pitch >= std::uint64_t{d.width} * texel_bytes(d.type) && d.width <= limits.width &&
         d.height <= limits.height;
}

code cuda_driver::make_texture(std::uint32_t device, void* texels, const texture_description& d,
                               std::uint64_t& out) noexcept {
  resource_description where{};
  where.resType = resource_pitch_2d;
  where.res.pitch2D.devPtr = reinterpret_cast<address>(texels);
  where.res.pitch2D.format = format_of(d.type);
  where.res.pitch2D.numChannels = channels;
  where.res.pitch2D.width = d.width;
  where.res.pitch2D.height = d.height;
  where.res.pitch2D.pitchInBytes = pitch_of(d, states_[device]->textures.pitch_alignment);
  texture_parameters how{};
  for (address_mode& mode : how.addressMode) mode = mode_of(d.addressing);
  how.filterMode = d.linear ? filter_linear : filter_point;
  how.flags = (is_read_as_integer(d.type) ? texture_read_as_integer : 0) |
              (d.normalized ? texture_normalized_coordinates : 0);
  texture_object made = 0;
  const result code = within<in_context>(*this, device, library_.call.cuTexObjectCreate, &made,
                                         static_cast<const resource_description*>(&where),
                                         static_cast<const texture_parameters*>(&how), nullptr);
  if (code == success) out = made;
  return code;
}

void cuda_driver::destroy_texture(std::uint32_t device, std::uint64_t texture) noexcept {
  (void)within<in_context>(*this, device, library_.call.cuTexObjectDestroy,
                           static_cast<texture_object>(texture));
}

}  // namespace pianola::cuda
