// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: integer functions; those that others have by the same name are among the common ones.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/kernel/builtins/common.hpp>
#include <sycl/kernel/builtins/integer.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include <sycl/detail/show_macros.hpp>
