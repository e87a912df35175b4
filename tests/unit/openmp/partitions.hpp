// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include <sycl/sycl.hpp>

using property = sycl::info::partition_property;
using domain = sycl::info::partition_affinity_domain;
namespace info = sycl::info::device;

inline std::vector<sycl::device> equally(const sycl::device& d, std::size_t count) {
  return d.create_sub_devices<property::partition_equally>(count);
}
inline std::vector<sycl::device> by_counts(const sycl::device& d,
                                           const std::vector<std::size_t>& counts) {
  return d.create_sub_devices<property::partition_by_counts>(counts);
}
inline std::vector<sycl::device> along(const sycl::device& d, domain a) {
  return d.create_sub_devices<property::partition_by_affinity_domain>(a);
}
inline std::size_t units(const sycl::device& d) { return d.get_info<info::max_compute_units>(); }

template <class F>
sycl::errc code_of(F&& f) {
  try {
    f();
  } catch (const sycl::exception& e) {
    return static_cast<sycl::errc>(e.code().value());
  }
  return sycl::errc::success;
}
