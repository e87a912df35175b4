// SPDX-License-Identifier: Apache-2.0
// Where DPC++ has the properties of reductions: programs name this header.
#pragma once

#include <sycl/sycl.hpp>
