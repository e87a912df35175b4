// SPDX-License-Identifier: Apache-2.0
// 3.5: the platform model. 3.6, 4.1: backends, which share memory objects between them.
// also tests: 3.6 4.1
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <set>
#include <type_traits>
#include <vector>

namespace {

TEST(platform_model, has_every_device_in_one_platform) {
  std::vector<sycl::device> all = sycl::device::get_devices();
  ASSERT_FALSE(all.empty());
  std::size_t in_platforms = 0;
  for (const sycl::platform& p : sycl::platform::get_platforms())
    for (const sycl::device& d : p.get_devices()) {
      EXPECT_EQ(d.get_platform(), p);
      EXPECT_EQ(std::count(all.begin(), all.end(), d), 1);
      ++in_platforms;
    }
  EXPECT_EQ(in_platforms, all.size());
}

TEST(platform_model, has_compute_units_in_devices) {
  for (const sycl::device& d : sycl::device::get_devices()) {
    EXPECT_GE(d.get_info<sycl::info::device::max_compute_units>(), 1u);
    EXPECT_GE(d.get_info<sycl::info::device::max_work_group_size>(), 1u);
  }
}

// Memory of a context is seen by all its devices.
TEST(platform_model, lets_devices_of_one_context_see_its_memory) {
  const sycl::context all(sycl::device().get_platform().get_devices());
  const std::vector<sycl::device> devices = all.get_devices();
  sycl::buffer<int, 1> b(sycl::range<1>(16));
  for (const sycl::device& d : devices) {
    sycl::queue q(all, d);
    EXPECT_EQ(q.get_context(), all);
    EXPECT_EQ(q.get_device(), d);
    const bool first = d == devices.front();
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for(16, [=](sycl::id<1> i) { a[i] = first ? 1 : a[i] + 1; });
    });
  }
  EXPECT_EQ(b.get_host_access()[15], static_cast<int>(devices.size()));
}

TEST(backend_model, gives_each_platform_one_backend_and_all_of_it_the_same) {
  static_assert(std::is_enum_v<sycl::backend> && !std::is_convertible_v<sycl::backend, int>);
  std::set<sycl::backend> backends;
  for (const sycl::platform& p : sycl::platform::get_platforms()) {
    backends.insert(p.get_backend());
    for (const sycl::device& d : p.get_devices()) {
      EXPECT_EQ(d.get_backend(), p.get_backend());
      EXPECT_EQ(sycl::context(d).get_backend(), p.get_backend());
      sycl::queue q(d);
      EXPECT_EQ(q.get_backend(), p.get_backend());
      EXPECT_EQ(q.single_task([] {}).get_backend(), p.get_backend());
      q.wait();
    }
  }
  EXPECT_FALSE(backends.empty());
}

// Which backends a program is built with is told by macros, an extension's by macros with its vendor's name.
#if !defined(SYCL_EXT_PIANOLA_BACKEND_OPENMP) || !defined(SYCL_EXT_PIANOLA_BACKEND_SIMULATED) || \
    !defined(SYCL_EXT_PIANOLA_BACKEND_CUDA) || !defined(SYCL_EXT_PIANOLA_BACKEND_HIP)
#error "a backend has no macro"
#endif
#if defined(SYCL_BACKEND_OPENCL)
#error "there is no such backend"
#endif

TEST(backend_model, moves_memory_objects_between_devices_of_all_backends) {
  const std::vector<sycl::device> devices = sycl::device::get_devices();
  sycl::buffer<int, 1> b(sycl::range<1>(32));
  {
    sycl::host_accessor a(b, sycl::write_only, sycl::no_init);
    for (std::size_t i = 0; i < 32; ++i) a[i] = static_cast<int>(i);
  }
  for (const sycl::device& d : devices)
    sycl::queue(d).submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for(32, [=](sycl::id<1> i) { a[i] += 100; });
    });
  const sycl::host_accessor result(b, sycl::read_only);
  EXPECT_EQ(result[31], 31 + 100 * static_cast<int>(devices.size()));
}

}  // namespace
