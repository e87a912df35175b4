// SPDX-License-Identifier: Apache-2.0
// A private array with indices that are known at run time only is memory, not registers.
#include "kernel.hpp"

struct data {
  int* at;
};

KERNEL(1, 1) body(const data& k, const pianola_launch&) {
  int own[64];
  for (int i = 0; i < 64; ++i) own[i] = k.at[i];
  for (int i = 0; i < 1000; ++i) own[k.at[i] & 63] += own[k.at[i + 1] & 63];
  k.at[0] = own[k.at[7] & 63];
}
