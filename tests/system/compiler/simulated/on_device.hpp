// SPDX-License-Identifier: Apache-2.0
// Runs a kernel of this program as device code, under the test driver.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <pianola/runtime/cookie.hpp>
#include <pianola/test/simulated_driver.hpp>
#include <sycl/sycl.hpp>

namespace pianola::test {

enum class form { single_task = 0, range = 1, nd_range = 2 };

/// [0] slowest, padded on the left.
template <int Dimensions>
void pad(const sycl::range<Dimensions>& r, std::uint64_t (&to)[3]) {
  for (int d = 0; d < 3; ++d)
    to[d] = d < 3 - Dimensions ? 1 : r[static_cast<int>(d - (3 - Dimensions))];
}

/// Groups of `local` that cover `global`.
template <int Dimensions>
simulated_launch launch_of(const sycl::range<Dimensions>& global,
                           const sycl::range<Dimensions>& local) {
  simulated_launch launch;
  std::uint64_t local3[3];
  pad(global, launch.launch.global);
  pad(local, local3);
  for (int d = 0; d < 3; ++d) {
    launch.local[d] = static_cast<std::uint32_t>(local3[d]);
    launch.groups[d] = (launch.launch.global[d] + local3[d] - 1) / local3[d];
  }
  launch.local_memory_bytes = 64 << 10;
  return launch;
}

/// The host's entry point of a kernel finds offsets where accessors were made with cookies; device code as well.
template <form Form, int Dimensions, class Kernel>
simulated_report on_device(const Kernel& kernel, const simulated_launch& launch) {
  const std::uint64_t id = __pianola_kernel_id(reinterpret_cast<const void*>(
      &glue::kernel_body<Kernel, static_cast<int>(Form), Dimensions>));
  alignas(Kernel) unsigned char bytes[sizeof(Kernel)];
  std::memcpy(bytes, static_cast<const void*>(&kernel), sizeof(Kernel));
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= sizeof(Kernel);
       at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, sizeof(word));
    if (!runtime::is_cookie(runtime::local_cookie_prefix, word)) continue;
    word = runtime::local_cookie_offset(word);
    std::memcpy(bytes + at, &word, sizeof(word));
  }
  const simulated_kernel found = find_simulated_kernel(id);
  simulated_launch with_objects = launch;
  with_objects.group_object_bytes = found.group_object_bytes;
  return run_simulated(found, bytes, with_objects);
}

/// What `make(handler, T* data)` returns, as a kernel over the nd_range, leaves in `data`: from the host.
template <class T, int Dimensions, class Make>
std::vector<T> host_result(const sycl::nd_range<Dimensions>& space, std::vector<T> data,
                           Make make) {
  sycl::queue queue;
  queue.submit([&](sycl::handler& h) { h.parallel_for(space, make(h, data.data())); })
      .wait_and_throw();
  return data;
}

/// The same from the device.
template <class T, int Dimensions, class Make>
std::vector<T> device_result(const sycl::nd_range<Dimensions>& space, std::vector<T> data,
                             Make make, std::uint64_t seed = 0, std::uint32_t sub_group_size = 32,
                             simulated_report* report = nullptr) {
  sycl::queue queue;
  queue.submit([&](sycl::handler& h) {
    simulated_launch launch = launch_of(space.get_global_range(), space.get_local_range());
    launch.seed = seed;
    launch.sub_group_size = sub_group_size;
    const simulated_report made =
        on_device<form::nd_range, Dimensions>(make(h, data.data()), launch);
    if (report) *report = made;
  });
  return data;
}

template <class T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<T>((i * 7919 + 13) % 1009);
  return all;
}

}  // namespace pianola::test
