// SPDX-License-Identifier: Apache-2.0
// Work-items that may differ about a barrier of their sub-group are run one by one. Who provably does not differ is not.
// RUN: %{clang} -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %{clang} -O1 %s -o %t -DRUNS && %t
#ifdef RUNS
#include "run.hpp"
#else
#include "kernel.hpp"
#endif

inline void meet() { __pianola_sub_group_barrier(1); }

// A bound that is the same for all, one that is the same for the lanes of a sub-group, and one that a lane tells the others.
template <class Launch>
void together(const Launch& launched, unsigned* out, unsigned rounds) {
  launched([=] {
    for (unsigned i = 0; i < rounds; ++i) {
      out[x()] += i;
      meet();
    }
    if (x() / 8 != 1) {
      meet();
      out[x()] += 10;
    }
    for (unsigned more = 1; more != 0;) {
      meet();
      more = __pianola_shuffle_32(out[x()] & 1, 0);
      out[x()] += 2 + (x() % 8 == 0 ? 1 : 0);
    }
  });
}

template <class Launch>
void apart(const Launch& launched, unsigned* out) {
  launched([=] {
    for (unsigned i = 0; i < x() % 3; ++i) {
      out[x()] += 100;
      meet();
    }
  });
}

#ifdef RUNS
int main() {
  constexpr unsigned items = 20, groups = 2;
  std::vector<unsigned> out(items);
  const auto launched = [&](const auto& kernel) { run<1>({1, 1, groups}, {1, 1, items}, kernel); };
  together(launched, out.data(), 4);
  expect_equal(groups_apart, 0U, "groups that parted", 0);
  out.assign(items, 0);
  apart(launched, out.data());
  expect_equal(groups_apart, groups, "groups that parted", 1);
  for (unsigned i = 0; i < items; ++i) expect_equal(out[i], groups * (i % 3) * 100, "rounds", i);
  return failures == 0 ? 0 : 1;
}
#else
void first(unsigned* out, unsigned rounds, const pianola_launch& all,
           const pianola_work_group& group) {
  // CHECK-LABEL: define internal void @{{.*}}together{{.*}}.work_group"(
  // CHECK-NOT: pianola_run_apart_v1
  // CHECK: ret void
  together([&](const auto& kernel) { launch<1>(kernel, all, group); }, out, rounds);
}
void second(unsigned* out, const pianola_launch& all, const pianola_work_group& group) {
  // Nobody parts, so nobody is asked, and there is nothing beside.
  // CHECK-LABEL: define internal void @{{.*}}apart{{.*}}.work_group"(
  // CHECK-NOT: memcmp
  // CHECK: call {{.*}}@pianola_memory_apart_v1(ptr {{[^@]*}}null,
  // CHECK: call {{.*}}@pianola_run_apart_v1(
  // CHECK: ret void
  apart([&](const auto& kernel) { launch<1>(kernel, all, group); }, out);
}
#endif
