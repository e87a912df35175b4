// SPDX-License-Identifier: Apache-2.0
// Images that kernels sample, beside the same images sampled by the host: through textures on the test double of CUDA's
// driver, whose coordinates have 8 bits behind the point as the hardware's have, and by arithmetic elsewhere.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <pianola/test/driver_control.hpp>

namespace {

using sycl::addressing_mode;
using sycl::coordinate_normalization_mode;
using sycl::filtering_mode;
using sycl::image_format;
using sycl::image_sampler;

constexpr auto normalized = coordinate_normalization_mode::normalized;
constexpr auto unnormalized = coordinate_normalization_mode::unnormalized;
constexpr auto nearest = filtering_mode::nearest;
constexpr auto linear = filtering_mode::linear;

// Of the double, if that is what kernels run on and they are images, which come from pianolacc.
const pianola::test::driver_control* cuda() {
#if defined(__PIANOLACC__)
  const char* devices = std::getenv("PIANOLA_DEVICES");
  const char* driver = std::getenv("PIANOLA_CUDA_DRIVER");
  if (devices == nullptr || std::string(devices) != "cuda" || driver == nullptr) return nullptr;
  void* library = dlopen(driver, RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : pianola::test::driver_control_of(library);
#else
  return nullptr;
#endif
}

class sampled_images : public ::testing::Test {
 protected:
  sampled_images() {
    if (cuda() != nullptr) before_ = cuda()->calls("cuTexObjectCreate");
  }
  // Where there are textures, so many have been made in this test.
  void expect_made(std::uint64_t n) const {
    if (cuda() != nullptr) {
      EXPECT_EQ(cuda()->calls("cuTexObjectCreate") - before_, n);
    }
  }
  static void expect_left(std::size_t n) {
    if (cuda() != nullptr) {
      EXPECT_EQ(cuda()->live("texture"), n);
    }
  }

  sycl::queue q;

 private:
  std::uint64_t before_ = 0;
};

template <int Dimensions>
auto coordinate(const sycl::float4& at) {
  if constexpr (Dimensions == 1)
    return at.x();
  else if constexpr (Dimensions == 2)
    return sycl::float2(at.x(), at.y());
  else
    return at;
}

template <class DataT, int Dimensions>
std::vector<DataT> read_by_kernel(sycl::queue& q, sycl::sampled_image<Dimensions>& image,
                                  const std::vector<sycl::float4>& points) {
  std::vector<DataT> read(points.size());
  sycl::buffer<sycl::float4> in(points);
  sycl::buffer<DataT> out(read);
  q.submit([&](sycl::handler& h) {
    auto texels = image.template get_access<DataT>(h);
    sycl::accessor at(in, h, sycl::read_only);
    sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(points.size()),
                   [=](sycl::id<1> i) { to[i] = texels.read(coordinate<Dimensions>(at[i])); });
  });
  return read;
}

// Inside, outside and right beside the edges of texels; in units of texels, or of the image.
std::vector<sycl::float4> some_points(const image_sampler& sampler, const std::size_t (&range)[3],
                                      unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> anywhere(-1.5F, 2.5F);
  std::uniform_int_distribution<int> kind(0, 3);
  std::vector<sycl::float4> points(150);
  for (sycl::float4& p : points)
    for (int d = 0; d < 3; ++d) {
      const auto size = static_cast<float>(range[d]);
      float u = anywhere(random) * size;
      switch (kind(random)) {
        case 0:
          u = std::nextafter(std::round(u), -1e9F);
          break;
        case 1:
          u = std::round(u);
          break;
        case 2:
          u = std::round(u) - 1e-3F;
          break;
        default:
          break;
      }
      p[d] = sampler.coordinate == normalized ? u / size : u;
    }
  return points;
}

std::vector<std::uint8_t> some_bytes(std::size_t n) {
  std::vector<std::uint8_t> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 + i / 7);
  return bytes;
}

constexpr addressing_mode all_modes[] = {addressing_mode::mirrored_repeat, addressing_mode::repeat,
                                         addressing_mode::clamp_to_edge, addressing_mode::clamp,
                                         addressing_mode::none};

