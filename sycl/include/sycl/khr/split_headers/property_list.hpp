// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: class property_list.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/property_list.hpp>

#include <sycl/detail/show_macros.hpp>
