// SPDX-License-Identifier: Apache-2.0
// Kernels in a header: templates that two units instantiate alike, and lambdas of the same mangled name with
// different code.
#pragma once
#include <cstdint>
#include <sycl/sycl.hpp>

constexpr std::size_t count = 120, width = 24;

// The same in both units.
template <class T>
inline void rotate_in_groups(sycl::queue& queue, T* data) {
  queue.submit([&](sycl::handler& h) {
    const sycl::local_accessor<T, 1> local(sycl::range<1>(width), h);
    h.parallel_for(sycl::nd_range<1>(count, width), [=](sycl::nd_item<1> item) {
      local[item.get_local_id(0)] = data[item.get_global_id(0)];
      sycl::group_barrier(item.get_group());
      data[item.get_global_id(0)] = local[(item.get_local_id(0) + 1) % width];
    });
  });
  queue.wait();
}

// In each unit another function of the same name, with internal linkage.
namespace {
inline void add_of_unit(sycl::queue& queue, std::int64_t* data) {
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
    data[i] += UNIT_VALUE * static_cast<std::int64_t>(i[0]);
  });
  queue.wait();
}
}  // namespace

void work_of_first(sycl::queue& queue, std::int64_t* data, float* reals);
void work_of_second(sycl::queue& queue, std::int64_t* data, float* reals);
