// SPDX-License-Identifier: Apache-2.0
// 4.7.3 images, 4.7.6.13 and 4.7.6.14 their accessors, 4.7.8 samplers.
// also tests: 4.7.6.13 4.7.6.14 4.7.8
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

namespace {

using sycl::access_mode;
using sycl::addressing_mode;
using sycl::coordinate_normalization_mode;
using sycl::filtering_mode;
using sycl::image_format;
using sycl::image_target;

// Bytes of an image as a function of their position.
std::vector<std::uint8_t> pattern(std::size_t bytes) {
  std::vector<std::uint8_t> result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) result[i] = static_cast<std::uint8_t>(i * 37 + 11);
  return result;
}

sycl::errc code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const sycl::exception& e) {
    EXPECT_NE(std::strlen(e.what()), 0u);
    return static_cast<sycl::errc>(e.code().value());
  }
  ADD_FAILURE() << "no exception";
  return sycl::errc::success;
}

TEST(images, tell_their_range_size_and_pitch) {
  sycl::unsampled_image<1> line(image_format::r8g8b8a8_unorm, sycl::range<1>(7));
  EXPECT_EQ(line.get_range(), sycl::range<1>(7));
  EXPECT_EQ(line.size(), 7u);
  EXPECT_EQ(line.byte_size(), 28u);

  sycl::unsampled_image<2> area(image_format::r16g16b16a16_uint, sycl::range<2>(5, 3));
  EXPECT_EQ(area.get_range(), sycl::range<2>(5, 3));
  EXPECT_EQ(area.get_pitch(), sycl::range<1>(40));
  EXPECT_EQ(area.byte_size(), 120u);

  sycl::unsampled_image<3> room(image_format::r32g32b32a32_sfloat, sycl::range<3>(4, 3, 2),
                                sycl::range<2>(80, 400));
  EXPECT_EQ(room.size(), 24u);
  EXPECT_EQ(room.get_pitch(), sycl::range<2>(80, 400));
  EXPECT_EQ(room.byte_size(), 800u);

  const std::vector<std::uint8_t> data = pattern(120);
  sycl::sampled_image<2> sampled(
      data.data(), image_format::r16g16b16a16_unorm,
      {addressing_mode::clamp, coordinate_normalization_mode::normalized, filtering_mode::linear},
      sycl::range<2>(5, 3));
  EXPECT_EQ(sampled.get_range(), sycl::range<2>(5, 3));
  EXPECT_EQ(sampled.get_pitch(), sycl::range<1>(40));
  EXPECT_EQ(sampled.size(), 15u);
}

TEST(images, are_equal_when_they_are_copies) {
  sycl::unsampled_image<1> a(image_format::r8g8b8a8_uint, sycl::range<1>(4)),
      b = a, c(image_format::r8g8b8a8_uint, sycl::range<1>(4));
  EXPECT_TRUE(a == b);
  EXPECT_TRUE(a != c);
  EXPECT_EQ(std::hash<sycl::unsampled_image<1>>()(a), std::hash<sycl::unsampled_image<1>>()(b));
}

template <class Accessor>
void are_copies(const Accessor& a, const Accessor& b) {
  EXPECT_TRUE(a == b);
  EXPECT_FALSE(a != b);
  EXPECT_EQ(std::hash<Accessor>()(a), std::hash<Accessor>()(b));
}

// 4.5.2 names the accessors of images, too.
TEST(image_accessors, are_equal_when_they_are_copies) {
  sycl::unsampled_image<1> unsampled(image_format::r32g32b32a32_sfloat, sycl::range<1>(4));
  const std::vector<float> data(16);
  sycl::sampled_image<1> sampled(
      data.data(), image_format::r32g32b32a32_sfloat,
      {addressing_mode::clamp, coordinate_normalization_mode::normalized, filtering_mode::linear},
      sycl::range<1>(4));
  {
    const sycl::host_unsampled_image_accessor<sycl::float4, 1, access_mode::read> a(unsampled),
        b = a;
    are_copies(a, b);
    const sycl::host_sampled_image_accessor<sycl::float4, 1> c(sampled), d = c;
    are_copies(c, d);
  }
  sycl::queue().submit([&](sycl::handler& h) {
    const sycl::unsampled_image_accessor<sycl::float4, 1, access_mode::read> a(unsampled, h), b = a;
    are_copies(a, b);
    const sycl::sampled_image_accessor<sycl::float4, 1> c(sampled, h), d = c;
    are_copies(c, d);
  });
}

