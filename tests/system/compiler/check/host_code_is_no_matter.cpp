// SPDX-License-Identifier: Apache-2.0
// RUN: %accepted
// RUN: %{clang} -O2 -Werror -mllvm -pianola-targets=simulated -c %s -o %t.o 2>&1 | count 0
// What devices cannot do may stand beside kernels, behind a test for the host, and in parts of a class that
// the kernel does not use.
#include "kernel.hpp"

#include <cassert>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

std::vector<int> global_with_a_constructor(100);
int counter;

int host_function(int x) {
  std::cout << x;
  if (x > 3) throw std::runtime_error("host");
  return counter += x;
}

inline bool on_device() { return __pianola_is_device() != 0; }

struct both {
  virtual ~both() { std::cout << "gone\n"; }
  virtual int of_host() { return host_function(1); }
  int value(int x) const {
    if (on_device()) return x;
    return host_function(x) + static_cast<int>(global_with_a_constructor.size());
  }
  int n = 3;
};

struct noisy {
  explicit noisy(int v) : x(v) {}
  ~noisy() {
    if (x == 12345) x = 3;
  }
  int x;
};

void make(int* p) {
  both b;
  launch([=, n = b.n] {
    noisy guard(p[3]);
    assert(p[0] >= 0 && "an assertion stops the kernel");
    if (!__pianola_is_device()) host_function(p[0]);
    try {
      p[0] = n + guard.x;
      noisy second(p[4]);
      p[1] = second.x;
    } catch (const std::exception& e) {
      std::cerr << e.what();
      p[0] = host_function(4);
    }
  });
  launch([=] {
    const bool device = on_device();
    for (int i = 0; i < 10; ++i)
      if (device)
        p[i] = i;
      else
        host_function(i);
  });
  std::cout << b.value(3) << std::string("done\n");
}
