// SPDX-License-Identifier: Apache-2.0
// Where DPC++ has marray: programs name this header.
#pragma once

#include <sycl/sycl.hpp>
