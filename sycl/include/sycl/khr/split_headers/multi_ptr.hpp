// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: class multi_ptr, address spaces.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/kernel/multi_ptr.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include <sycl/detail/show_macros.hpp>
