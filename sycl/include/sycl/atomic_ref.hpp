// SPDX-License-Identifier: Apache-2.0
// Where DPC++ has atomic_ref: programs name this header.
#pragma once

#include <sycl/sycl.hpp>
