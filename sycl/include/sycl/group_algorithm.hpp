// SPDX-License-Identifier: Apache-2.0
// Where DPC++ has the group functions and algorithms: programs name this header.
#pragma once

#include <sycl/sycl.hpp>
