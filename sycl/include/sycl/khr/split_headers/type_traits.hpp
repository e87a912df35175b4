// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: traits: properties, groups, copyable types, aspects, identities.
#pragma once

#include <sycl/detail/hide_macros.hpp>

#include <sycl/aspect.hpp>
#include <sycl/functional.hpp>
#include <sycl/kernel/device_copyable.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>
#include <sycl/kernel/multi_ptr.hpp>
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/property_list.hpp>

#include <sycl/detail/show_macros.hpp>
