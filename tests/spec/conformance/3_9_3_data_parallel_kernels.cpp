// SPDX-License-Identifier: Apache-2.0
// 3.9.3, 3.9.4, 3.9.6, 3.9.7: kernels over ranges, over work-groups, of a single item, and of a device itself. (Hierarchical
// ones: see 4.9.4.2.)
// also tests: 3.9.4 3.9.6 3.9.7
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <vector>

#include "errors.hpp"

namespace {

template <class F>
std::vector<int> run(std::size_t size, F&& submit) {
  std::vector<int> result(size, 0);
  {
    sycl::buffer<int, 1> b(result.data(), sycl::range<1>(size));
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor out(b, h, sycl::read_write);
      submit(h, out);
    });
  }
  return result;
}

template <int Dimensions>
void run_over(sycl::range<Dimensions> range) {
  EXPECT_EQ(run(range.size(),
                [&](sycl::handler& h, auto out) {
                  h.parallel_for(range, [=](sycl::item<Dimensions> i) {
                    out[i.get_linear_id()] += static_cast<int>(i.get_id(0)) + 1;
                  });
                })
                .back(),
            static_cast<int>(range[0]));
}

TEST(basic_kernels, run_once_for_each_point_of_one_two_and_three_dimensions) {
  EXPECT_EQ(run(1000, [](sycl::handler& h,
                         auto out) { h.parallel_for(1000, [=](sycl::id<1> i) { out[i] += 1; }); }),
            std::vector<int>(1000, 1));
  run_over<1>({1});
  run_over<1>({777});
  run_over<2>({7, 11});
  run_over<3>({3, 5, 7});
}

TEST(work_group_kernels, run_in_groups_of_the_size_that_they_ask_for) {
  EXPECT_EQ(
      run(96,
          [](sycl::handler& h, auto out) {
            sycl::local_accessor<int> count(1, h);
            h.parallel_for(sycl::nd_range<1>(96, 12), [=](sycl::nd_item<1> i) {
              if (i.get_group().leader()) count[0] = 0;
              sycl::group_barrier(i.get_group());
              sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::work_group>(
                  count[0])
                  .fetch_add(1);
              sycl::group_barrier(i.get_group());
              out[i.get_global_id(0)] = count[0];
            });
          }),
      std::vector<int>(96, 12));
}

// The group's size divides the range, and is one that the device has.
TEST(work_group_kernels, are_refused_where_groups_do_not_fit) {
  sycl::queue q;
  EXPECT_EQ(code_of([&] { q.parallel_for(sycl::nd_range<1>(10, 4), [=](sycl::nd_item<1>) {}); }),
            sycl::errc::nd_range);
  const std::size_t most = q.get_device().get_info<sycl::info::device::max_work_group_size>();
  EXPECT_EQ(code_of([&] {
              q.parallel_for(sycl::nd_range<1>(4 * most, 2 * most), [=](sycl::nd_item<1>) {});
            }),
            sycl::errc::nd_range);
  q.wait();
}

TEST(single_task, runs_once) {
  EXPECT_EQ(run(1, [](sycl::handler& h, auto out) { h.single_task([=] { out[0] += 5; }); }),
            std::vector<int>(1, 5));
}

// What a device brings along has identifiers, which are kernels of no program.
TEST(predefined_kernels, of_a_device_can_be_asked_for) {
  for (const sycl::device& d : sycl::device::get_devices())
    for (const sycl::kernel_id& id : d.get_info<sycl::info::device::built_in_kernel_ids>())
      EXPECT_TRUE(sycl::is_compatible({id}, d));
}

}  // namespace
