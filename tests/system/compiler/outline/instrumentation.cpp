// SPDX-License-Identifier: Apache-2.0
// RUN: %device_module_with<-fsanitize=undefined,integer,nullability,implicit-conversion> | FileCheck %s
// RUN: %device_module_with<-fsanitize=undefined -fno-sanitize-recover=undefined> | FileCheck %s --check-prefixes=CHECK,ENDS
// RUN: %device_module_with<-fsanitize=undefined -fsanitize-minimal-runtime> | FileCheck %s
// RUN: %device_module_with<-fsanitize=address> | FileCheck %s
// RUN: %device_module_with<-fsanitize=thread> | FileCheck %s
// RUN: %device_module_with<-finstrument-functions> | FileCheck %s
// RUN: %device_module_with<-fprofile-instr-generate -fcoverage-mapping> | FileCheck %s
// RUN: %device_module_with<-O2 -fprofile-instr-generate -fprofile-update=atomic> | FileCheck %s
// RUN: %device_module_with<-fprofile-instr-generate -fprofile-update=atomic> | FileCheck %s
// RUN: %device_module_with<-fprofile-generate -pg> | FileCheck %s
// RUN: %device_module_with<--coverage> | FileCheck %s
// Sanitizers and profilers watch code of the host. A report that ends the program is a trap.
#include "kernel.hpp"

struct base {
  virtual ~base() = default;
  int x = 0;
};
struct derived : base {
  int y = 0;
};

__attribute__((noinline)) int divide(int a, int b) { return a / b; }

// CHECK-NOT: ubsan
// CHECK-NOT: __cyg
// CHECK-NOT: instrprof
// CHECK-NOT: __prof
// CHECK-NOT: mcount
// CHECK-NOT: {{ sanitize_|func_sanitize}}
// CHECK-LABEL: define {{.*}} @{{"?}}_ZN7pianola4glue11kernel_body{{.*}}make
// ENDS: call void @llvm.trap()
// CHECK-NOT: ubsan
// CHECK-NOT: __cyg
// CHECK-NOT: instrprof
// CHECK-NOT: __prof
// CHECK-NOT: mcount
// CHECK-NOT: {{ sanitize_|func_sanitize}}
void make(int* p, base* b) {
  launch([=] {
    p[0] = divide(p[1], p[2]) + (p[3] << p[4]) + p[5] * p[6];
    p[7] = static_cast<derived*>(b)->y;
    signed char c = static_cast<signed char>(p[8]);
    p[9] = c;
  });
}
