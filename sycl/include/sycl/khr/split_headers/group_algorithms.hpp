// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: what the work-items of a group do together.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/kernel/group_functions/broadcast.hpp>
#include <sycl/kernel/group_functions/permute.hpp>
#include <sycl/kernel/group_functions/reduce.hpp>
#include <sycl/kernel/group_functions/scan.hpp>
#include <sycl/kernel/group_functions/vote.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include <sycl/detail/show_macros.hpp>
