// SPDX-License-Identifier: Apache-2.0
// A device of the machine, and a kind of its memory, drawn at random.
#pragma once
#include <cstddef>
#include <random>
#include <vector>

#include <sycl/sycl.hpp>

namespace pianola::testing {

inline sycl::device drawn_device(std::mt19937_64& random) {
  const std::vector<sycl::device> all = sycl::device::get_devices();
  return all[random() % all.size()];
}

// One that host tasks can use, too, unless `device_only` are welcome.
inline sycl::usm::alloc drawn_usm(std::mt19937_64& random, const sycl::device& device,
                                  bool device_only) {
  std::vector<sycl::usm::alloc> kinds;
  if (device.has(sycl::aspect::usm_shared_allocations)) kinds.push_back(sycl::usm::alloc::shared);
  if (device.has(sycl::aspect::usm_host_allocations)) kinds.push_back(sycl::usm::alloc::host);
  if (device_only && device.has(sycl::aspect::usm_device_allocations))
    kinds.push_back(sycl::usm::alloc::device);
  return kinds.empty() ? sycl::usm::alloc::unknown : kinds[random() % kinds.size()];
}

}  // namespace pianola::testing
