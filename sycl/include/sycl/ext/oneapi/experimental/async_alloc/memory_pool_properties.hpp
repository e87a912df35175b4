// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sycl/ext/oneapi/experimental/async_alloc.hpp>
