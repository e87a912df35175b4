// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: accessors of buffers and of local memory, tags, modes and targets.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/accessor.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/local_accessor.hpp>
#include <sycl/properties.hpp>

#include <sycl/detail/show_macros.hpp>
