// SPDX-License-Identifier: Apache-2.0
// Texture objects of the CUDA double: those over pitch-linear memory.
#include "front.hpp"

using namespace pianola::test::drivers;
using namespace pianola::test::drivers::cuda;

namespace {

[[noreturn]] void bad(const std::string& what) { violate(codes::invalid_value, what); }

// CUdevice_attribute
enum : int {
  texture_alignment = 14,
  texture_pitch_alignment = 51,
  texture_width = 70,
  texture_height = 71,
  texture_pitch = 72
};

struct channel {
  helper_channel type;
  std::uint32_t bytes;
  bool is_integer;
};

channel channel_of(int format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8_v:
      return {helper_channel::uint8, 1, true};
    case CU_AD_FORMAT_UNSIGNED_INT16_v:
      return {helper_channel::uint16, 2, true};
    case CU_AD_FORMAT_UNSIGNED_INT32_v:
      return {helper_channel::uint32, 4, true};
    case CU_AD_FORMAT_SIGNED_INT8_v:
      return {helper_channel::sint8, 1, true};
    case CU_AD_FORMAT_SIGNED_INT16_v:
      return {helper_channel::sint16, 2, true};
    case CU_AD_FORMAT_SIGNED_INT32_v:
      return {helper_channel::sint32, 4, true};
    case CU_AD_FORMAT_HALF_v:
      return {helper_channel::half, 2, false};
    case CU_AD_FORMAT_FLOAT_v:
      return {helper_channel::single, 4, false};
    default:
      bad("format " + std::to_string(format));
  }
}

helper_texture description_of(const CUDA_RESOURCE_DESC_t& where, const CUDA_TEXTURE_DESC_t& how) {
  if (where.resType != CU_RESOURCE_TYPE_PITCH2D_v)
    refuse(codes::not_supported, "the double has textures over pitch-linear memory only");
  if (where.flags != 0) bad("the resource's flags must be 0");
  const auto& p = where.res.pitch2D;
  const channel c = channel_of(p.format);
  if (p.numChannels != 1 && p.numChannels != 2 && p.numChannels != 4)
    bad(std::to_string(p.numChannels) + " channels");
  if (p.width == 0 || p.width > limit(texture_width) || p.height == 0 ||
      p.height > limit(texture_height))
    bad("a texture of " + std::to_string(p.width) + " x " + std::to_string(p.height) + " texels");
  if (p.devPtr % limit(texture_alignment) != 0) bad("the texture's memory is not aligned");
  if (p.pitchInBytes % limit(texture_pitch_alignment) != 0 ||
      p.pitchInBytes > limit(texture_pitch) || p.pitchInBytes < p.width * p.numChannels * c.bytes)
    bad("a pitch of " + std::to_string(p.pitchInBytes) + " bytes");
  constexpr unsigned known = CU_TRSF_READ_AS_INTEGER_v | CU_TRSF_NORMALIZED_COORDINATES_v;
  if ((how.flags & ~known) != 0) bad("flags " + std::to_string(how.flags));
  const bool normalized = (how.flags & CU_TRSF_NORMALIZED_COORDINATES_v) != 0;
  // Without normalised coordinates clamping is the only mode that is documented.
  for (int d = 0; d < 3; ++d) {
    if (how.addressMode[d] < 0 || how.addressMode[d] > CU_TR_ADDRESS_MODE_BORDER_v)
      bad("address mode " + std::to_string(how.addressMode[d]));
    if (!normalized && how.addressMode[d] != CU_TR_ADDRESS_MODE_CLAMP_v)
      bad("coordinates that are not normalised are clamped");
  }
  helper_texture t;
  t.as_integer = c.is_integer && ((how.flags & CU_TRSF_READ_AS_INTEGER_v) != 0 || c.bytes == 4);
  if (how.filterMode < 0 || how.filterMode > CU_TR_FILTER_MODE_LINEAR_v)
    bad("filter mode " + std::to_string(how.filterMode));
  t.linear = how.filterMode == CU_TR_FILTER_MODE_LINEAR_v;
  if (t.linear != 0 && t.as_integer != 0) bad("integers cannot be filtered");
  for (const float border : how.borderColor)
    if (border != 0) refuse(codes::not_supported, "the double's borders are 0");
  t.address = p.devPtr;
  t.pitch = p.pitchInBytes;
  t.width = static_cast<std::uint32_t>(p.width);
  t.height = static_cast<std::uint32_t>(p.height);
  t.channels = p.numChannels;
  t.channel = c.type;
  t.channel_bytes = c.bytes;
  for (int d = 0; d < 2; ++d) t.addressing[d] = static_cast<helper_addressing>(how.addressMode[d]);
  t.normalized = normalized;
  return t;
}

}  // namespace

PIANOLA_CUDA_ENTRY cuTexObjectCreate(unsigned long long* out, const CUDA_RESOURCE_DESC_t* where,
                                     const CUDA_TEXTURE_DESC_t* how, const void* view) {
  return enter("cuTexObjectCreate", [&](lock&) {
    result(out);
    if (where == nullptr || how == nullptr) bad("a description is null");
    if (view != nullptr) bad("pitch-linear memory has no resource view");
    *out = reinterpret_cast<std::uint64_t>(
        e().make_texture(current(), description_of(*where, *how))->handle);
  });
}

PIANOLA_CUDA_ENTRY cuTexObjectDestroy(unsigned long long it) {
  return enter("cuTexObjectDestroy", [&](lock&) {
    current();
    const auto kept = e().handles.get<texture>(reinterpret_cast<const void*>(it));
    e().destroy(*kept);
  });
}
