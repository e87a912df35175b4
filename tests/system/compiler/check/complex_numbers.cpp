// SPDX-License-Identifier: Apache-2.0
// RUN: %accepted
// RUN: %{clang} -O2 -Werror -mllvm -pianola-targets=simulated,hip:gfx90a -c %s -o %t.o 2>&1 | count 0
// RUN: not %{clang} -DROOTS -mllvm -pianola-targets=simulated -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// What std::complex calls in libraries of the host exists on devices, for a part of its functions.
#include <complex>

#include "kernel.hpp"

template <class T>
void use(std::complex<T>* p) {
  p[0] = p[1] * p[2];
  p[1] = p[2] / p[3];
  p[2] = std::abs(p[3]);
  p[3] = std::arg(p[4]);
  p[4] = std::exp(p[5]) + std::conj(p[6]) - std::polar(p[7].real(), p[8].imag());
#if defined(ROOTS)
  p[5] = std::sqrt(p[6]);
#endif
}

void make(std::complex<float>* f, std::complex<double>* d) {
  // CHECK: error: kernel 'make({{.*}})::$_0': calls 'csqrtf', which this translation unit does not define
  launch([=] { use(f); });
  // CHECK: error: kernel 'make({{.*}})::$_1': calls 'csqrt', which this translation unit does not define
  launch([=] { use(d); });
}
