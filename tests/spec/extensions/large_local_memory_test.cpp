// SPDX-License-Identifier: Apache-2.0
// host only: GPUs have less local memory
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "expect_error.hpp"

namespace {

constexpr std::size_t groups = 4, items = 16, many = 50000;

struct alignas(256) wide {
  int values[64];
};

sycl::ext::oneapi::experimental::work_group_static<int[many]> variable;

TEST(local_memory, may_be_larger_than_a_frame_of_the_stack) {
  sycl::queue q;
  std::vector<long> sums(groups * items);
  std::vector<std::uintptr_t> rests(groups * items);
  {
    sycl::buffer<long> to(sums);
    sycl::buffer<std::uintptr_t> rest(rests);
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(to, h, sycl::write_only);
      sycl::accessor low(rest, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(groups * items, items), [=](sycl::nd_item<1> it) {
        const auto g = it.get_group();
        auto object = sycl::ext::oneapi::group_local_memory_for_overwrite<int[many]>(g);
        auto aligned = sycl::ext::oneapi::group_local_memory_for_overwrite<wide>(g);
        int* const row = variable;
        for (std::size_t i = it.get_local_id(0); i < many; i += items) {
          (*object)[i] = static_cast<int>(i % 5 + it.get_group(0));
          row[i] = 2;
        }
        aligned->values[it.get_local_id(0)] = 1;
        sycl::group_barrier(g);
        long sum = 0;
        for (std::size_t i = 0; i < many; i += 10) sum += (*object)[i + 1] * row[i];
        for (std::size_t i = 0; i < items; ++i) sum += aligned->values[i];
        out[it.get_global_id(0)] = sum;
        low[it.get_global_id(0)] = reinterpret_cast<std::uintptr_t>(aligned.get()) % 256;
      });
    });
  }
  for (std::size_t i = 0; i < groups * items; ++i) {
    long sum = static_cast<long>(items);
    for (std::size_t k = 0; k < many; k += 10)
      sum += static_cast<long>((k + 1) % 5 + i / items) * 2;
    EXPECT_EQ(sums[i], sum) << i;
    EXPECT_EQ(rests[i], 0U) << i;
  }
}

// Not in two tests: what a work-group has, not what a call may take.
TEST(local_memory, is_not_more_than_the_device_has) {
  sycl::errc code = sycl::errc::success;
  sycl::queue q([&](sycl::exception_list errors) {
    for (const std::exception_ptr& e : errors)
      code = error_code_of([&] { std::rethrow_exception(e); });
  });
  const std::size_t all = q.get_device().get_info<sycl::info::device::local_mem_size>();
  ASSERT_EQ(all, std::size_t{1} << 20);
  std::vector<int> out(items);
  const auto with = [&](auto ask) {
    code = sycl::errc::success;
    sycl::buffer<int> to(out);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(to, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> it) {
        a[it.get_global_id(0)] = ask(it.get_group(), it.get_local_id(0));
      });
    });
    q.wait_and_throw();
    return code;
  };
  namespace oneapi = sycl::ext::oneapi;
  EXPECT_EQ(with([](auto g, std::size_t i) {
              auto first = oneapi::group_local_memory_for_overwrite<char[600000]>(g);
              auto second = oneapi::group_local_memory_for_overwrite<char[448576]>(g);
              (*first)[i] = 1;
              (*second)[i] = 2;
              return (*first)[i] + (*second)[i];
            }),
            sycl::errc::success)
      << "exactly what there is";
  EXPECT_EQ(out[items - 1], 3);
  EXPECT_EQ(with([](auto g, std::size_t i) {
              auto first = oneapi::group_local_memory_for_overwrite<char[600001]>(g);
              auto second = oneapi::group_local_memory_for_overwrite<char[448576]>(g);
              (*first)[i] = 1;
              (*second)[i] = 2;
              return (*first)[i] + (*second)[i];
            }),
            sycl::errc::memory_allocation);
}

}  // namespace
