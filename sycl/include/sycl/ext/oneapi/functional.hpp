// SPDX-License-Identifier: Apache-2.0
// Function objects, and sub_group, by the names that they had before SYCL 2020.
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/functional.hpp>
#include <sycl/kernel/sub_group.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {

using sycl::bit_and;
using sycl::bit_or;
using sycl::bit_xor;
using sycl::maximum;
using sycl::minimum;
using sycl::multiplies;
using sycl::plus;
using sycl::sub_group;

}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
