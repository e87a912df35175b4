// SPDX-License-Identifier: Apache-2.0
// Where DPC++ has local memory whose size the launch gives: programs name this header.
#pragma once

#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>
