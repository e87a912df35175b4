// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: class device, selectors, aspects and what it can be asked.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/aspect.hpp>
#include <sycl/device.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/info.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include <sycl/detail/show_macros.hpp>