bool has_meaning(const image_sampler& s) {
  return s.coordinate == normalized || (s.addressing != addressing_mode::repeat &&
                                        s.addressing != addressing_mode::mirrored_repeat);
}

std::string text_of(const image_sampler& s, const sycl::float4& at) {
  return "addressing " + std::to_string(int(s.addressing)) + ", normalised " +
         std::to_string(s.coordinate == normalized) + ", linear " +
         std::to_string(s.filtering == linear) + ", at " + std::to_string(at.x()) + " " +
         std::to_string(at.y()) + " " + std::to_string(at.z());
}

template <class DataT, int Dimensions>
void expect_same_as_host(sycl::queue& q, const void* texels, image_format format,
                         const image_sampler& sampler, const sycl::range<Dimensions>& range,
                         double tolerance, unsigned seed) {
  std::size_t extent[3] = {1, 1, 1};
  for (int d = 0; d < Dimensions; ++d) extent[d] = range[d];
  const std::vector<sycl::float4> points = some_points(sampler, extent, seed);
  sycl::sampled_image<Dimensions> image(texels, format, sampler, range);
  const std::vector<DataT> read = read_by_kernel<DataT>(q, image, points);
  auto on_host = image.template get_host_access<DataT>();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const DataT want = on_host.read(coordinate<Dimensions>(points[i]));
    for (int c = 0; c < 4; ++c)
      ASSERT_NEAR(double(read[i][c]), double(want[c]), tolerance)
          << text_of(sampler, points[i]) << ", channel " << c << ", format " << int(format)
          << ", seed " << seed;
  }
}

TEST_F(sampled_images, have_the_same_nearest_texels_everywhere_in_every_format) {
  struct one {
    image_format format;
    int kind;  // of float, int or uint
    std::size_t bytes;
    double tolerance;
  };
  constexpr one formats[] = {
      {image_format::r8g8b8a8_unorm, 0, 4, 1e-6},   {image_format::r16g16b16a16_unorm, 0, 8, 1e-6},
      {image_format::r8g8b8a8_sint, 1, 4, 0},       {image_format::r16g16b16a16_sint, 1, 8, 0},
      {image_format::r32b32g32a32_sint, 1, 16, 0},  {image_format::r8g8b8a8_uint, 2, 4, 0},
      {image_format::r16g16b16a16_uint, 2, 8, 0},   {image_format::r32b32g32a32_uint, 2, 16, 0},
      {image_format::r16b16g16a16_sfloat, 3, 8, 0}, {image_format::r32g32b32a32_sfloat, 0, 16, 0},
      {image_format::b8g8r8a8_unorm, 0, 4, 1e-6}};
  const unsigned seed = std::random_device()();
  std::uint64_t images = 0;
  for (const one& f : formats) {
    std::vector<std::uint8_t> bytes = some_bytes(8 * 5 * f.bytes);
    if (f.kind == 3) {
      const std::vector<sycl::half> halves(8 * 5 * 4, sycl::half(1.5F));
      std::memcpy(bytes.data(), halves.data(), bytes.size());
      for (std::size_t i = 0; i < bytes.size(); i += 2) bytes[i] = static_cast<std::uint8_t>(i);
    } else if (f.format == image_format::r32g32b32a32_sfloat) {
      for (std::size_t i = 0; i < bytes.size(); i += 4) {
        const auto value = static_cast<float>(i) * 0.37F;
        std::memcpy(&bytes[i], &value, 4);
      }
    }
    for (const addressing_mode mode : all_modes)
      for (const auto coordinates : {normalized, unnormalized}) {
        const image_sampler sampler{mode, coordinates, nearest};
        if (!has_meaning(sampler)) continue;
        const sycl::range<1> line(8);
        const sycl::range<2> area(8, 5);
        const void* const texels = bytes.data();
        if (f.kind == 1) {
          expect_same_as_host<sycl::int4>(q, texels, f.format, sampler, line, 0, seed);
          expect_same_as_host<sycl::int4>(q, texels, f.format, sampler, area, 0, seed + 1);
        } else if (f.kind == 2) {
          expect_same_as_host<sycl::uint4>(q, texels, f.format, sampler, line, 0, seed);
          expect_same_as_host<sycl::uint4>(q, texels, f.format, sampler, area, 0, seed + 1);
        } else {
          expect_same_as_host<sycl::float4>(q, texels, f.format, sampler, line, f.tolerance, seed);
          expect_same_as_host<sycl::float4>(q, texels, f.format, sampler, area, f.tolerance,
                                            seed + 1);
        }
        images += 2;
        if (HasFatalFailure()) return;
      }
  }
  q.wait();
  expect_made(images);
  expect_left(0);
}

