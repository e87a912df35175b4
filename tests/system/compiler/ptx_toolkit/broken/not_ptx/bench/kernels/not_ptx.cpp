// SPDX-License-Identifier: Apache-2.0
// What ptxas does not understand. (The whole compiler refuses inline assembly; this test begins behind that.)
#include "kernel.hpp"

struct data {
  int* at;
};

KERNEL(1, 1) body(const data& k, const pianola_launch&) {
  asm volatile("no such instruction;");
  k.at[0] = 1;
}
