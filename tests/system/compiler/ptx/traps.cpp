// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// A failed assertion and abort stop the kernel.
#include <cassert>
#include <cstdlib>

#include "kernel.hpp"

struct data {
  int* at;
};

// CHECK-LABEL: .visible .entry
// CHECK: st.global.u32
// CHECK: trap;
KERNEL(1, 1) asserts(const data& k, const pianola_launch&) {
  assert(k.at[0] > 0 && "positive");
  k.at[1] = 1;
}

// CHECK-LABEL: .visible .entry
// CHECK: trap;
KERNEL(1, 1) aborts(const data& k, const pianola_launch&) {
  if (k.at[0] == 1) std::abort();
  k.at[1] = 1;
}
