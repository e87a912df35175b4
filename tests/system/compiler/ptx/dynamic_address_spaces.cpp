// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// Which memory a pointer points into is asked of the hardware where it is not known.
#include "kernel.hpp"

struct pointers {
  int** from;
  unsigned* to;
};

// CHECK-DAG: isspacep.shared
// CHECK-DAG: isspacep.local
KERNEL(2, 1) unknown(const pointers& k, const pianola_launch&) {
  k.to[global_x()] = __pianola_address_space(k.from[global_x()]);
}
