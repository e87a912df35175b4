// SPDX-License-Identifier: Apache-2.0
// Kernels without sycl.hpp, which takes most of the time that a test needs.
#pragma once

#include <pianola/abi/launch.h>

extern "C" {
__attribute__((const, nothrow)) int __pianola_is_device();
__attribute__((const, nothrow)) unsigned __pianola_local_id_x();
}

namespace pianola::glue {

template <class Kernel>
[[clang::annotate("pianola.kernel", 0, 1)]] __attribute__((noinline)) void kernel_body(
    const Kernel& kernel, const pianola_launch&) {
  kernel();
}

}  // namespace pianola::glue

// Makes `kernel` a kernel of this unit.
template <class Kernel>
void launch(const Kernel&) {
  static auto* volatile body = &pianola::glue::kernel_body<Kernel>;
  (void)body;
}
