// SPDX-License-Identifier: Apache-2.0
// See baseline.cpp. Compiled for AVX.
#if defined(__x86_64__)

#include <immintrin.h>

extern "C" {

__m128 _ZGVbN4v_pianola_log_f(__m128 x) noexcept;

__m256 _ZGVcN8v_pianola_log_f(__m256 x) noexcept {
  // The upper halves of registers are saved: what is called may clear them.
  const __m128 low = _ZGVbN4v_pianola_log_f(_mm256_castps256_ps128(x));
  const __m128 high = _ZGVbN4v_pianola_log_f(_mm256_extractf128_ps(x, 1));
  return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

}  // extern "C"

#endif
