// SPDX-License-Identifier: Apache-2.0
// Where DPC++ has the interface of sycl_ext_oneapi_graph: programs name this header.
#pragma once

#include <sycl/sycl.hpp>
