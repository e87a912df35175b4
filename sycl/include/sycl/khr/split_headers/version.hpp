// SPDX-License-Identifier: Apache-2.0
// sycl_khr_split_headers: a program includes what it uses, and compiles in less time. Every header of this folder brings the
// macros of the specification and of all extensions.
#pragma once

#include <sycl/detail/handler/requirements.hpp>
#include <sycl/version.hpp>
