// SPDX-License-Identifier: Apache-2.0
// What a sampler makes of a coordinate: plain arithmetic, the same on every device, for all that texture units
// (texture.hpp) do not do.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/image/image_sampler.hpp>
#include <sycl/image/texel.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// The two texels around a coordinate in one dimension, -1 for the border, and the weight of the second.
struct neighbours {
  std::int64_t first;
  std::int64_t second;
  float weight;
};

inline std::int64_t clamp_index(std::int64_t index, std::int64_t low, std::int64_t high) noexcept {
  return index < low ? low : index > high ? high : index;
}

/// Converts without undefined behaviour; NaN becomes 0.
inline std::int64_t to_index(float whole) noexcept {
  if (!(whole > -1.0e9F)) return whole == whole ? -1000000000 : 0;
  return whole < 1.0e9F ? static_cast<std::int64_t>(whole) : 1000000000;
}

/// `coordinate` of a dimension with `size` texels; the second neighbour and the weight only matter for linear
/// filtering. The formulas are those of the OpenCL specification, "Image addressing and filtering", which
/// SYCL's samplers go back to.
inline neighbours locate(float coordinate, std::size_t size,
                         const image_sampler& sampler) noexcept {
  const auto last = static_cast<std::int64_t>(size) - 1;
  const auto extent = static_cast<float>(size);
  float u = coordinate;
  if (sampler.addressing == addressing_mode::repeat) {
    u = (coordinate - __builtin_floorf(coordinate)) * extent;
  } else if (sampler.addressing == addressing_mode::mirrored_repeat) {
    const float nearest_even = 2.0F * __builtin_rintf(0.5F * coordinate);
    u = __builtin_fabsf(coordinate - nearest_even) * extent;
  } else if (sampler.coordinate == coordinate_normalization_mode::normalized) {
    u = coordinate * extent;
  }

  neighbours found{};
  if (sampler.filtering == filtering_mode::nearest) {
    found.first = to_index(__builtin_floorf(u));
    found.second = found.first;
  } else {
    const float left = __builtin_floorf(u - 0.5F);
    found.first = to_index(left);
    found.second = found.first + 1;
    found.weight = u - 0.5F - left;
  }

  switch (sampler.addressing) {
    case addressing_mode::repeat:
      if (sampler.filtering == filtering_mode::nearest) {
        if (found.first > last) found.first -= last + 1;
      } else {
        if (found.first < 0) found.first += last + 1;
        if (found.second > last) found.second -= last + 1;
      }
      break;
    case addressing_mode::clamp:
      if (found.first < 0 || found.first > last) found.first = -1;
      if (found.second < 0 || found.second > last) found.second = -1;
      return found;
    default:
      break;
  }
  found.first = clamp_index(found.first, 0, last);
  found.second = clamp_index(found.second, 0, last);
  return found;
}

/// Transparent black for the border (an index of -1): all formats have an alpha channel.
template <class DataT>
inline DataT fetch(const std::byte* texels, const image_shape& shape, std::int64_t x,
                   std::int64_t y, std::int64_t z) noexcept {
  if (x < 0 || y < 0 || z < 0) return DataT(element_type_t<DataT>(0));
  return read_texel<DataT>(
      texels + shape.offset(static_cast<std::size_t>(x), static_cast<std::size_t>(y),
                            static_cast<std::size_t>(z)),
      shape.format);
}

template <class DataT, int Dimensions>
inline DataT sample(const std::byte* texels, const image_shape& shape, const image_sampler& sampler,
                    const float (&coordinates)[3]) noexcept {
  neighbours at[3] = {};
  for (int d = 0; d < Dimensions; ++d) at[d] = locate(coordinates[d], shape.range[d], sampler);
  if (sampler.filtering == filtering_mode::nearest)
    return fetch<DataT>(texels, shape, at[0].first, at[1].first, at[2].first);

  // Only formats that are read as floating-point numbers are filtered.
  float sum[4] = {0.0F, 0.0F, 0.0F, 0.0F};
  for (int corner = 0; corner < (1 << Dimensions); ++corner) {
    float weight = 1.0F;
    std::int64_t index[3] = {0, 0, 0};
    for (int d = 0; d < Dimensions; ++d) {
      const bool second = ((corner >> d) & 1) != 0;
      index[d] = second ? at[d].second : at[d].first;
      weight *= second ? at[d].weight : 1.0F - at[d].weight;
    }
    const auto texel = fetch<vec<float, 4>>(texels, shape, index[0], index[1], index[2]);
    sum[0] += weight * texel.x();
    sum[1] += weight * texel.y();
    sum[2] += weight * texel.z();
    sum[3] += weight * texel.w();
  }
  using element = element_type_t<DataT>;
  return DataT(static_cast<element>(sum[0]), static_cast<element>(sum[1]),
               static_cast<element>(sum[2]), static_cast<element>(sum[3]));
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