TEST(images, have_the_properties_of_buffers) {
  std::mutex mutex;
  std::vector<std::uint8_t> data = pattern(16);
  sycl::unsampled_image<1> image(
      data.data(), image_format::r8g8b8a8_uint, sycl::range<1>(4),
      {sycl::property::image::use_host_ptr(), sycl::property::image::use_mutex(mutex)});
  EXPECT_TRUE(image.has_property<sycl::property::image::use_host_ptr>());
  EXPECT_FALSE(image.has_property<sycl::property::image::context_bound>());
  EXPECT_EQ(image.get_property<sycl::property::image::use_mutex>().get_mutex_ptr(), &mutex);
}

TEST(images, refuse_pitches_that_are_too_small_and_formats_that_are_none) {
  EXPECT_EQ(code_of([] {
              sycl::unsampled_image<2>(image_format::r8g8b8a8_uint, sycl::range<2>(8, 2),
                                       sycl::range<1>(31));
            }),
            sycl::errc::invalid);
  EXPECT_EQ(code_of([] {
              sycl::unsampled_image<3>(image_format::r8g8b8a8_uint, sycl::range<3>(8, 2, 2),
                                       sycl::range<2>(32, 63));
            }),
            sycl::errc::invalid);
  EXPECT_EQ(
      code_of([] { sycl::unsampled_image<1>(static_cast<image_format>(99), sycl::range<1>(8)); }),
      sycl::errc::invalid);
}

TEST(images, refuse_samplers_without_a_meaning) {
  const std::vector<std::uint8_t> data = pattern(16);
  for (addressing_mode mode : {addressing_mode::repeat, addressing_mode::mirrored_repeat})
    EXPECT_EQ(code_of([&] {
                sycl::sampled_image<1>(
                    data.data(), image_format::r8g8b8a8_unorm,
                    {mode, coordinate_normalization_mode::unnormalized, filtering_mode::nearest},
                    sycl::range<1>(4));
              }),
              sycl::errc::invalid);
  EXPECT_EQ(code_of([&] {
              sycl::sampled_image<1>(
                  data.data(), image_format::r8g8b8a8_sint,
                  {addressing_mode::clamp, coordinate_normalization_mode::unnormalized,
                   filtering_mode::linear},
                  sycl::range<1>(4));
            }),
            sycl::errc::invalid);
}

TEST(images, are_accessed_with_the_type_of_their_format) {
  sycl::unsampled_image<1> integers(image_format::r8g8b8a8_sint, sycl::range<1>(4));
  EXPECT_EQ(code_of([&] { (void)integers.get_host_access<sycl::float4>(); }), sycl::errc::invalid);
  EXPECT_EQ(code_of([&] { (void)integers.get_host_access<sycl::uint4>(); }), sycl::errc::invalid);
  sycl::unsampled_image<1> fractions(image_format::b8g8r8a8_unorm, sycl::range<1>(4));
  EXPECT_EQ(code_of([&] { (void)fractions.get_host_access<sycl::int4>(); }), sycl::errc::invalid);
  (void)fractions.get_host_access<sycl::half4>();
}

