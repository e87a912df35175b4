// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// The function object is read where it lies, in parameter memory.
#include "kernel.hpp"

struct table {
  float* out;
  float values[16];
};

// CHECK-LABEL: .visible .entry
// CHECK-NOT: __local_depot
// CHECK-NOT: ld.local
// CHECK: ld.param.f32 %{{.*}}, [%{{.*}}+8];
// CHECK-NOT: ld.local
// CHECK: st.global.f32
// CHECK: ret;
KERNEL(1, 1) indexed(const table& k, const pianola_launch&) {
  table own = k;
  own.out[global_x()] = own.values[global_x() & 15];
}

// Also where a function of the source reads it through a pointer.
// CHECK-LABEL: .visible .entry
// CHECK-NOT: __local_depot
// CHECK: ld.param.v2.f32
// CHECK-NOT: ld.f32
// CHECK: st.global.f32
__attribute__((noinline, optnone)) float sum(const float* values) {
  float result = 0;
  for (int i = 0; i < 16; ++i) result += values[i];
  return result;
}
KERNEL(1, 1) passed(const table& k, const pianola_launch&) { k.out[global_x()] = sum(k.values); }

// A kernel that writes to it has a copy of its own.
// CHECK-LABEL: .visible .entry
// CHECK: .local .align 8 .b8 __local_depot{{[0-9]+}}[72];
// CHECK: st.local.u32
KERNEL(1, 1) written(const table& k, const pianola_launch& launch) {
  auto& values = const_cast<float(&)[16]>(k.values);
  values[launch.global[2] & 15] = 1;
  k.out[global_x()] = values[global_x() & 15];
}
