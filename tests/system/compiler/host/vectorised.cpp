// SPDX-License-Identifier: Apache-2.0
// LLVM's vectoriser takes the loops over the work-items as they are: of a kernel with barriers, of the steps
// of a reduction, of sub-groups.
// RUN: %{clang} -O2 -Rpass=loop-vectorize -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %{clang} -O2 -Rpass-missed=loop-vectorize -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MISSED --allow-empty
// A loop over work-items has a place; only loops around calls of memset, which others became, have none.
// MISSED-NOT: {{pp}}:{{[0-9]+}}:{{[0-9]+}}: remark: loop not vectorized
#include "kernel.hpp"

void tiles(const float* a, const float* b, float* c, unsigned tiles) {
  launch<2>(
      [=] {
        float* tile_a = local_memory<float>();
        float* tile_b = tile_a + 256;
        float sum = 0;
        for (unsigned t = 0; t < tiles; ++t) {
          // CHECK-DAG: vectorised.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: vectorized loop
          tile_a[y() * 16 + x()] = a[y() * 512 + t * 16 + x()];
          tile_b[y() * 16 + x()] = b[(t * 16 + y()) * 512 + x()];
          barrier();
          // CHECK-DAG: vectorised.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: vectorized loop
          for (unsigned k = 0; k < 16; ++k) sum += tile_a[y() * 16 + k] * tile_b[k * 16 + x()];
          barrier();
        }
        // CHECK-DAG: vectorised.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: vectorized loop
        c[y() * 512 + x()] = sum;
      },
      all, group);
}

void reduction(const float* in, float* out, unsigned size) {
  launch<1>(
      [=] {
        float* sums = local_memory<float>();
        // CHECK-DAG: vectorised.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: vectorized loop
        sums[x()] = in[__pianola_group_id_x() * size + x()];
        barrier();
        for (unsigned half = size / 2; half > 0; half /= 2) {
          // CHECK-DAG: vectorised.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: vectorized loop
          if (x() < half) sums[x()] += sums[x() + half];
          barrier();
        }
        if (x() == 0) out[__pianola_group_id_x()] = sums[0];
      },
      all, group);
}

void sub_groups(const unsigned* in, unsigned* out) {
  launch<1>(
      [=] {
        const unsigned value = in[__pianola_group_id_x() * 64 + x()];
        // CHECK-DAG: vectorised.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: vectorized loop
        const unsigned first = __pianola_shuffle_32(value * 3, 0);
        // CHECK-DAG: vectorised.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: vectorized loop
        out[__pianola_group_id_x() * 64 + x()] = value + first;
      },
      all, group);
}