// Each format: a kernel copies an image of known bytes into another of the same format, all bytes arrive.
template <class Color>
void check_copy(image_format format, std::size_t texel_bytes) {
  std::vector<std::uint8_t> data = pattern(6 * 5 * texel_bytes);
  if (format == image_format::r16b16g16a16_sfloat)  // no NaN: its payload need not survive
    for (std::size_t i = 1; i < data.size(); i += 2) data[i] &= 0xbb;
  if (format == image_format::r32g32b32a32_sfloat)
    for (std::size_t i = 3; i < data.size(); i += 4) data[i] &= 0xbf;
  std::vector<std::uint8_t> result(data.size(), 1);
  {
    sycl::queue queue;
    sycl::unsampled_image<2> from(data.data(), format, sycl::range<2>(6, 5));
    sycl::unsampled_image<2> to(result.data(), format, sycl::range<2>(6, 5));
    from.set_write_back(false);
    queue.submit([&](sycl::handler& h) {
      auto in = from.template get_access<Color, access_mode::read>(h);
      auto out = to.template get_access<Color, access_mode::write>(h, {sycl::no_init});
      static_assert(decltype(in)::dimensions == 2 &&
                    decltype(out)::access_mode == access_mode::write);
      static_assert(std::is_same_v<typename decltype(in)::value_type, const Color>);
      EXPECT_EQ(in.size(), 30u);
      EXPECT_TRUE(out.template has_property<sycl::property::no_init>());
      h.parallel_for(sycl::range<2>(6, 5), [=](sycl::id<2> i) {
        const sycl::int2 at(static_cast<int>(i[0]), static_cast<int>(i[1]));
        out.write(at, in.read(at));
      });
    });
  }
  EXPECT_EQ(result, data) << "format " << static_cast<unsigned>(format);
}

TEST(image_formats, keep_every_bit_when_a_kernel_copies_texels) {
  check_copy<sycl::float4>(image_format::r8g8b8a8_unorm, 4);
  check_copy<sycl::float4>(image_format::b8g8r8a8_unorm, 4);
  check_copy<sycl::float4>(image_format::r16g16b16a16_unorm, 8);
  check_copy<sycl::float4>(image_format::r16b16g16a16_sfloat, 8);
  check_copy<sycl::float4>(image_format::r32g32b32a32_sfloat, 16);
  check_copy<sycl::half4>(image_format::r8g8b8a8_unorm, 4);
  check_copy<sycl::half4>(image_format::r16b16g16a16_sfloat, 8);
  check_copy<sycl::int4>(image_format::r8g8b8a8_sint, 4);
  check_copy<sycl::int4>(image_format::r16g16b16a16_sint, 8);
  check_copy<sycl::int4>(image_format::r32b32g32a32_sint, 16);
  check_copy<sycl::uint4>(image_format::r8g8b8a8_uint, 4);
  check_copy<sycl::uint4>(image_format::r16g16b16a16_uint, 8);
  check_copy<sycl::uint4>(image_format::r32b32g32a32_uint, 16);
}

TEST(image_formats, order_channels_and_round_to_what_they_can_hold) {
  std::uint8_t bytes[8] = {};
  {
    sycl::unsampled_image<1> image(bytes, image_format::b8g8r8a8_unorm, sycl::range<1>(2));
    sycl::host_unsampled_image_accessor<sycl::float4, 1, access_mode::read_write> access(image);
    access.write(0, sycl::float4(1.0F, 0.5F, 0.25F, 0.0F));
    access.write(1, sycl::float4(2.0F, -1.0F, NAN, 0.1F / 255.0F));
    EXPECT_EQ(access.read(0).x(), 1.0F);
    EXPECT_EQ(access.read(0).y(), 128.0F / 255.0F);
  }
  const std::uint8_t expected[8] = {64, 128, 255, 0, 0, 0, 255, 0};
  EXPECT_EQ(std::memcmp(bytes, expected, 8), 0);

  std::int8_t small[4] = {};
  {
    sycl::unsampled_image<1> image(small, image_format::r8g8b8a8_sint, sycl::range<1>(1));
    auto access = image.get_host_access<sycl::int4>();
    access.write(0, sycl::int4(1000, -1000, 5, -6));
  }
  EXPECT_EQ(small[0], 127);
  EXPECT_EQ(small[1], -128);
  EXPECT_EQ(small[2], 5);
  EXPECT_EQ(small[3], -6);
}

TEST(image_data, keeps_the_bytes_between_rows_and_slices) {
  const std::size_t row = 4 * 3 + 5, slice = row * 2 + 7;
  std::vector<std::uint8_t> data = pattern(slice * 2), before = data;
  {
    sycl::queue queue;
    sycl::unsampled_image<3> image(data.data(), image_format::r8g8b8a8_uint,
                                   sycl::range<3>(3, 2, 2), sycl::range<2>(row, slice));
    queue.submit([&](sycl::handler& h) {
      sycl::unsampled_image_accessor<sycl::uint4, 3, access_mode::write> out(image, h);
      h.parallel_for(sycl::range<3>(3, 2, 2), [=](sycl::id<3> i) {
        const int x = static_cast<int>(i[0]), y = static_cast<int>(i[1]),
                  z = static_cast<int>(i[2]);
        out.write(sycl::int4(x, y, z, 99), sycl::uint4(x, y, z, 200));
      });
    });
  }
  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t y = 0; y < 2; ++y)
      for (std::size_t x = 0; x < 3; ++x) {
        std::uint8_t* texel = &before[z * slice + y * row + x * 4];
        texel[0] = static_cast<std::uint8_t>(x);
        texel[1] = static_cast<std::uint8_t>(y);
        texel[2] = static_cast<std::uint8_t>(z);
        texel[3] = 200;
      }
  EXPECT_EQ(data, before);
}

