// SPDX-License-Identifier: Apache-2.0
// Programs written for DPC++ name the header of what they use. Each of these names works here, first and alone as well
// (which the tests of headers see to), and brings what it is named after.
#include <gtest/gtest.h>
#include <sycl/atomic_ref.hpp>
#include <sycl/builtins.hpp>
#include <sycl/detail/core.hpp>
#include <sycl/ext/oneapi/experimental/builtins.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/half_type.hpp>
#include <sycl/marray.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/properties/all_properties.hpp>
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
      const int sum = sycl::reduce_over_group(i.get_group(), 1, sycl::plus<int>());
      x[i.get_global_id(0)] = sycl::max(sum, two.x()) + int(float(one[0]));
    });
  });
  auto executable = graph.finalize();
  q.ext_oneapi_graph(executable).wait();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(x[i], 5) << i;
  sycl::free(x, q);
}

}  // namespace
