// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>

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

namespace pianola::testing {

#if PIANOLA_TEST_COUNTS_ALLOCATIONS
extern std::atomic<std::size_t> allocated_bytes;  // since the start, by operator new
extern std::atomic<std::size_t> live_bytes;       // and not given back
extern std::atomic<std::size_t> peak_bytes;       // the most at once; may be set
#endif

}  // namespace pianola::testing
