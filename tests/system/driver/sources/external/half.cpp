// SPDX-License-Identifier: Apache-2.0
#include <sycl/sycl.hpp>

SYCL_EXTERNAL int half(int x) { return x / 2; }
