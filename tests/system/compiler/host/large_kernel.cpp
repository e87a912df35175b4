// SPDX-License-Identifier: Apache-2.0
// What is left out where the code generator would take minutes, and what nobody has asked for.
// RUN: %{clang} -O1 -c %s -o %t.o -mllvm -debug-pass=Structure 2>&1 | FileCheck %s --check-prefix=REDUCED
// RUN: %{clang} -O1 -DLARGE -c %s -o %t.o -mllvm -debug-pass=Structure 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %{clang} -O1 -DLARGE -c %s -o %t.o -mllvm -debug-pass=Structure -mllvm -disable-lsr=false 2>&1 | FileCheck %s --check-prefix=REDUCED
// RUN: %{clang} -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=PLAIN --implicit-check-not=!dbg
// RUN: %{clang} -O1 -g -S -emit-llvm %s -o - | FileCheck %s --check-prefix=DEBUG
// RUN: %{clang} -O1 -Rpass-missed=regalloc -S -emit-llvm %s -o - 2>/dev/null | FileCheck %s --check-prefix=DEBUG
// RUN: %{clang} -O1 -DLARGE %s -o %t && %t
#include "run.hpp"

// REDUCED: Loop Strength Reduction
// LEFT: Merge contiguous icmps into a memcmp
// LEFT-NOT: Loop Strength Reduction
// PLAIN: define {{.*}}.work_group
// DEBUG: !dbg
#ifdef LARGE
constexpr int steps = 128;
#else
constexpr int steps = 2;
#endif
constexpr unsigned items = 16;

// Each step is a loop over the work-items, with as many values of each that the next ones need.
template <int Left>
[[gnu::always_inline]] inline void step(float* local, float (&values)[12]) {
  if constexpr (Left > 0) {
    local[x()] = values[Left % 12];
    barrier();
    for (int i = 0; i < 12; ++i) values[i] = values[i] * 0.5f + local[(x() + 1) % items];
    barrier();
    step<Left - 1>(local, values);
  }
}

void smooth(float* out) {
  run<1>({1, 1, 1}, {1, 1, items}, [=] {
    float values[12];
    for (int i = 0; i < 12; ++i) values[i] = static_cast<float>(x());
    step<steps>(local_memory<float>(), values);
    float sum = 0;
    for (const float v : values) sum += v;
    out[x()] = sum;
  });
}

int main() {
  std::vector<float> out(items, -1.0f);
  smooth(out.data());
  for (unsigned i = 0; i < items; ++i) expect_equal(out[i] > 0, true, "computed", i);
  return failures;
}
