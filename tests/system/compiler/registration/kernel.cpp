// SPDX-License-Identifier: Apache-2.0
// An object file with a kernel tells the runtime of it when it is loaded, before the program's own constructors,
// and before it is unloaded.
// RUN: %{clang} -O1 -S -emit-llvm -o - %s | FileCheck %s
// RUN: %{clang} -O1 -mllvm -pianola-targets=simulated -c -o %t.o %s
// RUN: llvm-readelf -SW %t.o | FileCheck --check-prefix=SECTIONS %s
#include <sycl/sycl.hpp>

void submit(sycl::queue& q, float* out, const float* in) {
  q.parallel_for(sycl::range<1>(8),
                 [=](sycl::id<1> i) { out[i] = sycl::sin(3.0f * in[i] + 1.0f) / 7.5f; });
}

// The index in bytes: 4 times the global id (kind 3) in dimension 2, no other factors.
// CHECK-DAG: @[[TERMS:pianola.terms[.0-9]*]] = internal constant [1 x { i64, [4 x i32] }] [{ i64, [4 x i32] } { i64 4, [4 x i32] [i32 805306370, i32 -268435456, i32 -268435456, i32 -268435456] }]
// Pointers (8) at 0, written (2), and at 8, read (1), both element by element (4), with a list of accesses (64).
// CHECK-DAG: @[[USES:pianola.uses[.0-9]*]] = internal constant [2 x { i32, i32, i32, i32, ptr, i64, ptr }] [{ i32, i32, i32, i32, ptr, i64, ptr } { i32 0, i32 78, i32 4, i32 1, ptr @{{.*}}, i64 1, ptr @{{.*}} }, { i32, i32, i32, i32, ptr, i64, ptr } { i32 8, i32 77, i32 4, i32 1, ptr @{{.*}}, i64 1, ptr @{{.*}} }]
// The first is written (2), for certain (4): 4 bytes, no loops, no conditions.
// CHECK-DAG: @pianola.accesses{{.*}} = internal constant [1 x { i32, i32, { i64, ptr }, i32, i32, ptr, ptr }] [{ i32, i32, { i64, ptr }, i32, i32, ptr, ptr } { i32 6, i32 4, { i64, ptr } { i64 1, ptr @{{.*}} }, i32 0, i32 0, ptr null, ptr null }]
// What is written is computed: a product and a sum (2) of each work-item, a division (1), a function (1).
// CHECK-DAG: @[[OPERATIONS:pianola.operations[.0-9]*]] = internal constant [1 x { i32, i32, i32, i32, i32, i32, ptr, ptr }] [{ i32, i32, i32, i32, i32, i32, ptr, ptr } { i32 0, i32 2, i32 1, i32 1, i32 0, i32 0, ptr null, ptr null }]
// A range kernel of one dimension with 16 bytes of arguments; all its uses are known and there is nothing else, and so are its
// operations (8).
// CHECK-DAG: @pianola.kernels = internal constant {{.*}} i32 1, i32 1, i32 16, i32 8, i32 0, i32 11, i64 2, ptr @[[USES]], i64 1, ptr @[[OPERATIONS]] }]
// CHECK-DAG: @pianola.image_set = internal constant { i32, i32, ptr, i64, ptr, i64, ptr } { i32 4, i32 0, ptr null, i64 1, ptr @pianola.kernels, i64 0, ptr null }
// CHECK-DAG: @llvm.global_ctors = {{.*}}{ i32 101, ptr @pianola.register_images, ptr null }
// CHECK-DAG: @llvm.global_dtors = {{.*}}{ i32 101, ptr @pianola.unregister_images, ptr null }
// CHECK: define internal void @pianola.register_images()
// CHECK: call void @pianola_register_images_v1(ptr {{.*}}@pianola.image_set)
// CHECK: define internal void @pianola.unregister_images()
// CHECK: call void @pianola_unregister_images_v1(ptr {{.*}}@pianola.image_set)

// SECTIONS-DAG: .init_array.101
// SECTIONS-DAG: .fini_array.101
// Read only, without relocations.
// SECTIONS-DAG: .pianola.images PROGBITS {{.*}} A {{.*}} 64
