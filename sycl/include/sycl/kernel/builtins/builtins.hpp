// SPDX-License-Identifier: Apache-2.0
// The built-in functions (SYCL 2020, 4.17.4 to 4.17.10).
#pragma once

#include <sycl/kernel/builtins/common.hpp>
#include <sycl/kernel/builtins/geometric.hpp>
#include <sycl/kernel/builtins/integer.hpp>
#include <sycl/kernel/builtins/math.hpp>
#include <sycl/kernel/builtins/native.hpp>
#include <sycl/kernel/builtins/relational.hpp>
