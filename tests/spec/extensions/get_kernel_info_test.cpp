// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

class asked_for;

namespace {

TEST(get_kernel_info, asks_a_kernel_by_its_name) {
  namespace oneapi = sycl::ext::oneapi;
  namespace info = sycl::info;
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(8, q);
  q.parallel_for<asked_for>(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> i) {
     data[i.get_global_id(0)] = 1;
   }).wait();
  sycl::free(data, q);
  using size = info::kernel_device_specific::work_group_size;
  const auto most = oneapi::get_kernel_info<asked_for, size>(q);
  EXPECT_EQ((oneapi::get_kernel_info<asked_for, size>(q.get_context(), q.get_device())), most);
  EXPECT_GE(most, 1U);
  EXPECT_LE(most, q.get_device().get_info<info::device::max_work_group_size>());
  const sycl::kernel same = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context())
                                .get_kernel(sycl::get_kernel_id<asked_for>());
  EXPECT_EQ(same.get_info<size>(q.get_device()), most);
  EXPECT_EQ((oneapi::get_kernel_info<asked_for, info::kernel::attributes>(q.get_context())),
            same.get_info<info::kernel::attributes>());
}

}  // namespace
