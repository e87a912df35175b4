// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: class buffer, its properties.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/buffer.hpp>
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/properties.hpp>

#include <sycl/detail/show_macros.hpp>
