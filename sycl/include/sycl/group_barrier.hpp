// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sycl/kernel/group_barrier.hpp>
