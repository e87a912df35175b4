// SPDX-License-Identifier: Apache-2.0
// Kernels without sycl.hpp, with what runs them on the host.
#pragma once

#include <pianola/abi/launch.h>

template <class Kernel>
[[clang::annotate("pianola.kernel", 0, 1)]] __attribute__((noinline)) void kernel_body(
    const Kernel& kernel, const pianola_launch&) {
  kernel();
}

template <class Kernel>
#if defined(__PIANOLA_DEVICE_PASS__)
[[clang::annotate("pianola.entry")]]
#endif
void kernel_entry(const Kernel& kernel) {
  kernel();
}

// Makes `kernel` a kernel of this unit.
template <class Kernel>
void launch(const Kernel&) {
  static auto* volatile body = &kernel_body<Kernel>;
  static auto* volatile entry = &kernel_entry<Kernel>;
  (void)body;
  (void)entry;
}
