// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <sycl/sycl.hpp>

std::vector<int> squares(const sycl::device& where, std::size_t n) {
  std::vector<int> result(n);
  {
    sycl::queue queue{where};
    sycl::buffer<int, 1> buffer{result.data(), sycl::range<1>{n}};
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out{buffer, handler, sycl::write_only, sycl::no_init};
      handler.parallel_for(sycl::range<1>{n},
                           [=](sycl::id<1> i) { out[i] = static_cast<int>(i[0] * i[0]); });
    });
  }
  return result;
}
