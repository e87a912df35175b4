// SPDX-License-Identifier: Apache-2.0
// Every form of the question is noticed, and what is none is not.
// RUN: %{clang} -std=c++23 -DASKED=1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=TWICE
// RUN: %{clang} -std=c++23 -DASKED=2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=TWICE
// RUN: %{clang} -std=c++23 -DASKED=3 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=TWICE
// RUN: %{clang} -std=c++23 -DASKED=4 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=TWICE
// RUN: %{clang} -std=c++23 -DASKED=5 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=TWICE
// RUN: %{clang} -std=c++23 -DASKED=6 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=TWICE
// RUN: %{clang} -std=c++23 -DASKED=7 -Wno-expansion-to-defined -S -emit-llvm %s -o - | FileCheck %s --check-prefix=TWICE
// RUN: %{clang} -std=c++23 -DASKED=0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ONCE
// RUN: %{clang} -std=c++23 -DASKED=0 -mllvm -pianola-device-pass=on -S -emit-llvm %s -o - | FileCheck %s --check-prefix=TWICE
// RUN: %{clang} -std=c++23 -DASKED=1 -mllvm -pianola-device-pass=off -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ONCE
#include "kernel.hpp"

#if ASKED == 1
#ifdef __SYCL_DEVICE_ONLY__
#endif
#elif ASKED == 2
#ifndef __SYCL_DEVICE_ONLY__
#endif
#elif ASKED == 3
#if __SYCL_DEVICE_ONLY__
#endif
#elif ASKED == 4
#if 0
#elif defined(__SYCL_DEVICE_ONLY__)
#endif
#elif ASKED == 5
#if 0
#elifdef __SYCL_DEVICE_ONLY__
#endif
#elif ASKED == 6
#if 0
#elifndef __SYCL_DEVICE_ONLY__
#endif
#elif ASKED == 7
#define FOR_DEVICES defined(__SYCL_DEVICE_ONLY__)
#if FOR_DEVICES
#endif
#else
// Mentioned here: __SYCL_DEVICE_ONLY__, and there: "__SYCL_DEVICE_ONLY__"
#endif

__attribute__((noinline)) void called() {}

void host() {
  launch([] { called(); });
}

// TWICE: define internal {{.*}}@_Z6calledv.device(
// ONCE: define {{.*}}@_Z6calledv(
// ONCE-NOT: .device(