TEST_F(sampled_images, are_filtered_as_on_the_host_but_for_the_last_bits_of_weights) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  std::vector<float> texels(8 * 4 * 2 * 4);
  std::uniform_int_distribution<int> value(-4, 4);
  for (float& f : texels) f = static_cast<float>(value(random));
  // Neighbours differ by 8 at most, and each coordinate by half of 1/256 of a texel.
  constexpr double per_dimension = 8.0 / 512 + 1e-4;
  std::uint64_t made = 0;
  for (const addressing_mode mode : all_modes)
    for (const auto coordinates : {normalized, unnormalized}) {
      const image_sampler sampler{mode, coordinates, linear};
      if (!has_meaning(sampler)) continue;
      constexpr auto format = image_format::r32g32b32a32_sfloat;
      expect_same_as_host<sycl::float4>(q, texels.data(), format, sampler, sycl::range<1>(8),
                                        per_dimension, seed);
      expect_same_as_host<sycl::float4>(q, texels.data(), format, sampler, sycl::range<2>(8, 4),
                                        2 * per_dimension, seed + 1);
      expect_same_as_host<sycl::float4>(q, texels.data(), format, sampler, sycl::range<3>(8, 4, 2),
                                        1e-4, seed + 2);
      if (HasFatalFailure()) return;
      made += mode == addressing_mode::clamp && coordinates == unnormalized ? 0 : 2;
    }
  q.wait();
  expect_made(made);
  expect_left(0);
}

TEST_F(sampled_images, of_half_and_of_fractions_are_filtered_too) {
  const image_sampler sampler{addressing_mode::clamp_to_edge, normalized, linear};
  std::vector<std::uint8_t> bytes = some_bytes(8 * 4 * 8);
  const unsigned seed = std::random_device()();
  expect_same_as_host<sycl::float4>(q, bytes.data(), image_format::r8g8b8a8_unorm, sampler,
                                    sycl::range<2>(8, 4), 1.0 / 200, seed);
  expect_same_as_host<sycl::float4>(q, bytes.data(), image_format::b8g8r8a8_unorm, sampler,
                                    sycl::range<2>(8, 4), 1.0 / 200, seed);
  expect_same_as_host<sycl::float4>(q, bytes.data(), image_format::r16g16b16a16_unorm, sampler,
                                    sycl::range<2>(8, 4), 1.0 / 200, seed);
  std::vector<sycl::half> halves(8 * 4 * 4);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<float>(i % 5) / 4;
  expect_same_as_host<sycl::half4>(q, halves.data(), image_format::r16b16g16a16_sfloat, sampler,
                                   sycl::range<2>(8, 4), 1.0 / 200, seed);
  q.wait();
  expect_made(4);
}

// What tells a texture from the arithmetic.
TEST_F(sampled_images, have_weights_of_8_bits_where_a_texture_filters_them) {
  const float texels[8] = {0, 0, 0, 0, 1024, 1024, 1024, 1024};
  sycl::sampled_image<1> image(texels, image_format::r32g32b32a32_sfloat,
                               {addressing_mode::clamp_to_edge, unnormalized, linear},
                               sycl::range<1>(2));
  const auto read = read_by_kernel<sycl::float4>(q, image, {sycl::float4(0.5F + 1.0F / 1024)});
  EXPECT_EQ(read[0].x(), cuda() != nullptr ? 0.0F : 1.0F);
}

