// SPDX-License-Identifier: Apache-2.0
// Nothing is added to an object file without kernels.
// RUN: %{clang} -O1 -mllvm -pianola-targets=simulated -S -emit-llvm -o - %s | FileCheck %s
#include <sycl/sycl.hpp>

std::size_t devices() { return sycl::device::get_devices().size(); }

// CHECK-NOT: pianola.image
// CHECK-NOT: pianola_register_images
