// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: class vec, its aliases, rounding modes.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/kernel/rounding_mode.hpp>
#include <sycl/kernel/vec.hpp>
#include <sycl/kernel/vec_aliases.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include <sycl/detail/show_macros.hpp>
