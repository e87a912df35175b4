// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: atomic_ref, fences, and atomic of SYCL 1.2.1.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/kernel/atomic.hpp>
#include <sycl/kernel/atomic_fence.hpp>
#include <sycl/kernel/atomic_ref.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include <sycl/detail/show_macros.hpp>
