// SPDX-License-Identifier: Apache-2.0
// Several units with kernels in one program.
#define UNIT_VALUE 1
#include "../print.hpp"
#include "shared_kernels.hpp"

int main() {
  sycl::queue queue;
  auto* const data = sycl::malloc_shared<std::int64_t>(count, queue);
  auto* const reals = sycl::malloc_shared<float>(count, queue);
  for (std::size_t i = 0; i < count; ++i) {
    data[i] = static_cast<std::int64_t>(i * i);
    reals[i] = 1 / static_cast<float>(i + 1);
  }
  add_of_unit(queue, data);
  print("after the main unit", data, count);
  work_of_first(queue, data, reals);
  print("after the first unit", data, count);
  work_of_second(queue, data, reals);
  print("after the second unit", data, count);
  print("reals", reals, count);
  sycl::free(data, queue);
  sycl::free(reals, queue);
}
