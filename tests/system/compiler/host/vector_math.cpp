// SPDX-License-Identifier: Apache-2.0
// Mathematical functions in kernels set no errno, and loops over work-items call their forms for vectors: those
// of the instruction set that the file is compiled for.
// RUN: %{clang} -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,SSE
// RUN: %{clang} -O2 -march=x86-64-v3 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: %{clang} -O2 -march=x86-64-v4 -mprefer-vector-width=512 -S -emit-llvm %s -o - \
// RUN:   | FileCheck %s --check-prefixes=CHECK,AVX512
#include <cerrno>
#include <cmath>

#include "kernel.hpp"

// CHECK-LABEL: define {{.*}}3sin
// SSE: call <4 x float> @_ZGVbN4v_sinf(
// AVX2: call <8 x float> @_ZGVdN8v_sinf(
void sin(float* a) {
  launch<1>([=] { a[x()] = std::sin(a[x()]); }, all, group);
}

// One vector at a time, of whatever length the loop is: others would be kept in memory around the call.
// CHECK-LABEL: define {{.*}}9long_loop
// AVX512: call <16 x float> @_ZGVeN16v_sinf(
// AVX512-NOT: call <16 x float> @_ZGVeN16v_sinf(
void long_loop(float* a, int n) {
  launch<1>(
      [=] {
        for (int i = 0; i < n; ++i) a[i] = std::sin(a[i]);
      },
      all, group);
}

// CHECK-LABEL: define {{.*}}3pow
// SSE: call <2 x double> @_ZGVbN2vv_pow(
// AVX2: call <4 x double> @_ZGVdN4vv_pow(
void pow(double* a) {
  launch<1>([=] { a[x()] = std::pow(a[x()], 1.7); }, all, group);
}

// Without errno a square root is one instruction.
// CHECK-LABEL: define {{.*}}4sqrt
// CHECK: call <{{.*}} x float> @llvm.sqrt.v{{.*}}f32(
void sqrt(float* a) {
  launch<1>([=] { a[x()] = std::sqrt(a[x()]); }, all, group);
}

// The C library's form for vectors is less precise than SYCL allows: the runtime has its own.
// CHECK-LABEL: define {{.*}}3log
// SSE: call <4 x float> @_ZGVbN4v_pianola_log_f(
// AVX2: call <8 x float> @_ZGVdN8v_pianola_log_f(
// AVX512: call <16 x float> @_ZGVeN16v_pianola_log_f(
void log(float* a) {
  launch<1>([=] { a[x()] = std::log(a[x()]); }, all, group);
}

// Of this one, only the form for the widest vectors is.
// CHECK-LABEL: define {{.*}}7exp_ten
// AVX512-NOT: @_ZGVeN16v_exp10f(
// AVX512: call <8 x float> @_ZGVdN8v_exp10f(
void exp_ten(float* a) {
  launch<1>([=] { a[x()] = ::exp10f(a[x()]); }, all, group);
}

// Not in a kernel: errno is wanted.
// CHECK-LABEL: define {{.*}}4host
// CHECK-NOT: _ZGV
// CHECK: call {{.*}}float @cosf(
void host(float* a, int n) {
  for (int i = 0; i < n; ++i) a[i] = std::cos(a[i]);
}
