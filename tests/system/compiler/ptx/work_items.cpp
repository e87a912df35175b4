// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// Ids and sizes are special registers; a kernel has the two parameters of the interface, by value.
#include "kernel.hpp"

struct numbers {
  std::uint64_t* out;
};

// CHECK: .version 7.8
// CHECK: .target sm_75
// CHECK: .visible .entry pianola_kernel_[[ID:[0-9a-f]+]](
// CHECK-NEXT: .param .align 8 .b8 pianola_kernel_[[ID]]_param_0[8],
// CHECK-NEXT: .param .align 8 .b8 pianola_kernel_[[ID]]_param_1[48]
KERNEL(2, 3) body(const numbers& k, const pianola_launch& launch) {
  volatile std::uint64_t* out = k.out;
  // CHECK-DAG: mov.u32 %{{.*}}, %tid.x;
  // CHECK-DAG: mov.u32 %{{.*}}, %tid.y;
  // CHECK-DAG: mov.u32 %{{.*}}, %tid.z;
  out[0] = __pianola_local_id_x();
  out[1] = __pianola_local_id_y();
  out[2] = __pianola_local_id_z();
  // CHECK-DAG: mov.u32 %{{.*}}, %ctaid.x;
  // CHECK-DAG: mov.u32 %{{.*}}, %ctaid.y;
  // CHECK-DAG: mov.u32 %{{.*}}, %ctaid.z;
  out[3] = __pianola_group_id_x();
  out[4] = __pianola_group_id_y();
  out[5] = __pianola_group_id_z();
  // CHECK-DAG: mov.u32 %{{.*}}, %ntid.x;
  // CHECK-DAG: mov.u32 %{{.*}}, %ntid.y;
  // CHECK-DAG: mov.u32 %{{.*}}, %ntid.z;
  out[6] = __pianola_local_size_x();
  out[7] = __pianola_local_size_y();
  out[8] = __pianola_local_size_z();
  // CHECK-DAG: mov.u32 %{{.*}}, %nctaid.x;
  // CHECK-DAG: mov.u32 %{{.*}}, %nctaid.y;
  // CHECK-DAG: mov.u32 %{{.*}}, %nctaid.z;
  out[9] = __pianola_group_count_x();
  out[10] = __pianola_group_count_y();
  out[11] = __pianola_group_count_z();
  // CHECK-DAG: ld.param.u64 %{{.*}}, [pianola_kernel_[[ID]]_param_1+40];
  out[12] = launch.offset[2];
  // CHECK-DAG: mov.u64 [[SIZE:%.*]], 32;
  // CHECK-DAG: st.volatile.global.u64 [{{.*}}+104], [[SIZE]];
  out[13] = __pianola_sub_group_size();
  // CHECK-DAG: mov.u64 [[DEVICE:%.*]], 1;
  // CHECK-DAG: st.volatile.global.u64 [{{.*}}+112], [[DEVICE]];
  out[14] = static_cast<std::uint64_t>(__pianola_is_device());
  // CHECK: ret;
}
