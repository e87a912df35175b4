// SPDX-License-Identifier: Apache-2.0
// Programs written for DPC++ name the header of what they use. Each of these names works here, first and alone as well
// (which the tests of headers see to), and brings what it is named after.
#include <gtest/gtest.h>
#include <sycl/atomic_ref.hpp>
#include <sycl/backend_types.hpp>
#include <sycl/builtins.hpp>
#include <sycl/detail/core.hpp>
#include <sycl/detail/host_task_impl.hpp>
#include <sycl/ext/oneapi/experimental/async_alloc/async_alloc.hpp>
#include <sycl/ext/oneapi/experimental/async_alloc/memory_pool.hpp>
#include <sycl/ext/oneapi/experimental/async_alloc/memory_pool_properties.hpp>
#include <sycl/ext/oneapi/experimental/builtins.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/functional.hpp>
#include <sycl/ext/oneapi/group_local_memory.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
#include <sycl/ext/oneapi/work_group_static.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/half_type.hpp>
#include <sycl/marray.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/properties/accessor_properties.hpp>
#include <sycl/properties/all_properties.hpp>
#include <sycl/properties/buffer_properties.hpp>
#include <sycl/properties/context_properties.hpp>
#include <sycl/properties/image_properties.hpp>
#include <sycl/properties/property_traits.hpp>
#include <sycl/properties/queue_properties.hpp>
#include <sycl/properties/reduction_properties.hpp>
#include <sycl/range.hpp>
#include <sycl/sub_group.hpp>
#include <sycl/types.hpp>
#include <sycl/vector.hpp>

namespace {

TEST(header_names_of_dpcpp, bring_a_program_that_names_no_other) {
  namespace graphs = sycl::ext::oneapi::experimental;
  sycl::queue q{sycl::property::queue::in_order{}};
  int* const x = sycl::malloc_shared<int>(8, q);
  graphs::command_graph graph(q);
  graph.add([&](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> i) {
      const sycl::marray<sycl::half, 2> one(sycl::half(1), sycl::half(0));
      const sycl::int2 two(2, 0);
      const int sum = sycl::reduce_over_group(i.get_group(), 1, sycl::ext::oneapi::plus<int>());
      sycl::group_barrier(i.get_group());
      x[i.get_global_id(0)] = sycl::max(sum, two.x()) + int(float(one[0]));
    });
  });
  auto executable = graph.finalize();
  q.ext_oneapi_graph(executable).wait();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(x[i], 5) << i;
  sycl::free(x, q);
}

TEST(names_of_dpcpp, function_objects_have_the_ones_from_before_sycl_2020_too) {
  namespace old = sycl::ext::oneapi;
  EXPECT_TRUE((std::is_same_v<old::minimum<int>, sycl::minimum<int>>));
  EXPECT_EQ(old::maximum<>()(2, 3), 3);
  EXPECT_EQ(old::multiplies<int>()(2, 3), 6);
  EXPECT_EQ(old::bit_or<int>()(2, 1) + old::bit_and<int>()(6, 3) + old::bit_xor<int>()(7, 2), 10);
}

TEST(names_of_dpcpp, sub_groups_have_the_one_from_before_sycl_2020_too) {
  sycl::queue q;
  int* const size = sycl::malloc_shared<int>(1, q);
  q.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> i) {
     const sycl::ext::oneapi::sub_group group = i.get_sub_group();
     if (i.get_global_id(0) == 0) *size = int(group.get_local_range()[0]);
   }).wait();
  EXPECT_GE(*size, 1);
  EXPECT_LE(*size, 8);
  sycl::free(size, q);
}

}  // namespace
