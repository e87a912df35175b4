// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// Copies of any size are loops or single accesses; nothing is called.
#include <cstring>

#include "kernel.hpp"

struct data {
  char* to;
  const char* from;
  std::size_t bytes;
};

// CHECK-NOT: .extern
// CHECK-LABEL: .visible .entry
// CHECK: ld.global.u8
// CHECK: st.global.u8
// CHECK: st.global.u8
// CHECK: ret;
KERNEL(1, 1) variable(const data& k, const pianola_launch&) {
  std::memcpy(k.to, k.from, k.bytes);
  std::memset(k.to + k.bytes, 3, k.bytes);
}

struct quad {
  double values[4];
};
struct quads {
  quad* to;
  const quad* from;
};
// CHECK-LABEL: .visible .entry
// CHECK: ld.global.u64
// CHECK: st.global.u64
// CHECK-NOT: __local_depot
// CHECK: ret;
KERNEL(1, 1) objects(const quads& k, const pianola_launch&) {
  k.to[global_x()] = k.from[global_x()];
}

// CHECK-LABEL: .visible .entry
// CHECK: ld.global.u8
// CHECK: st.global
KERNEL(1, 1) comparison(const data& k, const pianola_launch&) {
  k.to[0] = std::memcmp(k.to + 16, k.from, 7) < 0;
}
