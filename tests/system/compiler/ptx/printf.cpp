// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// printf is the driver's vprintf, with its arguments in memory, each at its own alignment.
#include <cstdio>
#include <cstring>

#include "kernel.hpp"

struct data {
  float* at;
};

// CHECK: .extern .func (.param .b32 func_retval0) vprintf
// CHECK-LABEL: .visible .entry
// CHECK: .local .align 8 .b8 __local_depot{{[0-9]+}}[24];
// CHECK-DAG: st.local.u32 [%{{.*}}],
// CHECK-DAG: st.local.f64 [%{{.*}}+8],
// CHECK-DAG: st.local.u32 [%{{.*}}+16],
// CHECK: call.uni (retval0),
// CHECK-NEXT: vprintf,
KERNEL(1, 1) arguments(const data& k, const pianola_launch&) {
  const auto i = static_cast<int>(__pianola_local_id_x());
  std::printf("%d: %f %c\n", i, k.at[i], 'x');
}

// The host's compiler makes puts and putchar of these.
// CHECK-LABEL: .visible .entry
// CHECK: vprintf,
// CHECK: vprintf,
// CHECK: ret;
KERNEL(1, 1) constant(const data&, const pianola_launch&) {
  std::printf("hello\n");
  std::printf("x");
}
