// SPDX-License-Identifier: Apache-2.0
// What only the items at an edge do gets loops of its own, and leaves the loop of all items to the vectoriser.
// RUN: %lowered
// RUN: %{clang} -O0 -fno-discard-value-names -S -emit-llvm %s -o - | FileCheck %s --check-prefix=COUNT
// RUN: %{clang} -O2 -Rpass=loop-vectorize -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=VECTORS
#include "kernel.hpp"

void edges(const float* in, float* out) {
  // CHECK-LABEL: define internal void @{{.*}}edges{{.*}}.work_group"(
  // No loop asks where an item is, and those of the first row have no loop over y.
  // CHECK-NOT: icmp eq i32 %item
  // CHECK: ret void
  // COUNT-LABEL: define internal void @{{.*}}edges{{.*}}.work_group"(
  // COUNT-COUNT-5: %item.y{{.*}} = phi
  // COUNT-NOT: %item.y{{.*}} = phi
  // COUNT: ret void
  launch<2>(
      [=] {
        float* tile = local_memory<float>();
        const unsigned row = (__pianola_group_id_y() * 8 + y()) * 1000, at = row + x();
        // VECTORS-DAG: cuts.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: vectorized loop
        tile[(y() + 1) * 34 + x() + 1] = in[at];
        // VECTORS-DAG: cuts.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: vectorized loop
        if (y() == 0) tile[x() + 1] = in[at - 1000];
        if (x() == 0) tile[(y() + 1) * 34] = in[at - 1];
        barrier();
        // VECTORS-DAG: cuts.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: vectorized loop
        out[at] =
            tile[(y() + 1) * 34 + x() + 1] + tile[y() * 34 + x() + 1] + tile[(y() + 1) * 34 + x()];
      },
      all, group);
}

void remade(const float* in, float* out, unsigned width, unsigned a, unsigned b) {
  // An index that takes much to compute is computed again behind the barrier: from an array it could be anything.
  // CHECK-LABEL: define internal void @{{.*}}remade{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK: ret void
  launch<2>(
      [=] {
        const unsigned at = ((((y() * width + a) * 3 + b) * width + x()) + a * b) +
                            ((y() + a) * b + width) * 7 + (y() * a + (y() + b) * width);
        local_memory<float>()[y() * 34 + x()] = in[at];
        barrier();
        out[at] = local_memory<float>()[y() * 34 + x()];
      },
      all, group);
}

void stays(const float* in, float* out, int* counter) {
  // Others can see in which order items count: nothing is cut.
  // CHECK-LABEL: define internal void @{{.*}}stays{{.*}}.work_group"(
  // CHECK: icmp eq i32 %item.x
  // CHECK: ret void
  launch<1>(
      [=] {
        out[x()] = in[x()];
        if (x() == 0) out[100] = in[100];
        __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
      },
      all, group);
}
