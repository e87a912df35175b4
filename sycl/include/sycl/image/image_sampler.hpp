// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// What a coordinate outside of the image stands for (SYCL 2020, 4.7.8). With `none` it must not occur; it
/// then reads the nearest texel of the edge.
enum class addressing_mode : unsigned char { mirrored_repeat, repeat, clamp_to_edge, clamp, none };

enum class filtering_mode : unsigned char { nearest, linear };

/// Coordinates from 0 to 1, or from 0 to the image's range.
enum class coordinate_normalization_mode : unsigned char { normalized, unnormalized };

struct image_sampler {
  addressing_mode addressing;
  coordinate_normalization_mode coordinate;
  filtering_mode filtering;

  friend constexpr bool operator==(const image_sampler& a, const image_sampler& b) noexcept {
    return a.addressing == b.addressing && a.coordinate == b.coordinate &&
           a.filtering == b.filtering;
  }
  friend constexpr bool operator!=(const image_sampler& a, const image_sampler& b) noexcept {
    return !(a == b);
  }
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
