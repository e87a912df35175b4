// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// SYCL 2020, 4.1: what runs the commands of a device. `other`: a plugin that these headers do not know
/// by name.
enum class backend : unsigned char { openmp, simulated, cuda, hip, other };

namespace detail {

inline backend to_backend(const std::string& name) {
  if (name == "openmp") return backend::openmp;
  if (name == "simulated") return backend::simulated;
  if (name == "cuda") return backend::cuda;
  if (name == "hip") return backend::hip;
  return backend::other;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
