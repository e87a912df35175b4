// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/standard_streams.hpp>

// Starts them before the program, which need not include it.
#include <iostream>
