// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: ranges and identifiers of work-items.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/kernel/id.hpp>
#include <sycl/kernel/item.hpp>
#include <sycl/kernel/nd_item.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include <sycl/detail/show_macros.hpp>
