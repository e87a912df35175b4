// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: memory that is named by pointers, its allocator.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/usm.hpp>
#include <sycl/usm_allocator.hpp>

#include <sycl/detail/show_macros.hpp>
