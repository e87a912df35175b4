// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s > %t.ll
// RUN: not %ptx<sm_75> -pianola-cuda-path=%t.nowhere < %t.ll 2>&1 | FileCheck %s
// RUN: not %ptx_image<sm_75> -pianola-cuda-path=%t.nowhere < %t.ll 2>&1 | FileCheck --check-prefix=IMAGE %s
// RUN: not env CUDA_PATH=%t.nowhere %{clang} -I%S -O2 -mllvm -pianola-targets=cuda:sm_75 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=IMAGE %s
// RUN: not env CUDA_HOME=%t.nowhere %{clang} -I%S -O2 -mllvm -pianola-targets=cuda:sm_75 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=IMAGE %s
// The host's code needs none.
// RUN: env CUDA_PATH=%t.nowhere %{clang} -I%S -O2 -c %s -o %t.o
// Without a toolkit: a sentence that says what is missing and what to do.
// CHECK: error: cannot compile for CUDA devices: libdevice.10.bc, the library of math functions, of the CUDA toolkit was not found (searched {{.*}}nowhere); install the CUDA toolkit 12.0 or later, or say where it is with --pianola-cuda-path=DIR or the environment variable CUDA_PATH
// IMAGE: error: cannot compile for CUDA devices: ptxas, the assembler, of the CUDA toolkit was not found
#include <cmath>

#include "kernel.hpp"

struct data {
  float* at;
};

KERNEL(1, 1) body(const data& k, const pianola_launch&) { k.at[0] = std::sin(k.at[1]); }
