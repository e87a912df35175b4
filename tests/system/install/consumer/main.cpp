// SPDX-License-Identifier: Apache-2.0
// consumer N: expects N devices and computes on each.
#include <cstdio>
#include <cstdlib>
#include <sycl/sycl.hpp>

#include "kernels.hpp"

int main(int argc, char** argv) {
  const auto devices = sycl::device::get_devices();
  const std::size_t expected = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
  if (devices.size() != expected) {
    std::fprintf(stderr, "%zu devices, expected %zu\n", devices.size(), expected);
    return 1;
  }
  for (const auto& device : devices) {
    const auto values = squares(device, 1000);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != static_cast<int>(i * i)) {
        std::fprintf(stderr, "element %zu is %d\n", i, values[i]);
        return 1;
      }
    }
  }
  std::printf("%zu devices agree\n", devices.size());
}
