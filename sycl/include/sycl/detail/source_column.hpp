// SPDX-License-Identifier: Apache-2.0
// PIANOLA_SOURCE_COLUMN, as a default argument: where in its line the call is; 0 where the compiler does not tell.
#pragma once
#include <cstdint>
#if !defined(__clang__) && __cplusplus >= 202002L
#include <source_location>
#endif

#if defined(__clang__)
#define PIANOLA_SOURCE_COLUMN __builtin_COLUMN()
#elif __cplusplus >= 202002L
#define PIANOLA_SOURCE_COLUMN std::source_location::current().column()
#else
#define PIANOLA_SOURCE_COLUMN 0
#endif
