// SPDX-License-Identifier: Apache-2.0
// 3.11: multi-dimensional objects are linear in memory with the last dimension fastest, whoever looks at them.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <numeric>
#include <vector>

namespace {

TEST(linearization, of_items_buffers_and_subscripts_is_row_major) {
  sycl::queue q;
  const sycl::range<3> range(3, 4, 5);
  std::vector<int> data(range.size());
  std::iota(data.begin(), data.end(), 0);
  int* const wrong = sycl::malloc_shared<int>(range.size(), q);
  sycl::buffer<int, 3> b(data.data(), range);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_only);
    h.parallel_for(range, [=](sycl::item<3> it) {
      const size_t x = it.get_id(0), y = it.get_id(1), z = it.get_id(2);
      const size_t linear = z + y * range[2] + x * range[1] * range[2];
      int errors = it.get_linear_id() != linear;
      errors += a[it] != static_cast<int>(linear);
      errors += a[sycl::id<3>(x, y, z)] != static_cast<int>(linear);
      errors += a[x][y][z] != static_cast<int>(linear);
      wrong[linear] = errors;
    });
  });
  q.wait();
  for (size_t i = 0; i < range.size(); ++i) EXPECT_EQ(wrong[i], 0) << i;
  sycl::free(wrong, q);
}

TEST(linearization, of_groups_and_local_memory_is_row_major) {
  sycl::queue q;
  constexpr size_t n = 4 * 6;
  int* const wrong = sycl::malloc_shared<int>(n, q);
  q.submit([&](sycl::handler& h) {
    sycl::local_accessor<int, 2> local(sycl::range<2>(2, 3), h);
    h.parallel_for(sycl::nd_range<2>({4, 6}, {2, 3}), [=](sycl::nd_item<2> it) {
      local[it.get_local_id()] = static_cast<int>(it.get_local_linear_id());
      sycl::group_barrier(it.get_group());
      const auto flat = local.get_multi_ptr<sycl::access::decorated::no>();
      int errors = flat[it.get_local_linear_id()] != static_cast<int>(it.get_local_linear_id());
      errors += it.get_local_linear_id() != it.get_local_id(0) * 3 + it.get_local_id(1);
      errors += it.get_group_linear_id() != it.get_group(0) * 2 + it.get_group(1);
      errors += it.get_global_linear_id() != it.get_global_id(0) * 6 + it.get_global_id(1);
      wrong[it.get_global_linear_id()] = errors;
    });
  });
  q.wait();
  for (size_t i = 0; i < n; ++i) EXPECT_EQ(wrong[i], 0) << i;
  sycl::free(wrong, q);
}

}  // namespace
