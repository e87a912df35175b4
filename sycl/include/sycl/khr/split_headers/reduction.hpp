// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: reductions and their properties.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/khr/split_headers/functional.hpp>
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/properties.hpp>
#include <sycl/reducer.hpp>
#include <sycl/reduction.hpp>

#include <sycl/detail/show_macros.hpp>
