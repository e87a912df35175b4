// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/buffer_class.hpp>
#include <sycl/detail/buffer_get_access.hpp>
