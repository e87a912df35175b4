// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: images, samplers and their accessors.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/image.hpp>
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/properties.hpp>

#include <sycl/detail/show_macros.hpp>
