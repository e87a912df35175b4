// SPDX-License-Identifier: Apache-2.0
// Compiled for no device.
#include "without_images.hpp"

void add_without_images(sycl::handler& h, sycl::buffer<int>& to) {
  sycl::accessor a(to, h, sycl::read_write);
  h.parallel_for(to.get_range(), [=](sycl::item<1> i) { a[i] += 1; });
}
