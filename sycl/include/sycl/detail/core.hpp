// SPDX-License-Identifier: Apache-2.0
// Where DPC++ has what almost every program needs: programs name this header.
#pragma once

#include <sycl/sycl.hpp>