TEST(image_data, goes_where_set_final_data_says) {
  std::vector<std::uint8_t> source = pattern(16), expected = source, target(16, 0);
  auto shared = std::shared_ptr<void>(target.data(), [](void*) {});
  {
    sycl::unsampled_image<1> image(source.data(), image_format::r8g8b8a8_uint, sycl::range<1>(4));
    image.set_final_data(std::weak_ptr<void>(shared));
    auto access = image.get_host_access<sycl::uint4, access_mode::write>();
    access.write(2, sycl::uint4(1, 2, 3, 4));
  }
  expected[8] = 1, expected[9] = 2, expected[10] = 3, expected[11] = 4;
  EXPECT_EQ(target, expected);

  // A pointer, an iterator, nowhere, and nowhere for a while.
  enum class way { pointer, iterator, nowhere, disabled, enabled_again };
  for (const way w :
       {way::pointer, way::iterator, way::nowhere, way::disabled, way::enabled_again}) {
    std::vector<std::uint8_t> there(16, 0);
    {
      sycl::unsampled_image<1> image(image_format::r8g8b8a8_uint, sycl::range<1>(4));
      if (w == way::iterator)
        image.set_final_data(reinterpret_cast<std::byte*>(there.data()));
      else
        image.set_final_data(static_cast<void*>(there.data()));
      if (w == way::nowhere) image.set_final_data();
      if (w == way::disabled || w == way::enabled_again) image.set_write_back(false);
      if (w == way::enabled_again) image.set_write_back();
      image.get_host_access<sycl::uint4, access_mode::write>().write(1, sycl::uint4(5));
    }
    EXPECT_EQ(there[4], w == way::nowhere || w == way::disabled ? 0 : 5) << static_cast<int>(w);
  }

  // A shared pointer to the data is written back only while somebody else has it, too.
  auto owned = std::shared_ptr<void>(source.data(), [](void*) {});
  {
    sycl::unsampled_image<1> image(owned, image_format::r8g8b8a8_uint, sycl::range<1>(4));
    image.get_host_access<sycl::uint4, access_mode::write>().write(0, sycl::uint4(9));
  }
  EXPECT_EQ(source[0], 9);
}

// Rows of 3 texels lie 32 bytes apart, whoever owns them.
TEST(image_data, has_the_pitch_that_constructors_of_each_kind_are_given) {
  constexpr std::size_t pitch = 32;
  std::vector<std::uint8_t> bytes(2 * pitch, 0);
  bytes[pitch + 2 * 4] = 77;  // texel (2, 1)
  const auto shared = std::shared_ptr<void>(bytes.data(), [](void*) {});
  const std::shared_ptr<const void> shared_const = shared;
  const sycl::range<2> size(3, 2);
  const sycl::range<1> rows(pitch);
  const sycl::image_sampler nearest{sycl::addressing_mode::clamp_to_edge,
                                    sycl::coordinate_normalization_mode::unnormalized,
                                    sycl::filtering_mode::nearest};
  constexpr auto format = image_format::r8g8b8a8_uint;
  const auto read_unsampled = [](auto image) {
    return image.template get_host_access<sycl::uint4, access_mode::read>().read(
        sycl::int2(2, 1))[0];
  };
  const auto read_sampled = [](auto image) {
    return image.template get_host_access<sycl::uint4>().read(sycl::float2(2.5f, 1.5f))[0];
  };
  EXPECT_EQ(read_unsampled(sycl::unsampled_image<2>(bytes.data(), format, size, rows)), 77u);
  EXPECT_EQ(read_unsampled(sycl::unsampled_image<2>(shared, format, size, rows)), 77u);
  EXPECT_EQ(
      read_unsampled(sycl::unsampled_image<2>(shared, format, size, rows, sycl::image_allocator())),
      77u);
  EXPECT_EQ(read_sampled(sycl::sampled_image<2>(bytes.data(), format, nearest, size, rows)), 77u);
  EXPECT_EQ(read_sampled(sycl::sampled_image<2>(shared_const, format, nearest, size, rows)), 77u);
}

