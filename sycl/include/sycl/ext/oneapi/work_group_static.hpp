// SPDX-License-Identifier: Apache-2.0
// The name that DPC++ has for it.
#pragma once
#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>
