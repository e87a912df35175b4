// SPDX-License-Identifier: Apache-2.0
// A function of variable arguments beside a barrier: the processor can, device code can not.
#include <cstdarg>
#include <cstdint>
#include <sycl/sycl.hpp>

#include "../print.hpp"

namespace {

std::uint32_t sum(unsigned count, ...) {
  va_list list;
  va_start(list, count);
  std::uint32_t result = 0;
  for (unsigned i = 0; i < count; ++i) result = result * 3 + va_arg(list, unsigned);
  va_end(list);
  return result;
}

}  // namespace

int main() {
  sycl::queue queue;
  constexpr std::size_t items = 64, all = 256;
  std::uint32_t* out = sycl::malloc_shared<std::uint32_t>(all, queue);
  const auto run = [&](const char* what, auto body) {
    queue.submit([&](sycl::handler& h) {
      const sycl::local_accessor<std::uint32_t, 1> tile(sycl::range<1>(items), h);
      h.parallel_for(sycl::nd_range<1>(all, items),
                     [=](sycl::nd_item<1> item) { body(item, &tile[0]); });
    });
    queue.wait_and_throw();
    print(what, out, all);
  };
  run("variable arguments", [=](const sycl::nd_item<1>& item, std::uint32_t* tile) {
    const std::size_t g = item.get_global_id(0), l = item.get_local_id(0);
    tile[l] = sum(3, static_cast<unsigned>(g), static_cast<unsigned>(l), 4U);
    sycl::group_barrier(item.get_group());
    out[g] = sum(2, tile[l ^ 1], static_cast<unsigned>(g));
  });
  sycl::free(out, queue);
}