TEST_F(sampled_images, that_no_texture_can_hold_are_sampled_all_the_same) {
  const image_sampler sampler{addressing_mode::clamp_to_edge, normalized, nearest};
  const std::vector<std::uint8_t> bytes = some_bytes(8 * 4 * 4 * 4);
  const unsigned seed = std::random_device()();
  constexpr auto format = image_format::r8g8b8a8_uint;
  // Rows that are no multiple of 32 bytes, three dimensions.
  expect_same_as_host<sycl::uint4>(q, bytes.data(), format, sampler, sycl::range<2>(5, 4), 0, seed);
  expect_same_as_host<sycl::uint4>(q, bytes.data(), format, sampler, sycl::range<3>(8, 4, 4), 0,
                                   seed);
  // More texels in a row, and more rows, than a texture has.
  const std::vector<std::uint8_t> many = some_bytes(4 * std::size_t{131073});
  expect_same_as_host<sycl::uint4>(q, many.data(), format, sampler, sycl::range<1>(131073), 0,
                                   seed);
  const std::vector<std::uint8_t> high = some_bytes(32 * std::size_t{65001});
  expect_same_as_host<sycl::uint4>(q, high.data(), format, sampler, sycl::range<2>(8, 65001), 0,
                                   seed);
  // Three dimensions of which two are 1 are three.
  expect_same_as_host<sycl::uint4>(q, bytes.data(), format, sampler, sycl::range<3>(8, 1, 1), 0,
                                   seed);
  q.wait();
  expect_made(0);
  // One row, however long it is, and as much as there can be.
  expect_same_as_host<sycl::uint4>(q, bytes.data(), format, sampler, sycl::range<1>(5), 0, seed);
  expect_same_as_host<sycl::uint4>(q, bytes.data(), format, sampler, sycl::range<2>(5, 1), 0, seed);
  expect_same_as_host<sycl::uint4>(q, many.data(), format, sampler, sycl::range<1>(131072), 0,
                                   seed);
  expect_same_as_host<sycl::uint4>(q, high.data(), format, sampler, sycl::range<2>(8, 65000), 0,
                                   seed);
  q.wait();
  expect_made(4);
  expect_left(0);
}

TEST_F(sampled_images, with_a_pitch_are_where_it_says) {
  const std::vector<std::uint8_t> bytes = some_bytes(64 * 3);
  sycl::sampled_image<2> image(bytes.data(), image_format::r8g8b8a8_uint,
                               {addressing_mode::none, unnormalized, nearest}, {5, 3},
                               sycl::range<1>(64));
  const auto read = read_by_kernel<sycl::uint4>(q, image, {sycl::float4(4.5F, 2.5F, 0, 0)});
  for (int c = 0; c < 4; ++c) EXPECT_EQ(read[0][c], bytes[2 * 64 + 4 * 4 + std::size_t(c)]);
  expect_made(1);
}

TEST_F(sampled_images, are_one_texture_however_often_they_are_sampled) {
  const std::vector<std::uint8_t> bytes = some_bytes(32 * 4);
  {
    sycl::sampled_image<2> image(bytes.data(), image_format::r8g8b8a8_uint,
                                 {addressing_mode::none, unnormalized, nearest}, {8, 4});
    for (int i = 0; i < 3; ++i) {
      const auto read = read_by_kernel<sycl::uint4>(q, image, {sycl::float4(1.5F, 2.5F, 0, 0)});
      EXPECT_EQ(read[0].x(), bytes[2 * 32 + 4]);
    }
    expect_made(1);
    expect_left(1);
  }
  q.wait();
  expect_left(0);
}

// The handle goes into a copy of the function object, which places in local memory go into as well.
TEST_F(sampled_images, are_sampled_beside_each_other_and_local_memory) {
  const std::vector<std::uint8_t> bytes = some_bytes(32 * 4);
  const image_sampler sampler{addressing_mode::clamp, unnormalized, nearest};
  constexpr auto format = image_format::r8g8b8a8_uint;
  sycl::sampled_image<2> a(bytes.data(), format, sampler, {8, 4});
  sycl::sampled_image<1> b(bytes.data() + 32, format, sampler, sycl::range<1>(8));
  sycl::sampled_image<2> none(bytes.data(), format, sampler, {5, 4});
  std::vector<unsigned> out(8, 99);
  {
    sycl::buffer<unsigned> results(out);
    q.submit([&](sycl::handler& h) {
      auto from_a = a.get_access<sycl::uint4>(h);
      auto from_b = b.get_access<sycl::uint4>(h);
      auto from_none = none.get_access<sycl::uint4>(h);
      sycl::local_accessor<unsigned> local(8, h);
      sycl::accessor to(results, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> item) {
        const auto i = item.get_local_id(0);
        const float x = static_cast<float>(i) + 0.5F;
        local[7 - i] = from_a.read(sycl::float2(x, 3.0F)).x() + 1000 * from_b.read(x).y() +
                       1000000 * from_none.read(sycl::float2(x, 0.5F)).z();
        sycl::group_barrier(item.get_group());
        to[i] = local[i];
      });
    });
  }
  for (std::size_t i = 0; i < 8; ++i) {
    const std::size_t x = 7 - i;
    EXPECT_EQ(out[i], bytes[3 * 32 + 4 * x] + 1000U * bytes[32 + 4 * x + 1] +
                          (x < 5 ? 1000000U * bytes[4 * x + 2] : 0U));
  }
  expect_made(2);
}

