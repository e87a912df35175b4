// SPDX-License-Identifier: Apache-2.0
// Mathematical functions in kernels set no errno, and loops over work-items call their forms for vectors: those
// of the instruction set that the file is compiled for.
// RUN: %{clang} -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,SSE
// RUN: %{clang} -O2 -march=x86-64-v3 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,AVX2
#include <cerrno>
#include <cmath>

#include "kernel.hpp"

// CHECK-LABEL: define {{.*}}3sin
// SSE: call <4 x float> @_ZGVbN4v_sinf(
// AVX2: call <8 x float> @_ZGVdN8v_sinf(
void sin(float* a) {
  launch<1>([=] { a[x()] = std::sin(a[x()]); }, all, group);
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

// The form for vectors is less precise than SYCL allows.
// CHECK-LABEL: define {{.*}}3log
// CHECK-NOT: _ZGV
// CHECK: call {{.*}}float @logf(
void log(float* a) {
  launch<1>([=] { a[x()] = std::log(a[x()]); }, all, group);
}

// Not in a kernel: errno is wanted.
// CHECK-LABEL: define {{.*}}4host
// CHECK-NOT: _ZGV
// CHECK: call {{.*}}float @cosf(
void host(float* a, int n) {
  for (int i = 0; i < n; ++i) a[i] = std::cos(a[i]);
}
