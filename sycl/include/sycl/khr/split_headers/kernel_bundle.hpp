// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: bundles of kernels, specialization constants.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/device_image.hpp>
#include <sycl/info.hpp>
#include <sycl/kernel.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/kernel_id.hpp>
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/specialization_id.hpp>

#include <sycl/detail/show_macros.hpp>
