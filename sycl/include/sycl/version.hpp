// SPDX-License-Identifier: Apache-2.0
#pragma once

/// SYCL 2020, 5.6 (the value names the language version, not its revision).
#define SYCL_LANGUAGE_VERSION 202012L

/// SYCL 2020, 5.6: the feature set.
#define SYCL_FEATURE_SET_FULL 1
/// SYCL 2020, 5.6: one pass of the compiler makes code for the host and for devices. Where pianolacc parses a program for its
/// kernels alone, that section's other macro takes its place.
#if !defined(__PIANOLA_DEVICE_PASS__)
#define __SYCL_SINGLE_SOURCE__ 1
#endif

/// SYCL 2020, 5.10.1: functions of other translation units that kernels call. On the host any can be called; code for devices
/// has those that are declared so, where the program is linked by pianolacc.
#if defined(__PIANOLACC__)
#define SYCL_EXTERNAL __attribute__((annotate("pianola.external")))
#else
#define SYCL_EXTERNAL
#endif

/// What programs ask for before they specialise is_device_copyable (SYCL 2020, 3.13.1).
#define SYCL_DEVICE_COPYABLE 1

/// SYCL 2020, 4.1 and 6.3.7: the backends. Which of them there are when a program runs, its platforms tell.
#define SYCL_EXT_PIANOLA_BACKEND_OPENMP 1
#define SYCL_EXT_PIANOLA_BACKEND_SIMULATED 1
#define SYCL_EXT_PIANOLA_BACKEND_CUDA 1
#define SYCL_EXT_PIANOLA_BACKEND_HIP 1

/// Extensions that are members of classes of the standard.
#define SYCL_EXT_ONEAPI_GRAPH 2
#define SYCL_EXT_ONEAPI_ENQUEUE_BARRIER 1
#define SYCL_EXT_CODEPLAY_ENQUEUE_NATIVE_COMMAND 2

/// This implementation; the value is its version, major * 10000 + minor * 100 + patch.
#define SYCL_IMPLEMENTATION_PIANOLA 100
