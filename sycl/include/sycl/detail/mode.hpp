// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/handler/requirements.hpp>
#include <sycl/version.hpp>

/// Name of sycl's inline namespace. Inline functions of the two compile modes have different code, so
/// their names differ: objects compiled by pianolacc and objects compiled by any compiler without it can
/// be linked into one program. The library holds what is not inline for both (PIANOLA_FOR_COMPILED_PROGRAMS is its own).
#if defined(__PIANOLACC__) || defined(PIANOLA_FOR_COMPILED_PROGRAMS)
#define PIANOLA_SYCL_VERSION v1_compiled
#else
#define PIANOLA_SYCL_VERSION v1
#endif
