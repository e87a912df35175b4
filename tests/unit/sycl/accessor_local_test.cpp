// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>
#include <type_traits>
#include <vector>

#include "expect_error.hpp"

namespace {

TEST(local_accessor, is_shared_by_the_items_of_a_group_only) {
  sycl::queue q;
  std::vector<int> v(32);
  {
    sycl::buffer<int> b(v);
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
      sycl::local_accessor<int> row{8, g};
      sycl::local_accessor<int, 0> first{g};
      g.parallel_for(sycl::nd_range<1>(32, 8), [=](sycl::nd_item<1> i) {
        const auto l = i.get_local_id(0);
        row[l] = static_cast<int>(i.get_global_id(0));
        if (l == 0) first = 1000 * static_cast<int>(i.get_group(0));
        sycl::group_barrier(i.get_group());
        a[i.get_global_id()] = row[7 - l] + first;
      });
    });
  }
  for (int i = 0; i < 32; ++i) EXPECT_EQ(v[i], i / 8 * 8 + 7 - i % 8 + 1000 * (i / 8));
}

TEST(local_accessor, of_several_dimensions_is_row_major) {
  sycl::queue q;
  std::vector<int> v(24);
  {
    sycl::buffer<int> b(v);
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
      sycl::local_accessor<char> odd{3, g};  // what follows must still be aligned
      sycl::local_accessor<int, 3> cube{{2, 3, 4}, g};
      EXPECT_EQ(cube.size(), 24U);
      EXPECT_EQ(cube.byte_size(), 96U);
      EXPECT_EQ(cube.get_range(), sycl::range<3>(2, 3, 4));
      g.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
        odd[2] = 1;
        for (std::size_t x = 0; x < 2; ++x)
          for (std::size_t y = 0; y < 3; ++y)
            for (std::size_t z = 0; z < 4; ++z)
              cube[x][y][z] = static_cast<int>(100 * x + 10 * y + z);
        const sycl::local_accessor<const int, 3> read = cube;
        std::size_t n = 0;
        for (const int value : read) {
          a[n] = value == read[{n / 12, n / 4 % 3, n % 4}] ? value : -1;
          ++n;
        }
      });
    });
  }
  EXPECT_EQ(v[0], 0);
  EXPECT_EQ(v[23], 123);
  EXPECT_EQ(v[12 + 4 + 2], 112);
}

TEST(local_accessor, larger_than_memory_is_refused) {
  sycl::queue q;
  q.submit([&](sycl::handler& g) {
    EXPECT_EQ(error_code_of([&] { sycl::local_accessor<int> l{std::size_t{1} << 40, g}; }),
              sycl::errc::memory_allocation);
    g.single_task([] {});
  });
}

}  // namespace
