// SPDX-License-Identifier: Apache-2.0
// RUN: rm -rf %t.toolkit && mkdir -p %t.toolkit/bin
// RUN: printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho "cubin of $3" >"$2"\n' > %t.toolkit/bin/ptxas && chmod +x %t.toolkit/bin/ptxas
// RUN: env CUDA_PATH=%t.toolkit %{clang} -I%S -O2 -mllvm -pianola-targets=cuda:sm_75 -S -emit-llvm -o - %s | FileCheck %s
// RUN: env CUDA_PATH=%t.toolkit %{clang} -I%S -O2 -DNONE_IS_SMALL -mllvm -pianola-targets=cuda:sm_75 -S -emit-llvm -o - %s | FileCheck --check-prefix=ONE %s
// RUN: %{clang} -I%S -O2 -S -emit-llvm -o - %s | FileCheck --check-prefix=HOST %s
// What takes PTX of version 8.1, more than 4 KiB of parameters, has images of its own, and the other kernels of the file
// stay as portable as they are. Nothing here needs a toolkit: the assembler is a script.
#include "kernel.hpp"

struct small {
  int* out;
};
struct large {
  int* out;
  int values[2000];
};

// CHECK-DAG: @"pianola.image.ptx:sm_75{{[.0-9]*}}" = {{.*}}.version 7.8{{.*}}.visible .entry [[SMALL:pianola_kernel_[0-9a-f]+]](
// CHECK-DAG: @"pianola.image.ptx:sm_75{{[.0-9]*}}" = {{.*}}.version 8.1{{.*}}.visible .entry [[LARGE:pianola_kernel_[0-9a-f]+]](
// Two sets, each with the kernel that its images hold, a cubin and PTX.
// CHECK-DAG: @[[TEXT_OF_SMALL:pianola.text[.0-9]*]] = internal unnamed_addr constant [32 x i8] c"[[SMALL]]\00"
// CHECK-DAG: @[[TEXT_OF_LARGE:pianola.text[.0-9]*]] = internal unnamed_addr constant [32 x i8] c"[[LARGE]]\00"
// CHECK-DAG: @[[WITH_SMALL:pianola.kernels[.0-9]*]] = internal constant [1 x {{.*}} ptr @[[TEXT_OF_SMALL]],
// CHECK-DAG: @[[WITH_LARGE:pianola.kernels[.0-9]*]] = internal constant [1 x {{.*}} ptr @[[TEXT_OF_LARGE]],
// CHECK-DAG: @pianola.image_set{{.*}} = {{.*}} i32 2, ptr @{{pianola.images[.0-9]*}}, i64 1, ptr @[[WITH_SMALL]], i64 0, ptr null }
// CHECK-DAG: @pianola.image_set{{.*}} = {{.*}} i32 2, ptr @{{pianola.images[.0-9]*}}, i64 1, ptr @[[WITH_LARGE]], i64 0, ptr null }
// CHECK-DAG: call void @pianola_register_images_v1(ptr {{.*}}@pianola.image_set)
// CHECK-DAG: call void @pianola_register_images_v1(ptr {{.*}}@pianola.image_set.

// ONE: @pianola.image_set = {{.*}} i32 2, ptr @pianola.images, i64 1, ptr @pianola.kernels, i64 0, ptr null }
// ONE-NOT: @pianola.image_set.

// HOST: @pianola.image_set = {{.*}} i32 0, ptr null, i64 2, ptr @pianola.kernels, i64 0, ptr null }
// HOST-NOT: @pianola.image_set.
#ifndef NONE_IS_SMALL
KERNEL(1, 1) first(const small& k, const pianola_launch&) { k.out[global_x()] = 1; }
#endif
KERNEL(1, 1) second(const large& k, const pianola_launch& launch) {
  k.out[global_x()] = k.values[launch.global[2]];
}
