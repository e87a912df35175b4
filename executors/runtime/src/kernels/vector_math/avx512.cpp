// SPDX-License-Identifier: Apache-2.0
// See baseline.cpp. Compiled for AVX-512F.
#if defined(__x86_64__)

#include <immintrin.h>

#include "pianola/runtime/log_polynomial.hpp"

extern "C" {

// The instructions for exponent and fraction know all numbers: zero and infinities have an infinite exponent, negative
// numbers and NaN the fraction NaN, subnormal numbers are like any others.
__m512 _ZGVeN16v_pianola_log_f(__m512 x) noexcept {
  constexpr __mmask16 all = 0xffff;  // without masks, g++ 12 warns of its own header
  const __m512 m = _mm512_maskz_getmant_ps(all, x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  const __m512 e = _mm512_maskz_getexp_ps(all, x) - _mm512_maskz_getexp_ps(all, m);
  const __m512 f = m - 1.0F;
  __m512 near_one;
  pianola::runtime::log_near_one(f, near_one);
  return e * pianola::runtime::log_of_two + near_one;
}

}  // extern "C"

#endif
