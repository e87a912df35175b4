// SPDX-License-Identifier: Apache-2.0
// A program for sub-groups of 32 that requires none: the macro chooses the size in both modes, and the device tells of
// what runs.
#define PIANOLA_SUB_GROUP_SIZE 32
#include <cstdint>
#include <cstdio>
#include <vector>

#include <sycl/sycl.hpp>

#include "../print.hpp"

namespace experimental = sycl::ext::oneapi::experimental;

class chosen;

int main() {
  sycl::queue queue;
  constexpr std::size_t all = 200;
  std::uint32_t* out = sycl::malloc_shared<std::uint32_t>(all, queue);
  const auto kernel = [=](sycl::nd_item<1> item) {
    const sycl::sub_group s = item.get_sub_group();
    const std::uint32_t g = static_cast<std::uint32_t>(item.get_global_id(0));
    const std::uint32_t sum = sycl::reduce_over_group(s, g, sycl::plus<std::uint32_t>());
    out[g] = sum * 100 + s.get_max_local_range()[0] + s.get_local_linear_range();
  };
  queue.parallel_for<class chosen>(sycl::nd_range<1>(all, 100), kernel).wait_and_throw();
  print("chosen", out, all);
  queue
      .parallel_for(sycl::nd_range<1>(all, 100),
                    experimental::properties{experimental::sub_group_size<16>}, kernel)
      .wait_and_throw();
  print("required", out, all);
  const sycl::device device = queue.get_device();
  const auto sizes = device.get_info<sycl::info::device::sub_group_sizes>();
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context());
  const std::size_t of_kernel =
      bundle.get_kernel(sycl::get_kernel_id<class chosen>())
          .get_info<sycl::info::kernel_device_specific::max_sub_group_size>(device);
  const std::size_t groups = device.get_info<sycl::info::device::max_work_group_size>() / 32;
  const bool told = sizes == std::vector<std::size_t>{32} && of_kernel == 32 &&
                    device.get_info<sycl::info::device::max_num_sub_groups>() == groups;
  if (!told)
    std::printf("%zu sizes, the first is %zu; the kernel's is %zu\n", sizes.size(), sizes.front(),
                of_kernel);
  sycl::free(out, queue);
  return told ? 0 : 1;
}
