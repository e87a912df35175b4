// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: private_memory and h_item.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/kernel/h_item.hpp>
#include <sycl/kernel/private_memory.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include <sycl/detail/show_macros.hpp>
