// SPDX-License-Identifier: Apache-2.0
// Work-groups of a parallel_for over an nd_range: loops made by the compiler, or fibers.
#pragma once

#if defined(__PIANOLACC__)
#include <sycl/glue/kernel_launcher_compiled.hpp>
#else
#include <sycl/glue/kernel_launcher_fibers.hpp>
#endif
