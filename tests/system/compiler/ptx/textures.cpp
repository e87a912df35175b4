// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// RUN: %unit %s | %ptx<sm_90> | FileCheck %s
// Textures are read with the instruction for the type of their channels, by the handle in the function object; ptxas
// takes it for every architecture.
#include "kernel.hpp"

struct data {
  std::uint64_t texture;
  float* reals;
  std::int32_t* numbers;
};

// CHECK-LABEL: .visible .entry
// CHECK: ld.param.u64 [[TEXTURE:%rd[0-9]+]], [{{.*}}param_0];
// CHECK: tex.2d.v4.f32.f32 {{{.*}}}, [[[TEXTURE]], {{{%f[0-9]+, %f[0-9]+}}}];
// CHECK: tex.2d.v4.s32.f32 {{{.*}}}, [[[TEXTURE]], {{{%f[0-9]+, %f[0-9]+}}}];
// CHECK: tex.2d.v4.u32.f32 {{{.*}}}, [[[TEXTURE]], {{{%f[0-9]+, %f[0-9]+}}}];
// CHECK: ret;
KERNEL(0, 1) sample(const data& k, const pianola_launch&) {
  const auto a = __pianola_texture_float(k.texture, k.reals[0], k.reals[1]);
  const auto b = __pianola_texture_signed(k.texture, a[0], a[1]);
  const auto c = __pianola_texture_unsigned(k.texture, a[2], a[3]);
  k.numbers[0] = b[0] + b[1] + b[2] + b[3];
  k.numbers[1] = static_cast<std::int32_t>(c[0] + c[1] + c[2] + c[3]);
}
