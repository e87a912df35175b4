// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <sycl/sycl.hpp>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

TEST(host_accessor, sees_what_kernels_wrote_and_they_see_what_it_wrote) {
  sycl::queue q;
  sycl::buffer<int> b{4};
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
    g.parallel_for(4, [=](sycl::id<1> i) { a[i] = static_cast<int>(i[0]); });
  });
  {
    const sycl::host_accessor h{b};
    EXPECT_EQ(h[3], 3);
    h[3] = 30;
  }
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g};
    g.parallel_for(4, [=](sycl::id<1> i) { a[i] += 1; });
  });
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[3], 31);
}

TEST(host_accessor, holds_later_commands_up_until_its_last_copy_is_gone) {
  sycl::queue q;
  sycl::buffer<int> b{1};
  std::atomic<bool> started{false};
  auto h = std::make_unique<sycl::host_accessor<int>>(b);
  auto copy = std::make_unique<sycl::host_accessor<int>>(*h);
  (*h)[0] = 1;
  const sycl::event e = q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g, sycl::read_write_host_task};
    g.host_task([=, &started] {
      started = true;
      a[0] += 1;
    });
  });
  h.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(started);
  (*copy)[0] = 10;
  copy.reset();
  q.wait();
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 11);
}

TEST(host_accessor, several_readers_do_not_wait_for_each_other) {
  sycl::buffer<int> b{2};
  {
    const sycl::host_accessor w{b, sycl::write_only, sycl::no_init};
    w[0] = w[1] = 4;
  }
  const sycl::host_accessor x{b, sycl::read_only};
  const sycl::host_accessor y{b, sycl::read_only};
  EXPECT_EQ(x[0], y[1]);
  EXPECT_TRUE(x != y);
}

TEST(host_accessor, keeps_the_storage_of_a_buffer_that_goes_first) {
  std::unique_ptr<sycl::host_accessor<int>> h;
  {
    sycl::buffer<int> b{3};
    h = std::make_unique<sycl::host_accessor<int>>(b, sycl::no_init);
  }
  (*h)[2] = 7;
  EXPECT_EQ((*h)[2], 7);
}

TEST(host_accessor, of_zero_dimensions_reads_and_writes) {
  std::vector<int> v{3, 4};
  sycl::buffer<int> b(v);
  const sycl::host_accessor<int, 0> h{b};
  h = 5;
  const int read = h;
  EXPECT_EQ(read, 5);
}

TEST(host_accessor, deduces_and_converts) {
  sycl::buffer<int, 2> b{{2, 2}};
  using sycl::access_mode;
  static_assert(std::is_same<decltype(sycl::host_accessor(b)), sycl::host_accessor<int, 2>>::value);
  static_assert(std::is_same<decltype(sycl::host_accessor(b, sycl::read_only)),
                             sycl::host_accessor<int, 2, access_mode::read>>::value);
  static_assert(std::is_same<decltype(b.get_host_access(sycl::write_only, sycl::no_init)),
                             sycl::host_accessor<int, 2, access_mode::write>>::value);
  static_assert(std::is_same<decltype(b.get_host_access(sycl::range{1, 1}, sycl::id{0, 1})),
                             sycl::host_accessor<int, 2>>::value);
  static_assert(
      std::is_convertible<sycl::host_accessor<int, 2>, sycl::host_accessor<const int, 2>>::value);
  static_assert(
      !std::is_convertible<sycl::host_accessor<const int, 2>, sycl::host_accessor<int, 2>>::value);
  const sycl::host_accessor w{b};
  w[1][0] = 6;
  const sycl::host_accessor<const int, 2> r = w;
  EXPECT_EQ((r[{1, 0}]), 6);
}

}  // namespace
