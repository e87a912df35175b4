// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// Shuffles and votes among the 32 work-items of a warp.
#include "kernel.hpp"

struct data {
  std::uint32_t* words;
  std::uint64_t* longs;
};

// CHECK: .visible .entry
// CHECK: shfl.sync.idx.b32 %{{.*}}, %{{.*}}, %{{.*}}, 31, -1;
// CHECK: shfl.sync.idx.b32
// CHECK: shfl.sync.idx.b32
// CHECK: vote.sync.ballot.b32 %{{.*}}, %{{.*}}, -1;
KERNEL(2, 1) body(const data& k, const pianola_launch&) {
  const std::uint32_t i = __pianola_local_id_x();
  k.words[i] = __pianola_shuffle_32(k.words[i], i ^ 1);
  k.longs[i] = __pianola_shuffle_64(k.longs[i], 0);
  k.longs[i] += __pianola_ballot(k.words[i] > 7);
}
