// SPDX-License-Identifier: Apache-2.0
// Computed jumps (a GNU extension that both compilers know) beside barriers.
#include <cstdint>
#include <sycl/sycl.hpp>

#include "print.hpp"

#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wgnu-label-as-value"

namespace {

// A small interpreter: each work-item runs its own program.
std::uint32_t interpret(const std::uint32_t* tile, std::uint32_t value, std::uint32_t count) {
  static const void* const table[] = {&&add, &&flip, &&load};
  std::uint32_t i = 0;
next:
  if (i++ == count) return value;
  goto* table[(value + i) % 3];
add:
  value += 7;
  goto next;
flip:
  value ^= 21;
  goto next;
load:
  value = value * 3 + tile[value % 64];
  goto next;
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
  run("jumps between barriers", [=](const sycl::nd_item<1>& item, std::uint32_t* tile) {
    const std::size_t g = item.get_global_id(0), l = item.get_local_id(0);
    tile[l] = static_cast<std::uint32_t>(g);
    sycl::group_barrier(item.get_group());
    const std::uint32_t v = interpret(tile, static_cast<std::uint32_t>(g), 6);
    sycl::group_barrier(item.get_group());
    tile[l] = v;
    sycl::group_barrier(item.get_group());
    out[g] = v + tile[l ^ 3];
  });
  run("jumps of the whole group over barriers",
      [=](const sycl::nd_item<1>& item, std::uint32_t* tile) {
        static const void* const table[] = {&&first, &&second, &&third};
        const std::size_t g = item.get_global_id(0), l = item.get_local_id(0);
        std::uint32_t v = static_cast<std::uint32_t>(g), rounds = 0;
        tile[l] = v;
        goto* table[item.get_group(0) % 3];
      first:
        sycl::group_barrier(item.get_group());
        v += tile[l ^ 1];
        sycl::group_barrier(item.get_group());
        tile[l] = v;
      second:
        sycl::group_barrier(item.get_group());
        v ^= tile[(l + 5) % items];
      third:
        sycl::group_barrier(item.get_group());
        if (++rounds < 4) goto* table[(item.get_group(0) + rounds) % 3];
        out[g] = v;
      });
  run("jumps of single work-items over barriers",
      [=](const sycl::nd_item<1>& item, std::uint32_t* tile) {
        static const void* const table[] = {&&add, &&stay, &&leave};
        const std::size_t g = item.get_global_id(0), l = item.get_local_id(0);
        std::uint32_t v = static_cast<std::uint32_t>(g), rounds = 0;
        tile[l] = v;
        sycl::group_barrier(item.get_group());
      add:
        v += tile[(l + rounds) % items];
      stay:
        sycl::group_barrier(item.get_group());
        if (++rounds < 6) goto* table[(v + rounds) % 3];
      leave:
        out[g] = v;
      });
  sycl::free(out, queue);
}
