// SPDX-License-Identifier: Apache-2.0
// Kernels with barriers under sanitizers: they run, and what is wrong in them is found.
// RUN: %{clang} -O2 -g -fsanitize=address %s -o %t.a && %t.a
// RUN: not %t.a beyond 2>&1 | FileCheck %s --check-prefix=ADDRESS
// RUN: %{clang} -O0 -fsanitize=address,undefined %s -o %t.au && %t.au
// RUN: %{clang} -O1 -fsanitize=thread %s -o %t.t && %t.t
// RUN: %{clang} -O2 -fsanitize=undefined %s -o %t.u && %t.u
// RUN: %t.u shift 2>&1 | FileCheck %s --check-prefix=UNDEFINED
#include <cstring>

#include "run.hpp"

// ADDRESS: ERROR: AddressSanitizer: heap-buffer-overflow
// ADDRESS: sanitizers.cpp:21
// UNDEFINED: sanitizers.cpp:22:{{.*}}: runtime error: shift exponent 40 is too large
void reverse(std::vector<int>& values, unsigned beyond, unsigned shift) {
  run<2>({1, 2, 1}, {1, 2, 8}, [p = values.data(), beyond, shift] {
    int* local = local_memory<int>();
    const unsigned id = y() * 8 + x();
    int* own = p + 16 * __pianola_group_id_y();
    local[id] = own[id + beyond];
    const int changed = local[id] + (1 << shift);
    barrier();
    own[id] = local[15 - id] + (x() == 0 ? changed - changed : 0);
  });
}

int main(int argc, char** argv) {
  std::vector<int> values(32);
  for (int i = 0; i < 32; ++i) values[static_cast<std::size_t>(i)] = i;
  const bool beyond = argc > 1 && std::strcmp(argv[1], "beyond") == 0;
  const bool shift = argc > 1 && std::strcmp(argv[1], "shift") == 0;
  reverse(values, beyond ? 16 : 0, shift ? 40 : 3);
  for (unsigned i = 0; i < 32; ++i)
    expect_equal(values[i], static_cast<int>(i / 16 * 16 + 15 - i % 16), "reversed", i);
  return failures;
}
