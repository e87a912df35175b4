// SPDX-License-Identifier: Apache-2.0
// The properties of kernels and kernel functions, without the rest of SYCL.
#pragma once
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
