// SPDX-License-Identifier: Apache-2.0
// An object file with variables of devices tells the runtime of them, and which pointers to them its images have.
// RUN: %{clang} -O1 -mllvm -pianola-targets=simulated -S -emit-llvm -o - %s | FileCheck %s
// Without images nobody asks.
// RUN: %{clang} -O1 -S -emit-llvm -o - %s | FileCheck --check-prefix=HOST %s
#include <sycl/sycl.hpp>

namespace syclexp = sycl::ext::oneapi::experimental;

syclexp::device_global<int> seen;
static syclexp::device_global<long[4]> kept;
extern syclexp::device_global<int> elsewhere;
syclexp::device_global<int> not_used_by_kernels;

// A name is enough for none.
struct device_global {
  int value;
} other;

void submit(sycl::queue& q) {
  q.single_task([=] { seen = kept[1] + elsewhere; });
  q.memcpy(not_used_by_kernels, &other.value);
}

// CHECK-DAG: @[[SEEN:pianola.text[.0-9]*]] = internal unnamed_addr constant [22 x i8] c"pianola_variable_seen\00"
// CHECK-DAG: @[[KEPT:pianola.text[.0-9]*]] = internal unnamed_addr constant [{{.*}}] c"pianola_variable__ZL4kept_{{[0-9a-f]+}}\00"
// CHECK-DAG: @[[ELSEWHERE:pianola.text[.0-9]*]] = internal unnamed_addr constant [27 x i8] c"pianola_variable_elsewhere\00"
// In whichever order.
// CHECK-DAG: @[[USED:pianola.used_variables]] = internal constant [3 x { ptr, ptr, i64 }] [{{.*}}ptr @[[ELSEWHERE]], ptr @elsewhere, i64 0 }
// CHECK-DAG: @pianola.image_set = internal constant {{.*}}, i64 3, ptr @[[USED]] }
// CHECK-DAG: @pianola.variables = internal constant [3 x { ptr, ptr, i64 }] {{.*ptr @seen, i64 4 }.*ptr @_ZL4kept, i64 32 }.*|.*ptr @_ZL4kept, i64 32 }.*ptr @seen, i64 4 }.*}}]
// CHECK-DAG: @pianola.variable_set = internal constant { i32, i32, i64, ptr } { i32 1, i32 0, i64 3, ptr @pianola.variables }
// CHECK-DAG: @llvm.global_ctors = {{.*}}{ i32 101, ptr @pianola.register_variables, ptr null }
// CHECK-DAG: @llvm.global_dtors = {{.*}}{ i32 101, ptr @pianola.unregister_variables, ptr null }
// CHECK: call void @pianola_register_variables_v1(ptr {{.*}}@pianola.variable_set)
// CHECK: call void @pianola_unregister_variables_v1(ptr {{.*}}@pianola.variable_set)

// HOST-NOT: pianola_variable_
// HOST-NOT: register_variables
