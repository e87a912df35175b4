// SPDX-License-Identifier: Apache-2.0
#pragma once

/// SYCL 2020, 5.6 (the value names the language version, not its revision).
#define SYCL_LANGUAGE_VERSION 202012L

/// sycl_ext_oneapi_graph.
#define SYCL_EXT_ONEAPI_GRAPH 1

/// This implementation; the value is its version, major * 10000 + minor * 100 + patch.
#define SYCL_IMPLEMENTATION_PIANOLA 100
