// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sycl/sycl.hpp>
#include <vector>

#include "common/image.hpp"
#include "tiles.hpp"

namespace tiled {

/// Radius of the neighbourhood that each stage reads.
constexpr std::size_t blur_radius = 2;
constexpr std::size_t gradient_radius = 1;
constexpr std::size_t threshold_radius = 0;

/// The three stages on buffers whose pages are the tiles. A stage on a tile reads the tile with its halo through a
/// ranged accessor and writes the tile: nothing else is said about what depends on what and what must move.
class pipeline {
 public:
  pipeline(const samples::gray_image& image, const tiling& t)
      : tiles_(t),
        image_(image.pixels.data(), sycl::range<2>(t.height, t.width), pages(t)),
        blurred_(sycl::range<2>(t.height, t.width), pages(t)),
        gradient_(sycl::range<2>(t.height, t.width), pages(t)),
        edges_(sycl::range<2>(t.height, t.width), pages(t)) {}

  sycl::event blur(sycl::queue& q, std::size_t tile) {
    return q.submit([&](sycl::handler& h) {
      const auto from = halo_of(image_, h, tile, blur_radius);
      const auto to = tile_of(blurred_, h, tile);
      const neighbours near(tiles_, tile, blur_radius);
      h.parallel_for(extent(tile), [=](sycl::id<2> at) {
        const std::uint32_t weight[] = {1, 4, 6, 4, 1};
        std::uint32_t sum = 128;
        for (std::size_t i = 0; i < 5; ++i)
          for (std::size_t j = 0; j < 5; ++j)
            sum += weight[i] * weight[j] * from[near.row(at[0], i)][near.column(at[1], j)];
        to[at] = static_cast<std::uint16_t>(sum / 256);
      });
    });
  }

  sycl::event gradient(sycl::queue& q, std::size_t tile) {
    return q.submit([&](sycl::handler& h) {
      const auto from = halo_of(blurred_, h, tile, gradient_radius);
      const auto to = tile_of(gradient_, h, tile);
      const neighbours near(tiles_, tile, gradient_radius);
      h.parallel_for(extent(tile), [=](sycl::id<2> at) {
        const std::size_t y = near.row(at[0], 1), up = near.row(at[0], 0),
                          down = near.row(at[0], 2);
        const std::size_t x = near.column(at[1], 1), west = near.column(at[1], 0),
                          east = near.column(at[1], 2);
        const std::int32_t horizontal = from[up][east] + 2 * from[y][east] + from[down][east] -
                                        from[up][west] - 2 * from[y][west] - from[down][west];
        const std::int32_t vertical = from[down][west] + 2 * from[down][x] + from[down][east] -
                                      from[up][west] - 2 * from[up][x] - from[up][east];
        const std::int32_t strength =
            (horizontal < 0 ? -horizontal : horizontal) + (vertical < 0 ? -vertical : vertical);
        to[at] = static_cast<std::uint16_t>(strength < 65535 ? strength : 65535);
      });
    });
  }

  sycl::event threshold(sycl::queue& q, std::size_t tile, std::uint16_t least) {
    return q.submit([&](sycl::handler& h) {
      const auto from = halo_of(gradient_, h, tile, threshold_radius);
      const auto to = tile_of(edges_, h, tile);
      h.parallel_for(extent(tile), [=](sycl::id<2> at) { to[at] = from[at] >= least ? 65535 : 0; });
    });
  }

  /// The final image; waits for what was submitted.
  samples::gray_image read() {
    const sycl::host_accessor edges(edges_, sycl::read_only);
    samples::gray_image result{tiles_.width, tiles_.height, {}};
    result.pixels.reserve(tiles_.width * tiles_.height);
    for (std::size_t y = 0; y < tiles_.height; ++y)
      for (std::size_t x = 0; x < tiles_.width; ++x) result.pixels.push_back(edges[y][x]);
    return result;
  }

 private:
  using buffer = sycl::buffer<std::uint16_t, 2>;

  static sycl::property_list pages(const tiling& t) {
    return {sycl::ext::pianola::property::buffer::page_size<2>(sycl::range<2>(t.tile, t.tile))};
  }

  sycl::range<2> extent(std::size_t tile) const {
    return {tiles_.bottom(tile) - tiles_.top(tile), tiles_.right(tile) - tiles_.left(tile)};
  }

  sycl::accessor<std::uint16_t, 2, sycl::access_mode::read> halo_of(buffer& b, sycl::handler& h,
                                                                    std::size_t tile,
                                                                    std::size_t radius) {
    const area halo = tiles_.with_halo(tile, radius);
    return sycl::accessor{b, h, sycl::range<2>(halo.bottom - halo.top, halo.right - halo.left),
                          sycl::id<2>(halo.top, halo.left), sycl::read_only};
  }

  sycl::accessor<std::uint16_t, 2, sycl::access_mode::write> tile_of(buffer& b, sycl::handler& h,
                                                                     std::size_t tile) {
    return sycl::accessor{b,
                          h,
                          extent(tile),
                          sycl::id<2>(tiles_.top(tile), tiles_.left(tile)),
                          sycl::write_only,
                          sycl::no_init};
  }

  tiling tiles_;
  buffer image_;
  buffer blurred_;
  buffer gradient_;
  buffer edges_;
};

}  // namespace tiled
