// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: bit_cast.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/kernel/bit_cast.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include <sycl/detail/show_macros.hpp>
