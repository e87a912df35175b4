// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: groups and sub-groups, barriers.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/kernel/device_event.hpp>
#include <sycl/kernel/group.hpp>
#include <sycl/kernel/group_barrier.hpp>
#include <sycl/kernel/sub_group.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include <sycl/detail/show_macros.hpp>
