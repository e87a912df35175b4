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

// Those of a part wait for each other alone, wherever the others are.
// CHECK: .visible .entry
// CHECK: shfl.sync.idx.b32 %{{.*}}, %{{.*}}, %{{.*}}, 31, %[[MASK:r[0-9]+]];
// CHECK: bar.warp.sync %[[MASK]];
KERNEL(2, 1) among(const data& k, const pianola_launch&) {
  const std::uint32_t i = __pianola_local_id_x();
  const std::uint64_t lanes = k.longs[i];
  if (lanes % 2 == 0) return;
  k.words[i] = __pianola_shuffle_32_among(k.words[i], i ^ 1, lanes);
  __pianola_sub_group_barrier_among(1, lanes);
  k.words[i ^ 2] += 1;
}
