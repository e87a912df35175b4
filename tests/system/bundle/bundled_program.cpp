// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <numeric>
#include <sycl/sycl.hpp>
#include <vector>

int main() {
  std::vector<int> values(1000);
  for (const sycl::device& device : sycl::device::get_devices()) {
    std::iota(values.begin(), values.end(), 0);
    {
      sycl::queue queue(device);
      sycl::buffer<int> buffer(values.data(), sycl::range<1>(values.size()));
      queue.submit([&](sycl::handler& h) {
        const sycl::accessor a(buffer, h, sycl::read_write);
        h.parallel_for(buffer.get_range(), [=](sycl::id<1> i) { a[i] *= 2; });
      });
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != 2 * static_cast<int>(i)) return 1;
    std::cout << device.get_info<sycl::info::device::name>() << ": OK\n";
  }
}
