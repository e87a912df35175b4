// SPDX-License-Identifier: Apache-2.0
// Where DPC++ has vec: programs name this header.
#pragma once

#include <sycl/sycl.hpp>