TEST(image_accessors, work_in_host_tasks) {
  sycl::queue queue;
  sycl::unsampled_image<1> image(image_format::r32g32b32a32_sfloat, sycl::range<1>(3));
  queue.submit([&](sycl::handler& h) {
    auto out = image.get_access<sycl::float4, access_mode::write>(h);
    h.parallel_for(sycl::range<1>(3), [=](sycl::id<1> i) {
      out.write(static_cast<int>(i[0]), sycl::float4(float(i[0])));
    });
  });
  float sum = 0;
  queue.submit([&](sycl::handler& h) {
    auto in = image.get_access<sycl::float4, access_mode::read, image_target::host_task>(h);
    h.host_task([=, &sum] {
      for (int i = 0; i < 3; ++i) sum += in.read(i).w();
    });
  });
  queue.wait_and_throw();
  EXPECT_EQ(sum, 3.0F);
}

// The formulas of the OpenCL specification once more, in double and one case at a time.
struct oracle {
  std::vector<float> texels;  // four to a texel
  std::size_t range[3];
  sycl::image_sampler sampler;

  sycl::float4 texel(long x, long y, long z) const {
    const long at[3] = {x, y, z};
    for (int d = 0; d < 3; ++d)
      if (at[d] < 0 || at[d] >= static_cast<long>(range[d])) return sycl::float4(0.0F);
    const std::size_t i =
        (static_cast<std::size_t>(z) * range[1] + static_cast<std::size_t>(y)) * range[0] +
        static_cast<std::size_t>(x);
    return {texels[4 * i], texels[4 * i + 1], texels[4 * i + 2], texels[4 * i + 3]};
  }
  long address(long i, long n) const {
    switch (sampler.addressing) {
      case addressing_mode::clamp:
        return i;
      case addressing_mode::repeat:
        return ((i % n) + n) % n;
      case addressing_mode::mirrored_repeat: {
        const long m = ((i % (2 * n)) + 2 * n) % (2 * n);
        return m < n ? m : 2 * n - 1 - m;
      }
      default:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
  }
  sycl::float4 read(const float (&c)[3], int dimensions) const {
    double u[3] = {0, 0, 0};
    for (int d = 0; d < dimensions; ++d)
      u[d] = sampler.coordinate == coordinate_normalization_mode::normalized
                 ? double(c[d]) * double(range[d])
                 : double(c[d]);
    double sum[4] = {0, 0, 0, 0};
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      long i[3] = {0, 0, 0};
      for (int d = 0; d < 3; ++d) {
        if (d >= dimensions || sampler.filtering == filtering_mode::nearest) {
          if (corner >> d & 1) weight = 0;
          if (d < dimensions)
            i[d] = address(static_cast<long>(std::floor(u[d])), static_cast<long>(range[d]));
        } else {
          const double left = std::floor(u[d] - 0.5);
          const bool second = (corner >> d & 1) != 0;
          i[d] = address(static_cast<long>(left) + (second ? 1 : 0), static_cast<long>(range[d]));
          weight *= second ? u[d] - 0.5 - left : 1 - (u[d] - 0.5 - left);
        }
      }
      if (weight == 0) continue;
      const sycl::float4 t = texel(i[0], i[1], i[2]);
      for (int k = 0; k < 4; ++k) sum[k] += weight * double(t[k]);
    }
    return {float(sum[0]), float(sum[1]), float(sum[2]), float(sum[3])};
  }
};

template <int Dimensions>
auto coordinate(const float* at) {
  if constexpr (Dimensions == 1)
    return at[0];
  else if constexpr (Dimensions == 2)
    return sycl::float2(at[0], at[1]);
  else
    return sycl::float4(at[0], at[1], at[2], 0.0F);
}

