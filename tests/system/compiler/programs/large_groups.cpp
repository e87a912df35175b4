// SPDX-License-Identifier: Apache-2.0
// Work-groups as large as the device takes, whose work-items keep more across barriers than fits on a stack:
// private arrays, group algorithms on large types, and sub-groups among them.
#include <cstdint>
#include <sycl/sycl.hpp>

#include "print.hpp"

namespace {

constexpr std::size_t groups = 5, width = 1024;

struct large {
  std::uint32_t parts[125];
};

// Indexed with what only the program's input tells, so that no register can hold it.
std::vector<std::uint32_t> private_arrays(sycl::queue& queue, std::uint32_t step) {
  std::vector<std::uint32_t> out(groups * width);
  {
    sycl::buffer<std::uint32_t, 1> result(out.data(), sycl::range<1>(out.size()));
    queue.submit([&](sycl::handler& h) {
      const sycl::accessor to(result, h, sycl::write_only);
      const sycl::local_accessor<std::uint32_t, 1> shared(sycl::range<1>(width), h);
      h.parallel_for(sycl::nd_range<1>(groups * width, width), [=](sycl::nd_item<1> item) {
        const auto id = static_cast<std::uint32_t>(item.get_local_id(0));
        std::uint32_t own[100];
        for (std::uint32_t k = 0; k < 100; ++k)
          own[(k * step + id) % 100] = static_cast<std::uint32_t>(item.get_global_id(0)) + k;
        std::uint32_t sum = 0;
        for (std::uint32_t round = 0; round < 3; ++round) {
          shared[id] = own[(id + round * step) % 100];
          sycl::group_barrier(item.get_group());
          own[(id * step + round) % 100] += shared[(id + 511) % width];
          sycl::group_barrier(item.get_group());
        }
        for (std::uint32_t part : own) sum = sum * 31 + part;
        to[item.get_global_id()] = sum;
      });
    });
  }
  return out;
}

template <int Dimensions>
std::vector<std::uint32_t> large_types(sycl::queue& queue, sycl::range<Dimensions> local) {
  sycl::range<Dimensions> global = local;
  global[0] *= groups;
  std::vector<std::uint32_t> out(global.size());
  {
    sycl::buffer<std::uint32_t, 1> result(out.data(), sycl::range<1>(out.size()));
    queue.submit([&](sycl::handler& h) {
      const sycl::accessor to(result, h, sycl::write_only);
      h.parallel_for(
          sycl::nd_range<Dimensions>(global, local), [=](sycl::nd_item<Dimensions> item) {
            const auto id = static_cast<std::uint32_t>(item.get_local_linear_id());
            large value;
            for (std::uint32_t k = 0; k < 125; ++k)
              value.parts[k] = id * 125 + k + static_cast<std::uint32_t>(item.get_group(0));
            const std::size_t last = item.get_group().get_local_linear_range() - 1;
            const large first = sycl::group_broadcast(item.get_group(), value, last / 2);
            const large other = sycl::group_broadcast(item.get_group(), value, last);
            const std::uint32_t before = sycl::exclusive_scan_over_group(
                item.get_group(), first.parts[id % 125], sycl::plus<std::uint32_t>());
            const std::uint32_t all = sycl::reduce_over_group(
                item.get_group(), other.parts[id % 124] ^ before, sycl::bit_xor<std::uint32_t>());
            std::uint32_t sum = before + all;
            for (std::uint32_t k = 0; k < 125; ++k)
              sum = sum * 31 + (first.parts[k] ^ other.parts[124 - k]) + value.parts[k];
            to[item.get_global_linear_id()] = sum;
          });
    });
  }
  return out;
}

}  // namespace

int main() {
  sycl::queue queue;
  print("private arrays", private_arrays(queue, 7));
  print("private arrays, another step", private_arrays(queue, 13));
  print("large types, one dimension", large_types(queue, sycl::range<1>(width)));
  print("large types, two dimensions", large_types(queue, sycl::range<2>(16, 64)));
  print("large types, three dimensions", large_types(queue, sycl::range<3>(3, 5, 7)));
}
