// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_work_group_memory: as a member of function objects, and as a parameter of functions.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include <cstddef>
#include <type_traits>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;

constexpr std::size_t groups = 3, items = 8, all = groups * items;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
void reversed(exp::work_group_memory<int[]> row, exp::work_group_memory<int> one, int* out) {
  const auto it = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
  row[it.get_local_id(0)] = static_cast<int>(it.get_global_id(0));
  if (it.get_local_id(0) == 0) one = static_cast<int>(it.get_group(0));
  sycl::group_barrier(it.get_group());
  out[it.get_global_id(0)] = row[items - 1 - it.get_local_id(0)] * 10 + one;
}

int expected(std::size_t i) {
  return static_cast<int>((i / items * items + items - 1 - i % items) * 10 + i / items);
}

TEST(work_group_memory, is_an_argument_of_functions) {
  sycl::queue q;
  int* const out = sycl::malloc_shared<int>(all, q);
  q.submit([&](sycl::handler& h) {
     exp::nd_launch(h, sycl::nd_range<1>(all, items), exp::kernel_function<reversed>,
                    exp::work_group_memory<int[]>(items, h), exp::work_group_memory<int>(h), out);
   }).wait();
  for (std::size_t i = 0; i < all; ++i) EXPECT_EQ(out[i], expected(i)) << i;
  sycl::free(out, q);
}

TEST(work_group_memory, is_shared_by_the_work_items_of_a_group) {
  sycl::queue q;
  int* const out = sycl::malloc_shared<int>(all, q);
  q.submit([&](sycl::handler& h) {
     exp::work_group_memory<int[items]> row(h);
     exp::work_group_memory<short[][2]> pairs(items, h);
     exp::work_group_memory<long> one{exp::indeterminate};
     one = exp::work_group_memory<long>(h);
     h.parallel_for(sycl::nd_range<1>(all, items), [=](sycl::nd_item<1> it) {
       const std::size_t i = it.get_local_id(0);
       const auto memory = row.get_multi_ptr<sycl::access::decorated::no>();
       static_assert(
           std::is_same_v<decltype(memory),
                          const sycl::multi_ptr<int, sycl::access::address_space::local_space,
                                                sycl::access::decorated::no>>);
       memory[static_cast<std::ptrdiff_t>(i)] = static_cast<int>(it.get_global_id(0));
       pairs[i][0] = 1;
       pairs[i][1] = static_cast<short>(i);
       if (i == 0) *&one = static_cast<long>(it.get_group(0));
       sycl::group_barrier(it.get_group());
       const int wrong = pairs[items - 1 - i][1] == static_cast<int>(items - 1 - i) ? 0 : 1000000;
       out[it.get_global_id(0)] = row[items - 1 - i] * 10 + static_cast<int>(one) + wrong;
     });
   }).wait();
  for (std::size_t i = 0; i < all; ++i) EXPECT_EQ(out[i], expected(i)) << i;
  sycl::free(out, q);
}

TEST(work_group_memory, is_refused_where_there_are_no_groups_or_too_little) {
  sycl::queue q;
  const std::size_t most = q.get_device().get_info<sycl::info::device::local_mem_size>();
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) {
                exp::work_group_memory<int> one(h);
                h.parallel_for(sycl::range<1>(1), [=](sycl::id<1>) { one = 1; });
              });
            }),
            sycl::errc::kernel_argument);
  EXPECT_NE(error_code_of([&] {
              q.submit([&](sycl::handler& h) {
                exp::work_group_memory<char[]> bytes(most + 1, h);
                h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) { bytes[0] = 1; });
              });
            }),
            sycl::errc::success);
}

}  // namespace
