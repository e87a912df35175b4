// SPDX-License-Identifier: Apache-2.0
// A kernel that needs sub-groups of another size has no code for the architecture; the others have.
// RUN: rm -rf %t && mkdir %t && %unit %s > %t/sub_group_sizes.ll
// RUN: %image<gfx90a> -pianola-save-temps=%t %t/sub_group_sizes.ll 2>&1 | FileCheck %s --check-prefix=WAVE64
// RUN: %image<gfx1030> -pianola-save-temps=%t %t/sub_group_sizes.ll 2>&1 | FileCheck %s --check-prefix=WAVE32
// RUN: llvm-readelf --notes %t/sub_group_sizes-gfx90a.hsaco | FileCheck %s --check-prefix=KERNELS
// RUN: llvm-readelf --notes %t/sub_group_sizes-gfx1030.hsaco | FileCheck %s --check-prefix=KERNELS
#include "kernels.hpp"

struct needs_32 {
  int* p;
  [[clang::annotate("pianola.reqd_sub_group_size", 32)]] void operator()(
      const pianola_launch&) const {
    p[global_x()] = 1;
  }
};
struct needs_64 {
  int* p;
  [[clang::annotate("pianola.reqd_sub_group_size", 64)]] void operator()(
      const pianola_launch&) const {
    p[global_x()] = 2;
  }
};
struct takes_any {
  int* p;
  void operator()(const pianola_launch&) const { p[global_x()] = 3; }
};
const void* all(int n) {
  return n == 0 ? nd_range(needs_32{}) : n == 1 ? nd_range(needs_64{}) : nd_range(takes_any{});
}
// WAVE64: warning: kernel 'needs_32' is left out of the code for gfx90a: it requires sub-groups of 32 work-items, and theirs have 64
// WAVE64-NOT: needs_64
// WAVE32: warning: kernel 'needs_64' is left out of the code for gfx1030: it requires sub-groups of 64 work-items, and theirs have 32
// WAVE32-NOT: needs_32
// KERNELS-COUNT-2: .symbol: pianola_kernel_{{[0-9a-f]+}}.kd
// KERNELS-NOT: .symbol:
