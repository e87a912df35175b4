// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: class event and what it can be asked.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/event.hpp>
#include <sycl/info.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include <sycl/detail/show_macros.hpp>
