// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// What the function object points to is global memory; local memory is shared memory; a pointer that was
// itself read from memory may be any.
#include "kernel.hpp"

struct pointers {
  int* to;
  const int* from;
  std::uint64_t offset;
};

// CHECK: .extern .shared .align 64 .b8 pianola_local_memory[];
// CHECK-LABEL: .visible .entry
// CHECK: ld.global.u32
// CHECK: st.shared.u32
// CHECK: bar.sync
// CHECK: ld.shared.u32
// CHECK: st.global.u32
// CHECK-NOT: ld.u32
// CHECK: ret;
KERNEL(2, 1) local(const pointers& k, const pianola_launch&) {
  int* tile = reinterpret_cast<int*>(static_cast<char*>(__pianola_local_memory()) + k.offset);
  tile[__pianola_local_id_x()] = k.from[global_x()];
  __pianola_group_barrier(2);
  k.to[global_x()] = tile[__pianola_local_id_x() ^ 1];
}

struct pointer_to_pointer {
  int** to;
};

// CHECK-LABEL: .visible .entry
// CHECK: ld.global.u64 [[TO:%.*]], [{{.*}}];
// CHECK: st.u32 [[[TO]]]
KERNEL(1, 1) indirect(const pointer_to_pointer& k, const pianola_launch&) { *k.to[global_x()] = 1; }

// CHECK-LABEL: .visible .entry
// CHECK: .shared .align 64 .b8 {{.*}}[1024];
// CHECK: st.volatile.shared.u32
// CHECK: ld.volatile.shared.u32
KERNEL(2, 1) scratch(const pointers& k, const pianola_launch&) {
  auto* words = static_cast<volatile int*>(__pianola_group_scratch());
  words[__pianola_local_id_x()] = 1;
  __pianola_group_barrier(2);
  k.to[global_x()] = words[0];
}

// Private arrays.
// CHECK-LABEL: .visible .entry
// CHECK: st.local.u32
// CHECK: ld.local.u32
KERNEL(1, 1) own(const pointers& k, const pianola_launch&) {
  int values[8];
  for (int i = 0; i < 8; ++i) values[(i * k.offset) & 7] = k.from[i];
  k.to[global_x()] = values[k.from[8] & 7];
}

// Constants.
// CHECK-LABEL: .visible .entry
// CHECK: ld.global{{(.nc)?}}.u32
constexpr int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
KERNEL(1, 1) constant(const pointers& k, const pianola_launch&) {
  k.to[global_x()] = primes[global_x() & 7];
}
