// SPDX-License-Identifier: Apache-2.0
// RUN: %device_module | FileCheck %s
// RUN: %device_module | FileCheck %s --check-prefix=ABSENT
// The device module holds the kernel and what it needs.
#include "kernel.hpp"

#include <iostream>
#include <map>
#include <string>

std::map<std::string, int> global_with_a_constructor;
int unused_variable = 3;
const int needed[] = {2, 3, 5, 7};

void host(int x) {
  static std::string once = "once";
  std::cout << global_with_a_constructor[once] + x;
}

__attribute__((noinline, visibility("hidden"))) int called(int x) { return needed[x & 3]; }

// ABSENT-NOT: global_ctors
// ABSENT-NOT: global_with_a_constructor
// ABSENT-NOT: unused_variable
// ABSENT-NOT: annotations
// ABSENT-NOT: cout
// ABSENT-NOT: comdat
// ABSENT-NOT: personality
// ABSENT-NOT: target-cpu
// ABSENT-NOT: stack-protector
// ABSENT-NOT: frame-pointer
// ABSENT-NOT: noinline
// ABSENT-NOT: optnone
// ABSENT-NOT: uwtable
// ABSENT-NOT: PIC Level

// CHECK: @{{.*}}needed{{.*}} = internal {{.*}}constant [4 x i32]
// CHECK: define {{(dso_local )?}}void @{{"?}}_ZN7pianola4glue11kernel_body
// CHECK-NOT: call
// CHECK: }
// CHECK-NOT: define
void make(int* p) {
  launch([=] { p[0] = called(p[1]); });
  host(*p);
}
