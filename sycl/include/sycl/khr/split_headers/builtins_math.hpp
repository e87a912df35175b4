// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: math functions, native and half precision.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/kernel/builtins/math.hpp>
#include <sycl/kernel/builtins/native.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include <sycl/detail/show_macros.hpp>
