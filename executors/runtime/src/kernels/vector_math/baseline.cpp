// SPDX-License-Identifier: Apache-2.0
// Natural logarithms of floats, of one number and, under the names that the vector function ABI of x86-64 gives them, of
// vectors, one file for each instruction set. g++ calls them in loops of kernels (sycl/kernel/builtins/scalar_math.hpp),
// pianolacc, too (vectorise_math). The C library's, libmvec's, are up to 3.9 units in the last place off, where SYCL 2020
// allows 3, and slower; these are up to 1.6 off.
#if defined(__x86_64__)

#include <immintrin.h>
#include <math.h>

#include "logarithm.hpp"

extern "C" {

float pianola_log_f(float x) noexcept { return ::logf(x); }

__m128 _ZGVbN4v_pianola_log_f(__m128 x) noexcept {
  vectors<4>::of_float in = x, result;
  vectors<4>::of_int normal;
  log_of_normal<4>(in, result, normal);
  if (__builtin_expect(_mm_movemask_ps(__m128(normal)) != 0xf, 0))
    return with_others<4>(x, __m128(result));
  return result;
}

}  // extern "C"

#endif
