// SPDX-License-Identifier: Apache-2.0
// By this name programs ask for handler::host_task.
#pragma once
#include <sycl/handler.hpp>
#include <sycl/interop_handle.hpp>