template <int Dimensions>
void check_sampling(const sycl::image_sampler& sampler, sycl::range<Dimensions> range,
                    unsigned seed) {
  std::mt19937 random(seed);
  oracle expected{{}, {1, 1, 1}, sampler};
  for (int d = 0; d < Dimensions; ++d) expected.range[d] = range[d];
  expected.texels.resize(range.size() * 4);
  std::uniform_int_distribution<int> value(-8, 8);
  for (float& f : expected.texels) f = static_cast<float>(value(random));

  // Multiples of 1/64 of the size, so that float and double find the same texels; inside and outside.
  constexpr std::size_t count = 200;
  std::vector<float> points(count * 3);
  std::uniform_int_distribution<int> step(-128, 256);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float fraction = (static_cast<float>(step(random)) + 0.25F) / 64.0F;
    points[i] = sampler.coordinate == coordinate_normalization_mode::normalized
                    ? fraction
                    : fraction * static_cast<float>(expected.range[i % 3]);
  }

  sycl::sampled_image<Dimensions> image(expected.texels.data(), image_format::r32g32b32a32_sfloat,
                                        sampler, range);
  std::vector<sycl::float4> read(count);
  {
    sycl::queue queue;
    sycl::buffer<float> in(points);
    sycl::buffer<sycl::float4> out(read);
    queue.submit([&](sycl::handler& h) {
      auto texels = image.template get_access<sycl::float4>(h);
      sycl::accessor at(in, h, sycl::read_only);
      sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
        to[i] = texels.read(coordinate<Dimensions>(&at[i[0] * 3]));
      });
    });
  }
  auto on_host = image.template get_host_access<sycl::float4>();
  for (std::size_t i = 0; i < count; ++i) {
    const float at[3] = {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
    const sycl::float4 want = expected.read(at, Dimensions);
    const sycl::float4 host = on_host.read(coordinate<Dimensions>(at));
    for (int k = 0; k < 4; ++k) {
      ASSERT_NEAR(read[i][k], want[k], 1e-3F)
          << "at " << at[0] << " " << at[1] << " " << at[2] << ", addressing "
          << static_cast<int>(sampler.addressing) << ", filter "
          << static_cast<int>(sampler.filtering) << ", " << Dimensions << " dimensions, seed "
          << seed;
      ASSERT_NEAR(host[k], want[k], 1e-3F);
    }
  }
}

TEST(samplers, address_and_filter_as_specified) {
  const unsigned seed = std::random_device()();
  for (auto addressing :
       {addressing_mode::mirrored_repeat, addressing_mode::repeat, addressing_mode::clamp_to_edge,
        addressing_mode::clamp, addressing_mode::none})
    for (auto coordinates :
         {coordinate_normalization_mode::normalized, coordinate_normalization_mode::unnormalized})
      for (auto filter : {filtering_mode::nearest, filtering_mode::linear}) {
        const bool repeats =
            addressing == addressing_mode::repeat || addressing == addressing_mode::mirrored_repeat;
        if (repeats && coordinates == coordinate_normalization_mode::unnormalized) continue;
        const sycl::image_sampler sampler{addressing, coordinates, filter};
        check_sampling<1>(sampler, sycl::range<1>(8), seed);
        check_sampling<2>(sampler, sycl::range<2>(8, 4), seed + 1);
        check_sampling<3>(sampler, sycl::range<3>(4, 8, 2), seed + 2);
      }
}

TEST(samplers, filter_formats_that_are_fractions) {
  const std::uint8_t data[8] = {0, 255, 0, 255, 255, 0, 51, 255};
  sycl::sampled_image<1> image(
      data, image_format::r8g8b8a8_unorm,
      {addressing_mode::clamp_to_edge, coordinate_normalization_mode::unnormalized,
       filtering_mode::linear},
      sycl::range<1>(2));
  const sycl::float4 middle = image.get_host_access<sycl::float4>().read(1.0F);
  EXPECT_FLOAT_EQ(middle.x(), 0.5F);
  EXPECT_FLOAT_EQ(middle.y(), 0.5F);
  EXPECT_FLOAT_EQ(middle.z(), 0.1F);
  EXPECT_FLOAT_EQ(middle.w(), 1.0F);
}

}  // namespace
