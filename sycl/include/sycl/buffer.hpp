// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/buffer/definition.hpp>
#include <sycl/detail/buffer/get_access.hpp>
