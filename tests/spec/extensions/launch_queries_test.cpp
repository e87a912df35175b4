// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdint>

#include "expect_error.hpp"

class plain_kernel;
class sized_kernel;
class empty_kernel;

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace query = exp::info::kernel_queue_specific;

sycl::kernel kernel_named(const sycl::queue& q, const sycl::kernel_id& id) {
  return sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context()).get_kernel(id);
}

TEST(launch_queries, tell_what_a_kernel_may_be_launched_with) {
  sycl::queue q;
  std::uint32_t* const size = sycl::malloc_shared<std::uint32_t>(2, q);
  q.parallel_for<plain_kernel>(sycl::nd_range<1>(20, 20), [=](sycl::nd_item<1> it) {
     if (it.get_global_id(0) != 0) return;
     size[0] = static_cast<std::uint32_t>(it.get_sub_group().get_max_local_range()[0]);
     size[1] = static_cast<std::uint32_t>(it.get_sub_group().get_group_range()[0]);
   }).wait();
  const sycl::kernel k = kernel_named(q, sycl::get_kernel_id<plain_kernel>());
  const sycl::device d = q.get_device();
  const std::size_t most = d.get_info<sycl::info::device::max_work_group_size>();
  EXPECT_EQ(k.ext_oneapi_get_info<query::max_work_group_size>(q), most);
  EXPECT_EQ(k.ext_oneapi_get_info<exp::info::kernel::max_work_group_size>(q), most);
  const sycl::id<2> sizes = k.ext_oneapi_get_info<query::max_work_item_sizes<2>>(q);
  const sycl::id<3> all = d.get_info<sycl::info::device::max_work_item_sizes<3>>();
  EXPECT_EQ(sizes[0], all[1] < most ? all[1] : most);
  EXPECT_EQ(sizes[1], all[2] < most ? all[2] : most);
  EXPECT_EQ(k.ext_oneapi_get_info<query::max_sub_group_size>(q, sycl::range<1>(20)), size[0]);
  EXPECT_EQ(k.ext_oneapi_get_info<query::num_sub_groups>(q, sycl::range<2>(4, 5)), size[1]);
  EXPECT_EQ(k.ext_oneapi_get_info<query::max_sub_group_size>(q, sycl::range<1>(1)), 1U);
  // A CPU runs a group on each thread; what a GPU's driver says is so many times its compute units.
  const std::size_t units = d.get_info<sycl::info::device::max_compute_units>();
  const std::size_t groups =
      k.ext_oneapi_get_info<query::max_num_work_groups>(q, sycl::range<1>(8));
  EXPECT_GE(groups, units);
  EXPECT_EQ(groups % units, 0U);
  if (d.is_cpu()) {
    EXPECT_EQ(groups, units);
  }
  if (d.is_gpu()) {
    EXPECT_GT(groups, units);
    const std::size_t local = d.get_info<sycl::info::device::local_mem_size>();
    EXPECT_LT(k.ext_oneapi_get_info<query::max_num_work_groups>(q, sycl::range<1>(8), local / 2),
              groups)
        << "local memory is what there is least of";
    EXPECT_LT(k.ext_oneapi_get_info<query::max_num_work_groups>(q, sycl::range<1>(most)), groups);
  }
  EXPECT_EQ(k.ext_oneapi_get_info<query::max_num_work_groups>(q, sycl::range<3>(2, 2, 2)), groups);
  sycl::free(size, q);
}

TEST(launch_queries, give_0_for_what_cannot_be_launched) {
  sycl::queue q;
  q.parallel_for<empty_kernel>(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {}).wait();
  const sycl::kernel k = kernel_named(q, sycl::get_kernel_id<empty_kernel>());
  const std::size_t most = k.ext_oneapi_get_info<query::max_work_group_size>(q);
  const std::size_t local = q.get_device().get_info<sycl::info::device::local_mem_size>();
  const sycl::range<1> fits(1), too_large(most + 1);
  EXPECT_EQ(k.ext_oneapi_get_info<query::max_num_work_groups>(q, too_large), 0U);
  EXPECT_EQ(k.ext_oneapi_get_info<query::max_num_work_groups>(q, fits, local + 1), 0U);
  EXPECT_GT(k.ext_oneapi_get_info<query::max_num_work_groups>(q, fits, local), 0U);
  EXPECT_EQ(k.ext_oneapi_get_info<query::max_sub_group_size>(q, too_large), 0U);
  EXPECT_EQ(k.ext_oneapi_get_info<query::num_sub_groups>(q, too_large), 0U);
  EXPECT_EQ(error_code_of([&] {
              (void)k.ext_oneapi_get_info<query::max_num_work_groups>(q, sycl::range<2>(0, 4));
            }),
            sycl::errc::invalid);
}

TEST(launch_queries, heed_what_the_kernel_requires) {
  sycl::queue q;
  q.parallel_for<sized_kernel>(sycl::nd_range<2>({4, 8}, {2, 4}),
                               exp::properties{exp::work_group_size<2, 4>},
                               [=](sycl::nd_item<2>) {})
      .wait();
  const sycl::kernel k = kernel_named(q, sycl::get_kernel_id<sized_kernel>());
  EXPECT_EQ(k.ext_oneapi_get_info<query::max_work_group_size>(q), 8U);
  EXPECT_EQ(k.ext_oneapi_get_info<query::max_work_item_sizes<2>>(q), sycl::id<2>(2, 4));
  EXPECT_GT(k.ext_oneapi_get_info<query::max_num_work_groups>(q, sycl::range<2>(2, 4)), 0U);
  EXPECT_EQ(k.ext_oneapi_get_info<query::max_num_work_groups>(q, sycl::range<2>(4, 2)), 0U);
}

}  // namespace
