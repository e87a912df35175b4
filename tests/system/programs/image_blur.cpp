// SPDX-License-Identifier: Apache-2.0
// A blur of a picture through a sampler, then its gradient through unsampled images.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace sycl;

constexpr int width = 37, height = 23;
constexpr std::array<float, 9> weights{1 / 16.f, 2 / 16.f, 1 / 16.f, 2 / 16.f, 4 / 16.f,
                                       2 / 16.f, 1 / 16.f, 2 / 16.f, 1 / 16.f};

int main() {
  std::vector<float4> picture(width * height), edges(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      picture[static_cast<size_t>(y * width + x)] =
          float4(static_cast<float>(x), static_cast<float>(y), static_cast<float>((x * y) % 11), 1);
  queue q;
  if (!q.get_device().has(aspect::image)) {
    std::puts("the device has no images");
    return 0;
  }
  unsampled_image<2> blurred(image_format::r32g32b32a32_sfloat, range<2>(width, height));
  {
    sampled_image<2> source(
        picture.data(), image_format::r32g32b32a32_sfloat,
        image_sampler{addressing_mode::clamp_to_edge, coordinate_normalization_mode::unnormalized,
                      filtering_mode::linear},
        range<2>(width, height));
    q.submit([&](handler& h) {
      sampled_image_accessor<float4, 2, image_target::device> in{source, h};
      unsampled_image_accessor<float4, 2, access_mode::write, image_target::device> out{blurred, h};
      h.parallel_for(range<2>(height, width), [=](item<2> it) {
        const int x = static_cast<int>(it[1]), y = static_cast<int>(it[0]);
        float4 sum{0};
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            sum += weights[static_cast<size_t>((dy + 1) * 3 + dx + 1)] *
                   in.read(float2(static_cast<float>(x + dx) + 0.5f,
                                  static_cast<float>(y + dy) + 0.5f));
        out.write(int2{x, y}, sum);
      });
    });
  }
  {
    unsampled_image<2> result(edges.data(), image_format::r32g32b32a32_sfloat,
                              range<2>(width, height));
    q.submit([&](handler& h) {
      auto in = blurred.get_access<float4, access_mode::read>(h);
      auto out = result.get_access<float4, access_mode::write>(h);
      h.parallel_for(range{height, width}, [=](id<2> i) {
        const int2 here(static_cast<int>(i[1]), static_cast<int>(i[0]));
        const int2 right = sycl::min(here + int2{1, 0}, int2{width - 1, height - 1});
        const int2 below = sycl::min(here + int2{0, 1}, int2{width - 1, height - 1});
        const float4 center = in.read(here);
        out.write(here, fabs(in.read(right) - center) + fabs(in.read(below) - center));
      });
    });
  }

  const auto source = [&](int x, int y) {
    return picture[static_cast<size_t>(std::clamp(y, 0, height - 1) * width +
                                       std::clamp(x, 0, width - 1))];
  };
  const auto blur = [&](int x, int y) {
    x = std::min(x, width - 1);
    y = std::min(y, height - 1);
    float4 sum{0};
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        sum += weights[static_cast<size_t>((dy + 1) * 3 + dx + 1)] * source(x + dx, y + dy);
    return sum;
  };
  int wrong = 0;
  host_unsampled_image_accessor<float4, 2, access_mode::read> host(blurred);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float4 edge = fabs(blur(x + 1, y) - blur(x, y)) + fabs(blur(x, y + 1) - blur(x, y));
      const float4 off = fabs(edge - edges[static_cast<size_t>(y * width + x)]);
      const float4 off_blur = fabs(host.read(int2(x, y)) - blur(x, y));
      wrong += any(off > 1e-3f) || any(off_blur > 1e-3f);
    }
  if (wrong) std::printf("image_blur: %d wrong texels\n", wrong);
  return wrong ? 1 : 0;
}