TEST_F(sampled_images, are_sampled_by_graphs_also_after_the_program_has_let_them_go) {
  namespace exp = sycl::ext::oneapi::experimental;
  const std::vector<std::uint8_t> first = some_bytes(32 * 4);
  std::vector<std::uint8_t> second = first;
  for (std::uint8_t& b : second) b = static_cast<std::uint8_t>(b ^ 0x5a);
  const image_sampler sampler{addressing_mode::clamp, unnormalized, nearest};
  constexpr auto format = image_format::r8g8b8a8_uint;
  const std::unique_ptr<unsigned, void (*)(unsigned*)> out(sycl::malloc_shared<unsigned>(1, q),
                                                           [](unsigned*) {});
  unsigned* const to = out.get();
  const auto record = [&](std::unique_ptr<sycl::sampled_image<2>>& image) {
    exp::command_graph graph(q.get_context(), q.get_device(),
                             {exp::property::graph::assume_buffer_outlives_graph()});
    graph.add([&](sycl::handler& h) {
      auto texels = image->get_access<sycl::uint4>(h);
      h.single_task([=] { *to = texels.read(sycl::float2(2.5F, 1.5F)).x(); });
    });
    return graph;
  };
  auto a =
      std::make_unique<sycl::sampled_image<2>>(first.data(), format, sampler, sycl::range<2>(8, 4));
  auto b = std::make_unique<sycl::sampled_image<2>>(second.data(), format, sampler,
                                                    sycl::range<2>(8, 4));
  {
    auto executable = record(a).finalize(exp::property::graph::updatable());
    for (int i = 0; i < 2; ++i) {
      *to = 0;
      q.ext_oneapi_graph(executable).wait();
      EXPECT_EQ(*to, first[32 + 8]);
    }
    expect_made(1);
    a.reset();
    expect_left(1);
    *to = 0;
    q.ext_oneapi_graph(executable).wait();
    EXPECT_EQ(*to, first[32 + 8]);

    auto other = record(b);
    executable.update(other);
    q.ext_oneapi_graph(executable).wait();
    EXPECT_EQ(*to, second[32 + 8]);
    expect_made(2);
  }
  b.reset();
  q.wait();
  expect_left(0);
  sycl::free(to, q);
}

TEST_F(sampled_images, for_which_the_driver_has_no_texture_left_are_sampled_all_the_same) {
  const float texels[8] = {0, 0, 0, 0, 1024, 1024, 1024, 1024};
  const std::vector<sycl::float4> point = {sycl::float4(0.5F + 1.0F / 1024)};
  sycl::sampled_image<1> image(texels, image_format::r32g32b32a32_sfloat,
                               {addressing_mode::clamp_to_edge, unnormalized, linear},
                               sycl::range<1>(2));
  constexpr int out_of_memory = 2;
  if (cuda() != nullptr)
    cuda()->fail("cuTexObjectCreate", pianola::test::every_call, out_of_memory);
  EXPECT_EQ(read_by_kernel<sycl::float4>(q, image, point)[0].x(), 1.0F);
  expect_left(0);
  // Perhaps there is one later.
  if (cuda() != nullptr) cuda()->fail("cuTexObjectCreate", 0, 0);
  EXPECT_EQ(read_by_kernel<sycl::float4>(q, image, point)[0].x(), cuda() != nullptr ? 0.0F : 1.0F);
  expect_left(1);
}

}  // namespace
