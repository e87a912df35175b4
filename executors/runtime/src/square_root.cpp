// SPDX-License-Identifier: Apache-2.0
// Square roots that do not set errno, of one number and, under the names that the vector function ABI of x86-64
// gives them, of vectors: what g++ calls in loops of kernels (sycl/kernel/builtins/rounding.hpp).
#if defined(__x86_64__)

#include <immintrin.h>

extern "C" {

float pianola_square_root_f(float x) noexcept { return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x))); }
double pianola_square_root(double x) noexcept {
  const __m128d in = _mm_set_sd(x);
  return _mm_cvtsd_f64(_mm_sqrt_sd(in, in));
}

__m128 _ZGVbN4v_pianola_square_root_f(__m128 x) noexcept { return _mm_sqrt_ps(x); }
__m128d _ZGVbN2v_pianola_square_root(__m128d x) noexcept { return _mm_sqrt_pd(x); }
__attribute__((target("avx"))) __m256 _ZGVcN8v_pianola_square_root_f(__m256 x) noexcept {
  return _mm256_sqrt_ps(x);
}
__attribute__((target("avx"))) __m256d _ZGVcN4v_pianola_square_root(__m256d x) noexcept {
  return _mm256_sqrt_pd(x);
}
__attribute__((target("avx2"))) __m256 _ZGVdN8v_pianola_square_root_f(__m256 x) noexcept {
  return _mm256_sqrt_ps(x);
}
__attribute__((target("avx2"))) __m256d _ZGVdN4v_pianola_square_root(__m256d x) noexcept {
  return _mm256_sqrt_pd(x);
}
__attribute__((target("avx512f"))) __m512 _ZGVeN16v_pianola_square_root_f(__m512 x) noexcept {
  return _mm512_maskz_sqrt_ps(__mmask16(0xffff), x);
}
__attribute__((target("avx512f"))) __m512d _ZGVeN8v_pianola_square_root(__m512d x) noexcept {
  return _mm512_maskz_sqrt_pd(__mmask8(0xff), x);
}

}  // extern "C"

#endif
