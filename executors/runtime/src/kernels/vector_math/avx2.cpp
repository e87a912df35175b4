// SPDX-License-Identifier: Apache-2.0
// See baseline.cpp. Compiled for AVX2.
#if defined(__x86_64__)

#include <immintrin.h>

#include "logarithm.hpp"

namespace {

inline __attribute__((always_inline)) __m256 log_of(__m256 x) noexcept {
  vectors<8>::of_float in = x, result;
  vectors<8>::of_int normal;
  log_of_normal<8>(in, result, normal);
  if (__builtin_expect(_mm256_movemask_ps(__m256(normal)) != 0xff, 0))
    return with_others<8>(x, __m256(result));
  return result;
}
__attribute__((target("fma"))) __m256 fused_log_of(__m256 x) noexcept { return log_of(x); }

}  // namespace

extern "C" {

// AVX2 does not include fused multiplication; all but a few processors with it have that, too.
__m256 _ZGVdN8v_pianola_log_f(__m256 x) noexcept {
  return __builtin_cpu_supports("fma") ? fused_log_of(x) : log_of(x);
}

}  // extern "C"

#endif
