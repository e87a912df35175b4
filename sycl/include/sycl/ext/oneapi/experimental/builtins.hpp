// SPDX-License-Identifier: Apache-2.0
// Where DPC++ has its experimental functions for kernels, printf among them: programs name this header.
#pragma once

#include <sycl/sycl.hpp>
