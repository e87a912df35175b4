// SPDX-License-Identifier: Apache-2.0
// Row and column of a flat index, by a width that is only known when the kernel runs: loads without gathering,
// in strips, which the vectoriser takes.
// RUN: %{clang} -O2 -march=x86-64-v3 -Rpass=loop-vectorize -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %{clang} -O2 -march=x86-64-v3 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
#include "kernel.hpp"

void rows(const float* in, float* out, std::uint64_t width, std::uint64_t pitch) {
  // IR-LABEL: define {{.*}}rows
  // IR: load <4 x float>
  // IR: load <8 x float>
  // IR: ret void
  launch<1>(
      [=] {
        const std::uint64_t i = x();
        // CHECK: flat_index.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: vectorized loop (vectorization width: 8
        out[i] = in[i / width * pitch + i % width];
      },
      all, group);
}
