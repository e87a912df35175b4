// SPDX-License-Identifier: Apache-2.0
// Whether a test program may replace operator new to count what it does.
#pragma once

// Sanitizers have allocation functions of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PIANOLA_TEST_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PIANOLA_TEST_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef PIANOLA_TEST_COUNTS_ALLOCATIONS
#define PIANOLA_TEST_COUNTS_ALLOCATIONS 1
#endif
