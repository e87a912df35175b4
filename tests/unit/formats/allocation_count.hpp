// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>

#include <pianola/test/counts_allocations.hpp>

namespace pianola::testing {

#if PIANOLA_TEST_COUNTS_ALLOCATIONS
extern std::atomic<std::size_t> allocated_bytes;  // since the start, by operator new
extern std::atomic<std::size_t> live_bytes;       // and not given back
extern std::atomic<std::size_t> peak_bytes;       // the most at once; may be set
#endif

}  // namespace pianola::testing
