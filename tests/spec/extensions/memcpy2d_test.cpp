// SPDX-License-Identifier: Apache-2.0
// compiled alone: others have its short names, too.
#include <cstddef>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

constexpr std::size_t pitch = 13, width = 9, height = 6;

/// Larger than what a fill's pattern may be.
struct large {
  int first;
  char rest[500];
};

TEST(memcpy2d, copies_rows_between_host_and_device_and_leaves_the_rest) {
  sycl::queue q{sycl::property::queue::in_order()};
  std::vector<int> from(pitch * height), to(pitch * height, -1);
  std::iota(from.begin(), from.end(), 0);
  int* const device = sycl::malloc_device<int>(width * height, q);
  q.ext_oneapi_memcpy2d(device, width * sizeof(int), from.data(), pitch * sizeof(int),
                        width * sizeof(int), height);
  q.parallel_for(sycl::range<1>(width * height), [=](sycl::id<1> i) { device[i] *= 2; });
  q.ext_oneapi_copy2d(static_cast<const int*>(device), width, to.data(), pitch, width, height);
  q.wait();
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < pitch; ++x)
      ASSERT_EQ(to[y * pitch + x], x < width ? 2 * from[y * pitch + x] : -1) << y << " " << x;
  sycl::free(device, q);
}

TEST(memcpy2d, copies_within_device_memory) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const a = sycl::malloc_device<int>(pitch * height, q);
  int* const b = sycl::malloc_device<int>(width * height, q);
  q.parallel_for(sycl::range<1>(pitch * height),
                 [=](sycl::id<1> i) { a[i] = static_cast<int>(i); });
  q.ext_oneapi_memcpy2d(b, width * sizeof(int), a, pitch * sizeof(int), width * sizeof(int),
                        height);
  std::vector<int> result(width * height);
  q.copy(b, result.data(), result.size()).wait();
  for (std::size_t i = 0; i < result.size(); ++i)
    ASSERT_EQ(result[i], static_cast<int>(i / width * pitch + i % width));
  sycl::free(a, q);
  sycl::free(b, q);
}

TEST(memcpy2d, sets_and_fills_rows) {
  sycl::queue q{sycl::property::queue::in_order()};
  for (const bool on_device : {false, true}) {
    short* const data = on_device ? sycl::malloc_device<short>(pitch * height, q)
                                  : sycl::malloc_shared<short>(pitch * height, q);
    q.fill(data, short{-1}, pitch * height);
    q.ext_oneapi_fill2d(data, pitch, short{77}, width, height);
    q.ext_oneapi_memset2d(data, pitch * sizeof(short), 0, 2 * sizeof(short), height);
    std::vector<short> result(pitch * height);
    q.copy(data, result.data(), result.size()).wait();
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < pitch; ++x)
        ASSERT_EQ(result[y * pitch + x], x < 2 ? 0 : x < width ? 77 : -1) << y << " " << x;
    sycl::free(data, q);
  }
}

TEST(memcpy2d, fills_rows_of_large_objects) {
  sycl::queue q{sycl::property::queue::in_order()};
  large* const data = sycl::malloc_shared<large>(3 * 4, q);
  for (int i = 0; i < 12; ++i) data[i].first = -1;
  q.ext_oneapi_fill2d(data, 4, large{8, {}}, 3, 3).wait();
  for (int i = 0; i < 12; ++i) EXPECT_EQ(data[i].first, i % 4 < 3 ? 8 : -1);
  sycl::free(data, q);
}

TEST(memcpy2d, waits_for_events_and_works_in_command_groups) {
  sycl::queue q;
  int* const a = sycl::malloc_shared<int>(pitch * height, q);
  int* const b = sycl::malloc_shared<int>(pitch * height, q);
  const sycl::event zero = q.memset(b, 0, pitch * height * sizeof(int));
  const sycl::event filled = q.ext_oneapi_fill2d(a, pitch, 5, pitch, height);
  const sycl::event copied = q.ext_oneapi_copy2d(a, pitch, b, pitch, width, height, {zero, filled});
  q.submit([&](sycl::handler& h) {
     h.depends_on(copied);
     h.ext_oneapi_memset2d(b, pitch * sizeof(int), 0, sizeof(int), height);
   }).wait();
  EXPECT_EQ(b[0], 0);
  EXPECT_EQ(b[1], 5);
  EXPECT_EQ(b[pitch - 1], 0);
  q.ext_oneapi_memcpy2d(a, 4, b, 4, 0, 10, copied).wait();
  q.ext_oneapi_memset2d(nullptr, 4, 0, 4, 0).wait();
  sycl::free(a, q);
  sycl::free(b, q);
}

TEST(memcpy2d, refuses_rows_that_overlap_and_null_pointers) {
  sycl::queue q;
  int data[4] = {};
  EXPECT_EQ(error_code_of([&] { q.ext_oneapi_memcpy2d(data, 4, data, 8, 8, 1); }),
            sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.ext_oneapi_memcpy2d(data, 8, data, 4, 8, 1); }),
            sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.ext_oneapi_memset2d(data, 4, 0, 8, 1); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.ext_oneapi_fill2d(data, 1, 0, 2, 1); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.ext_oneapi_memcpy2d(nullptr, 8, data, 8, 8, 1); }),
            sycl::errc::invalid);
}

}  // namespace
